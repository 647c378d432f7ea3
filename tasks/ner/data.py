"""Named entities in CoNLL column files."""

import dataclasses

from elmo_tf.errors import InputError
from tasks.text.column_file import read_sentences
from tasks.text.column_sentence import ColumnSentence
from tasks.text.tags import convert
from tasks.text.tags import read_spans_leniently
from tasks.text.tags import recognise_encoding
from tasks.text.tags import write_tags


@dataclasses.dataclass(frozen=True)
class NERExample:
    """A sentence and the tags of its words.

    Attributes:
        tokens: A tuple of n words.
        tags: A tuple of n tags, in the encoding that was asked for; None if
            they were not asked for.
        sentence: The `ColumnSentence` that they stand in.
        encoding: The encoding of the file's tags.
    """

    tokens: tuple
    tags: tuple | None
    sentence: ColumnSentence
    encoding: str


def read_examples(path, encoding, token_column=0, tag_column=-1):
    """Reads a file of tagged sentences.

    Args:
        path: A CoNLL column file, plain or gzip, whose tags are BIO, IOB1 or
            BIOUL: which, is told from them.
        encoding: The encoding to convert the tags to.
        token_column: Which column holds the words, from 0 up.
        tag_column: Which column holds the tags; −1 is the last.

    Returns:
        A list of `NERExample`, at least one.

    Raises:
        InputError: The file cannot be read, a column is missing, or the tags
            are not valid in the encoding that they break least often.
    """
    sentences = list(read_sentences(path))
    tags = [sentence.column(tag_column) for sentence in sentences]
    found = recognise_encoding(tags)
    return [
        NERExample(
            tokens=tuple(sentence.column(token_column)),
            tags=tuple(convert(row, found, encoding, sentence.place)),
            sentence=sentence,
            encoding=found,
        )
        for sentence, row in zip(sentences, tags, strict=True)
    ]


def read_sentences_to_tag(path, token_column=0, tag_column=-1):
    """Reads a file of sentences whose tags may be missing.

    Args:
        path: A CoNLL column file, plain or gzip; words alone will do.
        token_column: Which column holds the words, from 0 up.
        tag_column: Which column holds the tags, if any does; −1 is the last.

    Returns:
        A list of `NERExample` without tags, at least one. Their encoding is the
        one that what stands in the column of the tags breaks least often, BIO
        where that says nothing.

    Raises:
        InputError: The file cannot be read, or there are no words.
    """
    sentences = list(read_sentences(path))
    n_columns = len(sentences[0].rows[0])
    has_tags = (
        -n_columns <= tag_column < n_columns
        # The only column: a word, say I-95, may look like a tag.
        and tag_column % n_columns != token_column
    )
    encoding = recognise_encoding(
        [
            sentence.column(tag_column, may_be_empty=True)
            for sentence in sentences
            if has_tags
        ]
    )
    return [
        NERExample(
            tokens=tuple(sentence.column(token_column)),
            tags=None,
            sentence=sentence,
            encoding=encoding,
        )
        for sentence in sentences
    ]


def classes_of(examples):
    """Lists the classes of the entities of examples, sorted."""
    return sorted(
        {
            span.label
            for example in examples
            for span in read_spans_leniently(example.tags)
        }
    )


def check_classes(examples, classes):
    """Checks that all classes are known.

    Args:
        examples: A list of `NERExample`.
        classes: The classes of the training data.

    Raises:
        InputError: There is another one.
    """
    for example in examples:
        for span in read_spans_leniently(example.tags):
            if span.label not in classes:
                raise InputError(
                    f"{example.sentence.place(span.start)}: found an entity "
                    f"of the class {span.label}, expected one of the training "
                    f"data's: {', '.join(classes)}"
                )


def write_examples(examples, predictions, file):
    """Writes examples with predicted tags as conlleval reads them.

    Args:
        examples: A list of `NERExample`.
        predictions: Each one's predicted tags, in any encoding.
        file: A text file. Gets the columns of the file that was read and one
            more, the predicted tags in the examples' encoding, with tabs
            between them if there are spaces in a column, else spaces.
    """
    rows_of_examples = []
    for example, tags in zip(examples, predictions, strict=True):
        predicted = write_tags(
            read_spans_leniently(tags), len(tags), example.encoding
        )
        rows_of_examples.append(
            [
                (*row, tag)
                for row, tag in zip(
                    example.sentence.rows, predicted, strict=True
                )
            ]
        )
    needs_tabs = any(
        not column or " " in column
        for rows in rows_of_examples
        for row in rows
        for column in row
    )
    separator = "\t" if needs_tabs else " "
    for rows in rows_of_examples:
        for row in rows:
            file.write(separator.join(row) + "\n")
        file.write("\n")
