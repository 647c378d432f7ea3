"""Which columns the files with semantic roles have.

Between the leading and the trailing columns stands one for each predicate, with
brackets around its arguments (see `tasks.srl.brackets`).

*   `props`: what CoNLL-2005's shared task scores. The first column has the
    predicates' lemmas and `-` elsewhere.
*   `words_and_props`: the same with the words in front.
*   `conll2005`: the training data of CoNLL-2005, its columns side by side.
*   `propbank`: PropBank's own releases, such as that over the English Web
    Treebank.
*   `conll2012`: OntoNotes as in CoNLL-2012's shared task, with lines that begin
    and end documents.

One layout has no such columns, but arguments as a list at their predicate:

*   `universal_propbank`: Universal PropBank with its treebank's columns (see
    `tasks.srl.universal_propbank`).
"""

import dataclasses
import re

from elmo_tf.errors import InputError
from tasks.srl.brackets import is_cell

UNIVERSAL_PROPBANK = "universal_propbank"
_DOCUMENT_MARK = "#begin document"
_COLUMNS_MARK = re.compile(r"#\s*global\.columns\s*=")
# A word, a multiword token or an empty node.
_TREEBANK_ID = re.compile(r"1|1-[0-9]+|0\.1")
_N_TREEBANK_COLUMNS = 10


@dataclasses.dataclass(frozen=True)
class FileLayout:
    """Which columns files of a kind have besides those of the arguments.

    Attributes:
        leading: A tuple of the names of the columns before them. `target` has
            the lemma of predicates, and `lemma` also that of other words;
            `roleset` has PropBank's sense of a predicate, and `sense`
            OntoNotes' of any word.
        trailing: Likewise, of those after them.
        has_documents: Whether lines with `#` in front are no tokens, and some
            of them begin documents.
        has_brackets: Whether there are columns of arguments, between these.
    """

    leading: tuple
    trailing: tuple = ()
    has_documents: bool = False
    has_brackets: bool = True


LAYOUTS = {
    "props": FileLayout(("target",)),
    "words_and_props": FileLayout(("word", "target")),
    "conll2005": FileLayout(
        ("word", "pos", "parse", "entities", "roleset", "target")
    ),
    "propbank": FileLayout(
        (
            "document",
            "sentence",
            "token",
            "word",
            "pos",
            "parse",
            "target",
            "roleset",
        )
    ),
    "conll2012": FileLayout(
        (
            "document",
            "part",
            "token",
            "word",
            "pos",
            "parse",
            "lemma",
            "roleset",
            "sense",
            "speaker",
            "entities",
        ),
        trailing=("coreference",),
        has_documents=True,
    ),
    UNIVERSAL_PROPBANK: FileLayout(
        (
            "ID",
            "FORM",
            "LEMMA",
            "UPOS",
            "XPOS",
            "FEATS",
            "HEAD",
            "DEPREL",
            "DEPS",
            "MISC",
            "UP:PRED",
            "UP:ARGHEADS",
            "UP:ARGSPANS",
        ),
        has_documents=True,
        has_brackets=False,
    ),
}


def layout_named(name):
    """Returns the layout of a name.

    Args:
        name: A key of `LAYOUTS`.

    Returns:
        The `FileLayout`.

    Raises:
        InputError: There is none of that name.
    """
    if name not in LAYOUTS:
        raise InputError(
            f"layout: found {name!r}, expected one of {', '.join(LAYOUTS)}"
        )
    return LAYOUTS[name]


def recognise_beginning(lines):
    """Tells the layout of a file from its first lines, where these suffice.

    Args:
        lines: An iterable of lines.

    Returns:
        The `FileLayout`; None: `recognise_layout` may tell. A treebank without
        `# global.columns` is taken for `universal_propbank`, which needs that.
    """
    lines = filter(str.strip, lines)
    first = next(lines, "")
    if first.startswith(_DOCUMENT_MARK):
        return LAYOUTS["conll2012"]
    if begins_universal_propbank(first):
        return LAYOUTS[UNIVERSAL_PROPBANK]
    while first.startswith("#"):
        first = next(lines, "")
    row = first.split("\t")
    # Where another layout has brackets or words, a treebank has the number of
    # the word's head.
    if (
        len(row) >= _N_TREEBANK_COLUMNS
        and _TREEBANK_ID.fullmatch(row[0])
        and (row[6] == "_" or row[6].isdecimal())
    ):
        return LAYOUTS[UNIVERSAL_PROPBANK]
    return None


def begins_universal_propbank(line):
    """Whether a line is the first of CoNLL-U Plus, which names the columns."""
    return _COLUMNS_MARK.match(line) is not None


def recognise_layout(sentences):
    """Tells the layout of a file that `recognise_beginning` does not know.

    Args:
        sentences: A list of `ColumnSentence`, at least one.

    Returns:
        The `FileLayout`.

    Raises:
        InputError: It is none of those above.
    """
    rows = sentences[0].rows
    # Both have numbers of a sentence or part and of the token in front. After
    # column 8 one has brackets and the other a sense.
    if len(rows[0]) >= len(LAYOUTS["propbank"].leading) and all(
        row[1].isdecimal() and row[2].isdecimal() for row in rows
    ):
        is_propbank = all(is_cell(row[8]) for row in rows if len(row) > 8)
        return LAYOUTS["propbank" if is_propbank else "conll2012"]
    # A mistake in a cell must not count for much.
    n_leading = min(map(_count_leading, sentences))
    for layout in LAYOUTS.values():
        if len(layout.leading) == n_leading and "target" in layout.leading:
            return layout
    raise InputError(
        f"{sentences[0].place(0)}: found a file with {n_leading} columns "
        "before those with brackets, expected 1 (props), 2 (words and props), "
        "6 (CoNLL-2005), or the columns of PropBank, CoNLL-2012 or Universal "
        "PropBank"
    )


def _count_leading(sentence):
    """Counts the columns before those at the end that have only brackets."""
    n_columns = len(sentence.rows[0])
    while n_columns > 1 and all(
        is_cell(row[n_columns - 1]) for row in sentence.rows
    ):
        n_columns -= 1
    return n_columns
