"""Reads and writes files with semantic roles.

`tasks.srl.file_layout` says which. What is read can be written again and loses
nothing but documents without sentences and, in `conll2012`, comments.
"""

import os

from elmo_tf.errors import InputError
from elmo_tf.text import shards
from tasks.srl import universal_propbank
from tasks.srl.brackets import read_brackets
from tasks.srl.brackets import write_brackets
from tasks.srl.file_layout import layout_named
from tasks.srl.file_layout import recognise_beginning
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
            sentences, or for Universal PropBank its treebank's CoNLL-U file;
            for a file without words. None: there is none.

    Returns:
        A list of `SRLSentence`, at least one.

    Raises:
        InputError: A file cannot be read or has columns missing; brackets do
            not match; there are not as many predicates as columns of arguments;
            or there are words already, or those of other sentences. With the
            line.
    """
    path = os.fspath(path)
    if layout is None:
        shards.check_file(path, "one token a line")
        lines = (line.decode() for line in shards.read_lines(path))
        layout = recognise_beginning(lines)
    else:
        layout = layout_named(layout)
    if layout is not None and not layout.has_brackets:
        return universal_propbank.read_sentences(path, words_path)
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
        if "word" in layout.leading:
            raise InputError(
                f"{words_path}: found words for {path}, expected none, as that "
                "has some"
            )
        words = _read_words(words_path, sentences)
    return [
        _parse(*pair, layout) for pair in zip(sentences, words, strict=True)
    ]


def write_sentences(sentences, file, layout):
    """Writes sentences, their columns with tabs between them.

    What a sentence does not know stands there as `-`, or as `*` among brackets.
    For Universal PropBank see `universal_propbank.write_sentences`.

    Args:
        sentences: A sequence of `SRLSentence`.
        file: A text file.
        layout: The name of the layout.

    Raises:
        InputError: There is no such layout; it has words and a sentence has
            none; or it has brackets, and arguments of a predicate overlap and
            neither contains the other.
        ValueError: Two propositions have the same predicate.
    """
    layout = layout_named(layout)
    if not layout.has_brackets:
        universal_propbank.write_sentences(sentences, file)
        return
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
    pos = values.pop("pos", ())
    propositions = tuple(
        Proposition(
            predicate=i,
            lemma=lemmas[i] or tokens[i].lower(),
            roleset=rolesets and (rolesets[i] or _NOTHING),
            arguments=arguments,
        )
        for i, arguments in zip(predicates, spans, strict=True)
    )
    if rolesets is not None and set(_marked(rolesets)) - set(predicates):
        # Senses of words that are no predicates here.
        values["roleset"] = tuple(
            None if i in predicates else value
            for i, value in enumerate(rolesets)
        )
    return SRLSentence(
        n_tokens=len(sentence),
        propositions=propositions,
        tokens=tokens,
        pos=tuple(tag or _NOTHING for tag in pos) if any(pos) else None,
        document=values.pop("document", (None,))[0],
        columns=values,
        document_index=sentence.document,
        document_line=sentence.document_line,
        path=sentence.path,
        lines=sentence.lines,
    )


def _read_columns(sentence, layout):
    """What stands in the columns with names, by these; None for nothing."""
    names = layout.leading + layout.trailing
    n_columns = len(sentence.rows[0])
    if n_columns < len(names):
        raise InputError(
            f"{sentence.place(0)}: found {describe_columns(n_columns)}, "
            f"expected at least {len(names)}: {', '.join(names)}"
        )
    columns = {
        name: tuple(sentence.column(i))
        for i, name in (
            *enumerate(layout.leading),
            *enumerate(layout.trailing, start=-len(layout.trailing)),
        )
    }
    return {
        name: values
        if name == "word"
        else tuple(None if value == _NOTHING else value for value in values)
        for name, values in columns.items()
    }


def _predicates_by_verbs(rolesets, spans):
    """The predicates of columns of arguments, by their V; None if unclear.

    OntoNotes has rolesets at words that have no column.
    """
    marked = _marked(rolesets)
    predicates = []
    for arguments in spans:
        # PropBank has a few whose first piece is not the predicate.
        tokens = [
            i
            for label in ("V", "C-V")
            for span in arguments
            if span.label == label
            for i in range(span.start, span.end)
        ]
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
    return [i for i, value in enumerate(values) if value is not None]


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
        *(_write_brackets(sentence, item) for item in propositions),
        *(_column(sentence, name, number) for name in layout.trailing),
    ]


def _write_brackets(sentence, proposition):
    try:
        return write_brackets(proposition.arguments, len(sentence))
    except ValueError as error:
        found = ", ".join(
            f"{span.label} of words {span.start + 1} to {span.end}"
            for span in proposition.arguments
        )
        raise InputError(
            f"{sentence.place(proposition.predicate)}: found {found}, expected "
            "arguments that contain each other or do not overlap, which "
            "brackets can show"
        ) from error


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
    nothing = _DEFAULTS.get(name, _NOTHING)
    if name == "pos":
        return sentence.pos or [nothing] * n_tokens
    if name == "document":
        return [sentence.document or nothing] * n_tokens
    known = sentence.columns.get(name)
    if known is None and name == "token":
        return list(map(str, range(n_tokens)))
    if known is None and name == "sentence":
        return [str(number)] * n_tokens
    values = list(known or [None] * n_tokens)
    for proposition in sentence.propositions:
        # A column of lemmas has those of predicates too.
        if name == "target" or (name == "lemma" and known is None):
            values[proposition.predicate] = proposition.lemma
        elif name == "roleset":
            values[proposition.predicate] = proposition.roleset
    return [nothing if value is None else value for value in values]
