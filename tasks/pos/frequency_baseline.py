r"""Tags each word by itself: what a tagger should do better than.

    python -m tasks.pos.frequency_baseline --train_data=train.conllu \
        --test_data=test.conllu --output=predictions.conllu

learns from one file, predicts the tags of the other, and prints their scores as
one line of JSON, as `tasks.evaluate` does for a trained model. Without --output
the predictions are not kept.
"""

import collections

from absl import flags

from elmo_tf import command_line
from elmo_tf.atomic_file import check_output_file
from elmo_tf.atomic_file import write_file
from tasks.pos import metrics
from tasks.pos.data import read_examples
from tasks.pos.data import write_examples


class FrequencyBaseline:
    """Gives each word the tag that it most often has in training.

    Of tags that are equally frequent it is the one that comes first there. A
    word that does not occur there gets the most frequent tag of all.

    Args:
        examples: A list of `TaggedSentence` with tags, to learn from.

    Attributes:
        known_words: The words that occur there, a set.
    """

    def __init__(self, examples):
        by_word = collections.defaultdict(collections.Counter)
        overall = collections.Counter()
        for example in examples:
            for word, tag in zip(example.tokens, example.tags, strict=True):
                by_word[word][tag] += 1
                overall[tag] += 1
        self._default = _most_frequent(overall)
        self._tags = {
            word: _most_frequent(counter) for word, counter in by_word.items()
        }

    @property
    def known_words(self):
        return self._tags.keys()

    def predict(self, tokens):
        """Predicts the tags of a sentence's tokens, a list."""
        return [self._tags.get(token, self._default) for token in tokens]

    def score(self, examples):
        """Scores the predictions for examples, as `metrics.score` does."""
        predictions = [self.predict(example.tokens) for example in examples]
        return metrics.score(examples, predictions, self.known_words)


def main(_):
    options = flags.FLAGS
    if options.output is not None:
        check_output_file(
            options.output, [options.train_data, options.test_data], "--output="
        )
    baseline = FrequencyBaseline(
        read_examples(options.train_data, options.column)
    )
    examples = read_examples(options.test_data, options.column)
    if options.output is not None:
        with (
            write_file(options.output) as partial,
            open(partial, "w", encoding="utf-8") as file,
        ):
            write_examples(
                examples,
                [baseline.predict(example.tokens) for example in examples],
                options.column,
                file,
            )
    command_line.print_json(baseline.score(examples))


def _most_frequent(counter):
    return counter.most_common(1)[0][0]


if __name__ == "__main__":
    # Not above: whoever imports this module has flags of their own.
    flags.DEFINE_string("train_data", None, "File to learn from.")
    flags.DEFINE_string("test_data", None, "File to predict and score.")
    flags.DEFINE_enum(
        "column", "xpos", ["upos", "xpos"], "Which tags of CoNLL-U files."
    )
    flags.DEFINE_string("output", None, "File to write the predictions to.")
    flags.mark_flags_as_required(["train_data", "test_data"])
    command_line.run(main)
