"""Scores predicted entities as conlleval does, CoNLL-2003's official script.

    python -m tasks.ner.metrics FILE

reads a file with one token a line and blank lines between sentences, in which
the last two columns are the gold and the predicted tag, and prints one JSON
line. All rates lie between 0 and 1; the script prints them in percent.

An entity is correct if one of the same class with the same first and the same
last token is predicted. For O, B- and I- in any order all figures are those of
the script. It does not know the prefixes L-, U- and S-, and knows E- only
without B-: from BIOUL or IOBES it takes neighbouring entities of a class for
one. Here these count as they would in BIO.
"""

import collections

from absl import flags

from elmo_tf import command_line
from elmo_tf.errors import InputError
from tasks.text import column_file
from tasks.text.tags import read_spans_leniently

# In the first column it ends a sentence, like a blank line.
_BOUNDARY = "-X-"


def main(argv):
    command_line.print_json(score_file(argv[1], flags.FLAGS.delimiter))


def score(gold, predicted):
    """Scores the tags that were predicted for some sentences.

    Args:
        gold: List of the sentences' true tags, each a list.
        predicted: List of their predicted tags, likewise.

    Returns:
        A dict:

        *   accuracy: the share of tokens whose predicted tag is the gold tag;
        *   precision: the share of the predicted entities that are correct;
        *   recall: the share of the gold entities that are predicted;
        *   f1: the harmonic mean of precision and recall;
        *   tokens, phrases, found, correct: the number of tokens, gold
            entities, predicted entities and correct entities;
        *   by_class: a dict from each class of a gold or predicted entity, in
            alphabetical order, to a dict with precision, recall, f1, phrases,
            found and correct.

        A share of nothing is 0.

    Raises:
        InputError: If there are not as many predicted as gold tags, or if
            something is not a tag; with the sentence.
    """
    if len(gold) != len(predicted):
        raise InputError(
            f"found predicted tags of {len(predicted)} sentences, expected "
            f"{len(gold)}"
        )
    return _score(_listed_sentences(gold, predicted))


def score_file(path, delimiter=None):
    r"""Scores the predictions in a file of conlleval's format.

    Args:
        path: The file, plain or gzip: a token a line, with any number of
            columns, the last two of which are the gold and the predicted tag;
            blank lines, or lines with `-X-` in the first column, between
            sentences. `-DOCSTART-` is a token, as the script has it.
        delimiter: What stands between two columns, `\t` for a tab; None: any
            spaces or tabs (see `column_file.read_sentences`).

    Returns:
        The dict of `score`.

    Raises:
        InputError: If the delimiter is empty, if the file cannot be read or
            holds no token, or if a line has fewer than two columns, not as
            many as the first one, or something else in place of a tag; with
            the number of the line.
    """
    if delimiter is not None:
        delimiter = delimiter.replace(r"\t", "\t")
    sentences = column_file.read_sentences(
        path, delimiter=delimiter, document_start=_BOUNDARY
    )
    return _score(
        (sentence.column(-2), sentence.column(-1), sentence.place)
        for sentence in sentences
    )


def _listed_sentences(gold, predicted):
    for number, pair in enumerate(zip(gold, predicted, strict=True), start=1):
        n_gold, n_predicted = map(len, pair)
        if n_gold != n_predicted:
            raise InputError(
                f"sentence {number}: found {n_predicted} predicted tags, "
                f"expected {n_gold}"
            )
        yield *pair, lambda i, number=number: f"sentence {number}, tag {i + 1}"


def _score(sentences):
    # The library seqeval counts no found and no correct entities by class, and
    # reads neither L- nor U-.
    tokens = correct_tokens = 0
    phrases, found, correct = (collections.Counter() for _ in range(3))
    for gold, predicted, place in sentences:
        tokens += len(gold)
        correct_tokens += sum(map(str.__eq__, gold, predicted))
        gold_spans = set(read_spans_leniently(gold, place))
        predicted_spans = set(read_spans_leniently(predicted, place))
        for counter, spans in (
            (phrases, gold_spans),
            (found, predicted_spans),
            (correct, gold_spans & predicted_spans),
        ):
            counter.update(span.label for span in spans)
    return {
        "accuracy": _share(correct_tokens, tokens),
        **_rates(phrases.total(), found.total(), correct.total()),
        "tokens": tokens,
        "by_class": {
            label: _rates(phrases[label], found[label], correct[label])
            for label in sorted(phrases | found)
        },
    }


def _rates(phrases, found, correct):
    return {
        "precision": _share(correct, found),
        "recall": _share(correct, phrases),
        # The harmonic mean of the two.
        "f1": _share(2 * correct, phrases + found),
        "phrases": phrases,
        "found": found,
        "correct": correct,
    }


def _share(part, whole):
    return part / whole if whole else 0.0


if __name__ == "__main__":
    # Not above: whoever imports this module has flags of their own.
    flags.DEFINE_string(
        "delimiter",
        None,
        r"What stands between two columns, \t for a tab; default: any spaces "
        "or tabs.",
    )
    command_line.run(main, arguments=["FILE"])
