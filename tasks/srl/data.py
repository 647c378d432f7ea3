"""Reads and writes files with semantic roles.

`tasks.srl.file_layout` says which. What is read can be written again and loses
nothing but comments and documents without sentences.
"""

import os

from elmo_tf.errors import InputError
from elmo_tf.text import shards
from tasks.srl.brackets import read_brackets
from tasks.srl.brackets import write_brackets
from tasks.srl.file_layout import begins_document
from tasks.srl.file_layout import layout_named
from tasks.srl.file_layout import recognise_layout
from tasks.srl.proposition import Proposition
from tasks.srl.srl_sentence import SRLSentence
from tasks.text import column_file
from tasks.text.column_sentence import describe_columns

# What stands where a column has nothing to say.
_NOTHING = "-"
_DEFAULTS = {"part": "0", "parse": "*", "entities": "*"}


def read_sentences(path, layout=None, words_path=None):
    """Reads a file with semantic roles.

    Args:
        path: The file, plain or gzip.
        layout: The name of its layout; None: it is told from the columns.
        words_path: A file with a word a line and blank lines between the same
            sentences, for a file without words; None: there is none.

    Returns:
        A list of `SRLSentence`, at least one.

    Raises:
        InputError: A file cannot be read or has columns missing; brackets do
            not match; there are not as many predicates as columns of arguments;
            or the words are those of other sentences. With the line.
    """
    path = os.fspath(path)
    layout = None if layout is None else layout_named(layout)
    if layout is None and _begins_with_document(path):
        layout = layout_named("conll2012")
    sentences = list(
        column_file.read_sentences(
            path,
            document_start=None,
            comments=layout is not None and layout.has_documents,
            columns_vary=True,
        )
    )
    layout = layout or recognise_layout(sentences)
    words = [None] * len(sentences)
    if words_path is not None:
        words = _read_words(words_path, sentences)
    return [
        _parse(*pair, layout) for pair in zip(sentences, words, strict=True)
    ]


def write_sentences(sentences, file, layout):
    """Writes sentences, their columns with tabs between them.

    What a sentence does not know stands there as `-`, or as `*` among brackets.

    Args:
        sentences: A sequence of `SRLSentence`.
        file: A text file.
        layout: The name of the layout.

    Raises:
        InputError: There is no such layout, or it has words and a sentence has
            none.
        ValueError: Two propositions have the same predicate, or spans of one
            overlap and neither contains the other.
    """
    layout = layout_named(layout)
    document = None
    number = 0
    for sentence in sentences:
        before, document = document, _document_key(sentence)
        number = number + 1 if document == before else 0
        if layout.has_documents and document != before:
            if before is not None:
                file.write("#end document\n")
            file.write(_document_line(sentence) + "\n")
        for row in zip(*_columns(sentence, layout, number), strict=True):
            file.write("\t".join(row) + "\n")
        file.write("\n")
    if layout.has_documents and document is not None:
        file.write("#end document\n")


def _begins_with_document(path):
    shards.check_file(path, "one token a line")
    lines = (line.decode() for line in shards.read_lines(path))
    return begins_document(next(filter(str.strip, lines), ""))


def _read_words(path, sentences):
    """The words of a file, one tuple for each of another file's sentences."""
    path = os.fspath(path)
    words = list(column_file.read_sentences(path, document_start=None))
    for mine, other in zip(words, sentences, strict=False):
        if len(mine) != len(other):
            raise InputError(
                f"{mine.place(0)}: found a sentence of {len(mine)} words, "
                f"expected {len(other)} as in {other.place(0)}"
            )
    if len(words) != len(sentences):
        raise InputError(
            f"{path}: found {len(words)} sentences, expected "
            f"{len(sentences)} as in {sentences[0].path}"
        )
    return [tuple(sentence.column(0)) for sentence in words]


def _parse(sentence, words, layout):
    """The `SRLSentence` of a `ColumnSentence`."""
    values = _read_columns(sentence, layout)
    n_leading, n_trailing = len(layout.leading), len(layout.trailing)
    spans = [
        read_brackets(sentence.column(i), sentence.place, i + 1)
        for i in range(n_leading, len(sentence.rows[0]) - n_trailing)
    ]
    if "target" in values:
        predicates = _marked(values["target"])
        is_clear = len(predicates) == len(spans)
    else:
        predicates = _predicates_by_verbs(values["roleset"], spans)
        is_clear = predicates is not None
    if not is_clear:
        _raise_predicates(sentence, layout, values, len(spans))
    tokens = values.pop("word", words)
    lemmas = values.pop("target", None) or values["lemma"]
    rolesets = values.pop("roleset", None)
    propositions = tuple(
        Proposition(
            predicate=i,
            lemma=tokens[i].lower() if lemmas[i] == _NOTHING else lemmas[i],
            roleset=rolesets and rolesets[i],
            arguments=arguments,
        )
        for i, arguments in zip(predicates, spans, strict=True)
    )
    if rolesets is not None and set(_marked(rolesets)) - set(predicates):
        # Senses of words that are no predicates here.
        values["roleset"] = tuple(
            _NOTHING if i in predicates else value
            for i, value in enumerate(rolesets)
        )
    return SRLSentence(
        n_tokens=len(sentence),
        propositions=propositions,
        tokens=tokens,
        pos=values.pop("pos", None),
        document=values.pop("document", (None,))[0],
        columns=values,
        document_index=sentence.document,
        document_line=sentence.document_line,
        path=sentence.path,
        lines=sentence.lines,
    )


def _read_columns(sentence, layout):
    """What stands in the columns with names, by these."""
    names = layout.leading + layout.trailing
    n_columns = len(sentence.rows[0])
    if n_columns < len(names):
        raise InputError(
            f"{sentence.place(0)}: found {describe_columns(n_columns)}, "
            f"expected at least {len(names)}: {', '.join(names)}"
        )
    return {
        name: tuple(sentence.column(i))
        for i, name in (
            *enumerate(layout.leading),
            *enumerate(layout.trailing, start=-len(layout.trailing)),
        )
    }


def _predicates_by_verbs(rolesets, spans):
    """The predicates of columns of arguments, by their V; None if unclear.

    OntoNotes has rolesets at words that have no column.
    """
    marked = _marked(rolesets)
    predicates = []
    for arguments in spans:
        verbs = [span for span in arguments if span.label == "V"]
        tokens = [i for span in verbs[:1] for i in range(span.start, span.end)]
        # The first with a roleset, else the first.
        predicates += [i for i in tokens if i in marked][:1] or tokens[:1]
    if len(set(predicates)) == len(spans):
        return predicates
    return marked if len(marked) == len(spans) else None


def _raise_predicates(sentence, layout, values, n_columns):
    name = "target" if "target" in values else "roleset"
    raise InputError(
        f"{sentence.place(0)}: found {describe_columns(n_columns)} of "
        f"arguments, expected {len(_marked(values[name]))}, one for each "
        f"predicate in column {layout.leading.index(name) + 1}"
    )


def _marked(values):
    return [i for i, value in enumerate(values) if value != _NOTHING]


def _document_key(sentence):
    """What differs between sentences of different documents."""
    if sentence.document_line is not None:
        return sentence.document_index, sentence.document_line
    return sentence.document_index, sentence.document


def _document_line(sentence):
    if sentence.document_line is not None:
        return sentence.document_line
    return f"#begin document ({sentence.document or _NOTHING}); part 000"


def _columns(sentence, layout, number):
    """All columns of a sentence, lists of str; `number` is its own."""
    propositions = sentence.propositions
    if "target" in layout.leading:
        # Nothing else tells which column is whose.
        propositions = sorted(propositions, key=lambda item: item.predicate)
    predicates = [proposition.predicate for proposition in propositions]
    if len(set(predicates)) < len(predicates):
        raise ValueError(
            f"{sentence.place()}: found predicates {predicates}, expected each "
            "once"
        )
    return [
        *(_column(sentence, name, number) for name in layout.leading),
        *(
            write_brackets(proposition.arguments, len(sentence))
            for proposition in propositions
        ),
        *(_column(sentence, name, number) for name in layout.trailing),
    ]


def _column(sentence, name, number):
    """The column of a name of the layouts."""
    n_tokens = len(sentence)
    if name == "word":
        if sentence.tokens is None:
            raise InputError(
                f"{sentence.place()}: found no words, expected those of the "
                "sentence"
            )
        return sentence.tokens
    nothing = [_DEFAULTS.get(name, _NOTHING)] * n_tokens
    if name == "pos":
        return sentence.pos or nothing
    if name == "document":
        return [sentence.document or _NOTHING] * n_tokens
    known = sentence.columns.get(name)
    if name == "token":
        return known or list(map(str, range(n_tokens)))
    if name == "sentence":
        return known or [str(number)] * n_tokens
    values = list(known or nothing)
    for proposition in sentence.propositions:
        if name in ("target", "lemma"):
            values[proposition.predicate] = proposition.lemma
        elif name == "roleset":
            values[proposition.predicate] = proposition.roleset or _NOTHING
    return values
