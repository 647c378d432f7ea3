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
"""

import dataclasses

from elmo_tf.errors import InputError
from tasks.srl.brackets import is_cell

_DOCUMENT_MARK = "#begin document"


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
    """

    leading: tuple
    trailing: tuple = ()
    has_documents: bool = False


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


def begins_document(line):
    """Whether a line is one that begins a document in `conll2012`."""
    return line.startswith(_DOCUMENT_MARK)


def recognise_layout(sentences):
    """Tells the layout of a file without lines that begin documents.

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
        "6 (CoNLL-2005), or the columns of PropBank or CoNLL-2012"
    )


def _count_leading(sentence):
    """Counts the columns before those at the end that have only brackets."""
    n_columns = len(sentence.rows[0])
    while n_columns > 1 and all(
        is_cell(row[n_columns - 1]) for row in sentence.rows
    ):
        n_columns -= 1
    return n_columns
