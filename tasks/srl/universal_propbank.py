"""Reads and writes the files of Universal PropBank (Jindal et al. 2022).

They are CoNLL-U Plus: the first line names the columns, which stand between
tabs, and `_` is nothing.

    # global.columns = ID FORM … MISC UP:PRED UP:ARGHEADS UP:ARGSPANS

A predicate's line has its sense in `UP:PRED`, and of each argument the head and
the words from first to last, numbered from 1 up:

    4  came  …  come.01  A1:3|AM-TMP:5  A1:1-3|AM-TMP:5-5

What is numbered, and so what is tagged, are words: lines of multiword tokens
(`3-4`) and of empty nodes (`5.1`) are kept to be written again. `V`, the
predicate itself, is not written where it is the word of that line.

Universal PropBank 2.0 comes without words, which its treebank's CoNLL-U file
has. Version 1.0, and the gold data of 2.0, know only the heads of arguments.
Such files are refused, for a head does not tell its span: in the English Web
Treebank one in six of PropBank's arguments is not the subtree of its head.
"""

import bisect
import dataclasses
import re

from elmo_tf.errors import InputError
from elmo_tf.text import shards
from tasks.srl.file_layout import LAYOUTS
from tasks.srl.file_layout import UNIVERSAL_PROPBANK
from tasks.srl.file_layout import begins_universal_propbank
from tasks.srl.proposition import Proposition
from tasks.srl.srl_sentence import SRLSentence
from tasks.text import column_file
from tasks.text.column_sentence import describe_columns
from tasks.text.span import Span
from tasks.text.treebank_words import word_rows

_NOTHING = "_"
_ID, _WORD = "ID", "FORM"
_ROLESET, _HEADS, _SPANS = "UP:PRED", "UP:ARGHEADS", "UP:ARGSPANS"
_COLUMNS = LAYOUTS[UNIVERSAL_PROPBANK].leading
_TREEBANK_COLUMNS = _COLUMNS[: _COLUMNS.index(_ROLESET)]
# What has another name in the other layouts.
_NAMES = {"LEMMA": "lemma", "XPOS": "pos"}
_OTHER_NAMES = {
    name
    for layout in LAYOUTS.values()
    if layout.has_brackets
    for name in layout.leading + layout.trailing
}
_VERB = "V"

_NUMBER = re.compile(r"[0-9]+")
_HEAD = re.compile(r"([^\s()*|]+):([0-9]{1,9})")
_SPAN = re.compile(r"([^\s()*|]+):([0-9]{1,9})-([0-9]{1,9})")
_DOCUMENT = re.compile(r"# newdoc\s+id\s*=\s*(.*\S)")
_SENTENCE = re.compile(r"# sent_id\s*=\s*(.*\S)")


def read_sentences(path, treebank_path=None):
    """Reads a file of Universal PropBank.

    Args:
        path: The file, plain or gzip.
        treebank_path: The CoNLL-U file with the same sentences, for a file
            without words; None: there is none.

    Returns:
        A list of `SRLSentence`, at least one, without words if the file has
        none and there is no other.

    Raises:
        InputError: A file cannot be read, has no list of columns in front or
            too few columns; an argument has no predicate or is not inside the
            sentence; or the treebank's sentences are others. With the line.
    """
    names, sentences = _read_rows(path)
    if treebank_path is not None:
        if _WORD in names:
            raise InputError(
                f"{treebank_path}: found words for {path}, expected none, as "
                "that has some"
            )
        more_names, treebank = _read_rows(treebank_path, is_treebank=True)
        names, sentences = _join(names, sentences, more_names, treebank)
    return [_parse(sentence, names) for sentence in sentences]


def write_sentences(sentences, file):
    """Writes sentences as a file of Universal PropBank.

    Of what other files say, words, lemmas, parts of speech (as XPOS), senses,
    arguments and the names of documents are written. Where a sense is a number
    alone, the lemma stands in front of it, and in place of one that is not
    known.

    Args:
        sentences: A sequence of `SRLSentence`. If none has words, only the
            columns of which something is known are written.
        file: A text file.

    Raises:
        InputError: Some sentences have words and others have none.
        ValueError: Two propositions of a sentence have the same predicate.
    """
    if not sentences:
        return
    names = _written_columns(sentences)
    file.write(f"# global.columns = {' '.join(names)}\n")
    document = 0, None
    for sentence in sentences:
        before = document
        document = sentence.document_index, sentence.document
        comments = sentence.comments
        if not comments and document != before:
            name = sentence.document
            comments = [f"# newdoc id = {name}" if name else "# newdoc"]
        for comment in comments:
            file.write(f"{comment}\n")
        for row in _rows(sentence, names):
            values = (row.get(name) or _NOTHING for name in names)
            file.write("\t".join(values) + "\n")
        file.write("\n")


def _read_rows(path, is_treebank=False):
    """The names of a file's columns, and its sentences, a list."""
    names = _read_names(path, is_treebank)
    sentences = []
    for sentence in column_file.read_sentences(
        path,
        delimiter="\t",
        document_start=None,
        comments=True,
        columns_vary=True,
    ):
        if len(sentence.rows[0]) != len(names):
            raise InputError(
                f"{sentence.place(0)}: found "
                f"{describe_columns(len(sentence.rows[0]))}, expected "
                f"{len(names)}, with a tab between them: {', '.join(names)}"
            )
        comments = tuple(
            comment
            for comment in sentence.comments
            if not begins_universal_propbank(comment)
        )
        sentences.append(dataclasses.replace(sentence, comments=comments))
    return names, sentences


def _read_names(path, is_treebank):
    """The names of a file's columns, from its first line."""
    shards.check_file(path, "one token a line")
    number, line = next(
        (
            (number, line.decode())
            for number, line in enumerate(shards.read_lines(path), start=1)
            if line.strip()
        ),
        (1, ""),
    )
    if begins_universal_propbank(line):
        names = tuple(line.partition("=")[2].split())
    elif is_treebank:
        names = _TREEBANK_COLUMNS
    else:
        raise InputError(
            f"{path}:{number}: found no list of columns, expected "
            "'# global.columns = ID FORM … UP:PRED UP:ARGHEADS UP:ARGSPANS' in "
            "the first line; files with the heads of arguments alone, as those "
            "of Universal PropBank 1.0, cannot be used: a head does not tell "
            "its span"
        )
    needed = (_ID, _WORD) if is_treebank else (_ID, _ROLESET, _SPANS)
    missing = [name for name in needed if name not in names]
    if missing or len(set(names)) < len(names):
        hint = "; a head does not tell its span" if missing == [_SPANS] else ""
        raise InputError(
            f"{path}:{number}: found the columns {', '.join(names)}, expected "
            f"each once, and {', '.join(needed)} among them{hint}"
        )
    return names


def _join(names, sentences, more_names, treebank):
    """Puts the columns of two files of the same sentences side by side."""
    for mine, other in zip(sentences, treebank, strict=False):
        # Sentences of another version may happen to be as long.
        own_id, other_id = map(_sentence_id, (mine, other))
        if None not in (own_id, other_id) and own_id != other_id:
            raise InputError(
                f"{other.place(0)}: found the sentence {other_id}, expected "
                f"{own_id} as in {mine.place(0)}"
            )
        for i in range(max(len(mine), len(other))):
            ids = [
                sentence.rows[i][columns.index(_ID)]
                if i < len(sentence)
                else "the sentence's end"
                for sentence, columns in ((mine, names), (other, more_names))
            ]
            if ids[0] != ids[1]:
                raise InputError(
                    f"{other.place(min(i, len(other) - 1))}: found {ids[1]}, "
                    f"expected {ids[0]} as in "
                    f"{mine.place(min(i, len(mine) - 1))}"
                )
    if len(sentences) != len(treebank):
        raise InputError(
            f"{treebank[0].path}: found {len(treebank)} sentences, expected "
            f"{len(sentences)} as in {sentences[0].path}"
        )
    added = [i for i, name in enumerate(names) if name not in more_names]
    return more_names + tuple(names[i] for i in added), [
        dataclasses.replace(
            mine,
            rows=tuple(
                left + tuple(right[i] for i in added)
                for left, right in zip(other.rows, mine.rows, strict=True)
            ),
            document=other.document,
            document_line=other.document_line,
            comments=other.comments,
        )
        for mine, other in zip(sentences, treebank, strict=True)
    ]


def _sentence_id(sentence):
    matches = map(_SENTENCE.match, sentence.comments)
    return next((match[1] for match in matches if match), None)


def _parse(sentence, names):
    """The `SRLSentence` of a `ColumnSentence`."""
    words, other_rows = _split(sentence, names)
    values = {name: words.column(i) for i, name in enumerate(names)}
    del values[_ID]
    tokens = values.pop(_WORD, None)
    cells = [values.pop(name, None) for name in (_ROLESET, _HEADS, _SPANS)]
    columns = {}
    for name, column in values.items():
        if set(column) != {_NOTHING}:
            columns[_NAMES.get(name, name)] = tuple(
                None if value == _NOTHING else value for value in column
            )
    pos = columns.pop("pos", None)
    document = _DOCUMENT.match(sentence.document_line or "")
    return SRLSentence(
        n_tokens=len(words),
        propositions=_propositions(words, cells, columns.get("lemma"), tokens),
        tokens=tokens and tuple(tokens),
        pos=pos and tuple(tag or _NOTHING for tag in pos),
        document=document and document[1],
        columns=columns,
        document_index=sentence.document,
        comments=sentence.comments,
        other_rows=other_rows,
        path=sentence.path,
        lines=words.lines,
    )


def _split(sentence, names):
    """The words of a sentence, a `ColumnSentence`; and its other rows."""
    id_column = names.index(_ID)
    places = word_rows(sentence, id_column)
    other_rows = []
    for i, values in enumerate(sentence.rows):
        if i in places:
            continue
        row = {
            name: value
            for name, value in zip(names, values, strict=True)
            if value != _NOTHING
        }
        if row.keys() & {_ROLESET, _HEADS, _SPANS}:
            raise InputError(
                f"{sentence.place(i)}: found a predicate or arguments at "
                f"{values[id_column]}, expected them at words, whose numbers "
                "are whole"
            )
        other_rows.append((bisect.bisect(places, i), row))
    words = dataclasses.replace(
        sentence,
        rows=tuple(sentence.rows[i] for i in places),
        lines=tuple(sentence.lines[i] for i in places),
    )
    return words, tuple(other_rows)


def _propositions(words, cells, lemmas, tokens):
    rolesets, heads, spans = cells
    heads = heads or [_NOTHING] * len(words)
    propositions = []
    for i, roleset in enumerate(rolesets):
        if roleset == _NOTHING:
            for cell in (heads[i], spans[i]):
                if cell != _NOTHING:
                    raise InputError(
                        f"{words.place(i)}: found the arguments {cell}, "
                        f"expected {_NOTHING}, as there is no predicate"
                    )
            continue
        lemma = lemmas and lemmas[i]
        if lemma is None:
            lemma = _guess_lemma(tokens, i, roleset)
        propositions.append(
            _proposition(words, i, lemma, roleset, heads[i], spans[i])
        )
    return tuple(propositions)


def _guess_lemma(tokens, predicate, roleset):
    """The word, or else what stands in front of a sense's number."""
    if tokens is not None:
        return tokens[predicate].lower()
    return roleset.rpartition(".")[0] or roleset


def _proposition(words, predicate, lemma, roleset, head_cell, span_cell):
    place = words.place(predicate)
    arguments = [
        Span(label, first - 1, last)
        for label, first, last in _read_list(
            span_cell, _SPAN, len(words), place, "A0:1-2"
        )
    ]
    heads = None
    if head_cell != _NOTHING:
        found = _read_list(head_cell, _HEAD, len(words), place, "A0:2")
        if [label for label, _ in found] != [span.label for span in arguments]:
            raise InputError(
                f"{place}: found the heads {head_cell}, expected one of each "
                f"of the arguments {span_cell}"
            )
        heads = [head - 1 for _, head in found]
    if all(span.label != _VERB for span in arguments):
        # Last, so that it is inside an argument that has the same token.
        arguments.append(Span(_VERB, predicate, predicate + 1))
        if heads is not None:
            heads.append(predicate)
    order = sorted(
        range(len(arguments)),
        key=lambda i: (arguments[i].start, -arguments[i].end),
    )
    return Proposition(
        predicate=predicate,
        lemma=lemma,
        roleset=roleset,
        arguments=tuple(arguments[i] for i in order),
        heads=None if heads is None else tuple(heads[i] for i in order),
    )


def _read_list(cell, pattern, n_words, place, example):
    """The labels and numbers of a cell, a list of tuples."""
    if cell == _NOTHING:
        return []
    items = []
    for text in cell.split("|"):
        match = pattern.fullmatch(text)
        numbers = (
            [int(number) for number in match.groups()[1:]] if match else []
        )
        if not numbers or not (1 <= numbers[0] <= numbers[-1] <= n_words):
            raise InputError(
                f"{place}: found {text!r} among the arguments, expected a role "
                f"and words from 1 to {n_words}, such as {example}"
            )
        items.append((match[1], *numbers))
    return items


def _written_columns(sentences):
    """The names of the columns to write."""
    n_with_words = sum(sentence.tokens is not None for sentence in sentences)
    if 0 < n_with_words < len(sentences):
        sentence = next(item for item in sentences if item.tokens is None)
        raise InputError(
            f"{sentence.place()}: found no words, expected some, as other "
            "sentences have"
        )
    known = {_ID: None, _ROLESET: None, _HEADS: None, _SPANS: None}
    for sentence in sentences:
        known.update(dict.fromkeys(_known_columns(sentence)))
    return [name for name in _COLUMNS if n_with_words or name in known] + [
        name for name in known if name not in _COLUMNS
    ]


def _known_columns(sentence):
    names = {name: own for own, name in _NAMES.items()}
    if sentence.pos is not None:
        yield names["pos"]
    for name in sentence.columns:
        if name in names or name not in _OTHER_NAMES:
            yield names.get(name, name)
    for _, row in sentence.other_rows:
        yield from row


def _rows(sentence, names):
    """The rows of a sentence, dicts from names to what is not nothing."""
    rows = [{_ID: str(i + 1)} for i in range(len(sentence))]
    for name in names:
        values = sentence.columns.get(_NAMES.get(name, name))
        if name == _WORD:
            values = sentence.tokens
        elif name == "XPOS":
            values = sentence.pos
        for row, value in zip(rows, values or [None] * len(rows), strict=True):
            if value is not None:
                row[name] = value
    for proposition in sentence.propositions:
        row = rows[proposition.predicate]
        if _ROLESET in row:
            raise ValueError(
                f"{sentence.place(proposition.predicate)}: found two "
                "propositions of this predicate, expected one"
            )
        row.update(_cells(proposition))
        lemma = proposition.lemma
        # One that reading finds without a column need not stand there.
        if "lemma" not in sentence.columns and lemma != _guess_lemma(
            sentence.tokens, proposition.predicate, row[_ROLESET]
        ):
            row["LEMMA"] = lemma
    for place, row in reversed(sentence.other_rows):
        rows.insert(place, row)
    return rows


def _cells(proposition):
    """The cells of a proposition by their columns."""
    predicate = proposition.predicate
    sense = proposition.roleset
    if sense in (None, "-"):
        sense = proposition.lemma
    elif _NUMBER.fullmatch(sense):
        sense = f"{proposition.lemma}.{sense}"
    itself = Span(_VERB, predicate, predicate + 1)
    heads = proposition.heads or [None] * len(proposition.arguments)
    written = [
        (span, head)
        for span, head in zip(proposition.arguments, heads, strict=True)
        if span != itself
    ]
    cells = {
        _SPANS: "|".join(
            f"{span.label}:{span.start + 1}-{span.end}" for span, _ in written
        )
    }
    if proposition.heads is not None:
        cells[_HEADS] = "|".join(
            f"{span.label}:{head + 1}" for span, head in written
        )
    return {_ROLESET: sense, **cells}
