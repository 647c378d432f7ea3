r"""Labels roles by position alone: what a model should do better than.

    python -m tasks.srl.position_baseline --train_data=train.gold_conll \
        --test_data=test.gold_conll --output=predictions.props

learns from one file, predicts the arguments of the other's predicates, and
prints their scores as `tasks.srl.metrics` does, one JSON line. Without --output
the predictions are not kept.
"""

import collections
import dataclasses

from absl import flags

from elmo_tf import command_line
from elmo_tf.atomic_file import check_output_file
from elmo_tf.atomic_file import write_file
from elmo_tf.errors import InputError
from tasks.srl import metrics
from tasks.srl.data import read_sentences
from tasks.srl.data import write_sentences
from tasks.text.span import Span

_MAX_DISTANCE = 5
_CLAUSE_ENDS = (".", ",", ":", "-LRB-", "-RRB-")
# How parts of speech begin that make up a noun phrase without its pronouns.
_NOMINAL = (
    "NN",
    "JJ",
    "DT",
    "PDT",
    "PRP$",
    "POS",
    "CD",
    "$",
    "FW",
    "ADD",
    "GW",
)
_NONE = (None, None)


class PositionBaseline:
    """Gives each position the role that is most frequent there in training.

    The predicate is V. The other tokens make chunks: runs of nouns, adjectives,
    determiners, numbers and the like are one, all else a chunk a token. Where a
    chunk stands is told by its distance from the predicate, in chunks, before
    or after it and no more than five; by what it begins with; and by the
    predicate's part of speech. An argument may begin with each chunk, and
    is either the chunk, or reaches to the predicate or, after that, to the next
    punctuation mark. Whether there is one, which role it has and which of the
    two it is, is what is most frequent at the position in the training data.
    What would overlap with an argument that began before is left out.
    """

    def __init__(self, sentences):
        """Learns what is most frequent.

        Args:
            sentences: A sequence of `SRLSentence` with parts of speech.

        Raises:
            InputError: One has no parts of speech.
        """
        counts = collections.defaultdict(collections.Counter)
        for sentence in sentences:
            for proposition in sentence.propositions:
                by_start = {span.start: span for span in proposition.arguments}
                for position, start, ends in _candidates(sentence, proposition):
                    span = by_start.get(start)
                    outcome = _NONE
                    if span is not None and span.end in ends:
                        outcome = span.label, ends.index(span.end)
                    counts[position][outcome] += 1
        self._outcomes = {
            # Of equals, the one that comes first in the training data.
            position: counter.most_common(1)[0][0]
            for position, counter in counts.items()
        }

    def predict(self, sentence):
        """Predicts the arguments of a sentence's predicates.

        Args:
            sentence: A `SRLSentence` with parts of speech.

        Returns:
            A `SRLSentence` with these arguments and no others.

        Raises:
            InputError: It has no parts of speech.
        """
        return dataclasses.replace(
            sentence,
            propositions=tuple(
                dataclasses.replace(
                    proposition,
                    arguments=tuple(self._arguments(sentence, proposition)),
                )
                for proposition in sentence.propositions
            ),
        )

    def _arguments(self, sentence, proposition):
        predicate = proposition.predicate
        spans = [Span("V", predicate, predicate + 1)]
        covered = 0
        for position, start, ends in _candidates(sentence, proposition):
            label, which = self._outcomes.get(position, _NONE)
            if label is not None and start >= covered:
                covered = ends[which]
                spans.append(Span(label, start, covered))
        return sorted(spans, key=lambda span: span.start)


def main(_):
    options = flags.FLAGS
    if options.output is not None:
        check_output_file(
            options.output, [options.train_data, options.test_data], "--output="
        )
    baseline = PositionBaseline(read_sentences(options.train_data))
    gold = read_sentences(options.test_data)
    predicted = [baseline.predict(sentence) for sentence in gold]
    if options.output is not None:
        with (
            write_file(options.output) as partial,
            open(partial, "w", encoding="utf-8") as file,
        ):
            write_sentences(predicted, file, "props")
    command_line.print_json(metrics.score(gold, predicted))


def _candidates(sentence, proposition):
    """Yields what may be an argument: position, start and the two ends."""
    if sentence.pos is None:
        raise InputError(
            f"{sentence.place()}: found no parts of speech, expected some to "
            "make chunks from"
        )
    predicate = proposition.predicate
    chunks = _chunks(sentence.pos, predicate)
    starts = [start for start, _ in chunks]
    middle = starts.index(predicate)
    for number, (start, end) in enumerate(chunks):
        if number == middle:
            continue
        distance = number - middle
        position = (
            max(-_MAX_DISTANCE, min(distance, _MAX_DISTANCE)),
            _kind(sentence.pos[start]),
            sentence.pos[predicate],
        )
        limit = predicate
        if start > predicate:
            limit = _clause_end(sentence.pos, start)
        # An argument has a token, be it punctuation.
        yield position, start, (end, max(limit, start + 1))


def _chunks(pos, predicate):
    """The (start, end) of the chunks of a sentence."""
    chunks = []
    for i, tag in enumerate(pos):
        if (
            chunks
            and predicate not in (i - 1, i)
            and _kind(tag) == _kind(pos[i - 1]) == "N"
        ):
            chunks[-1] = chunks[-1][0], i + 1
        else:
            chunks.append((i, i + 1))
    return chunks


def _kind(tag):
    return "N" if tag.startswith(_NOMINAL) else tag


def _clause_end(pos, start):
    end = start
    while end < len(pos) and pos[end] not in _CLAUSE_ENDS:
        end += 1
    return end


if __name__ == "__main__":
    # Not above: whoever imports this module has flags of their own.
    flags.DEFINE_string("train_data", None, "File to learn from.")
    flags.DEFINE_string("test_data", None, "File to predict and score.")
    flags.DEFINE_string(
        "output", None, "File to write the predictions to, as props."
    )
    flags.mark_flags_as_required(["train_data", "test_data"])
    command_line.run(main)
