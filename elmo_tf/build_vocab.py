"""Builds the vocabulary of a corpus of tokenised text.

    python -m elmo_tf.build_vocab --input_path=train/*.txt.gz \\
        --output=vocab.txt --min_count=3

The corpus has one sentence a line, its tokens separated by whitespace. Prints
one line of JSON: the size of the vocabulary, its words (without the special
tokens), the distinct words and the tokens of the text, and the part of the
tokens that the vocabulary covers.
"""

from absl import flags

from elmo_tf import command_line
from elmo_tf.atomic_file import check_output_file
from elmo_tf.reading_progress import ReadingProgress
from elmo_tf.text.shards import list_shards
from elmo_tf.text.vocabulary import SPECIAL_TOKENS
from elmo_tf.text.vocabulary_builder import build_vocabulary

FLAGS = flags.FLAGS

flags.DEFINE_string(
    "input_path", None, "Text files, plain or gzip: paths or globs, by commas."
)
flags.DEFINE_string("output", None, "File to write, one token a line.")
flags.DEFINE_integer(
    "min_count", 1, "Leave out words that occur less often in the text."
)
flags.DEFINE_integer(
    "max_size",
    None,
    "Most tokens to keep, the special tokens included; all by default.",
)


def main(_):
    check_output_file(
        FLAGS.output, list_shards(FLAGS.input_path), label="--output="
    )
    vocabulary, counts = build_vocabulary(
        FLAGS.input_path,
        FLAGS.min_count,
        FLAGS.max_size,
        progress=ReadingProgress(),
    )
    vocabulary.save(FLAGS.output)
    command_line.print_json(
        {
            "size": len(vocabulary),
            "words": len(vocabulary) - len(SPECIAL_TOKENS),
            "distinct_words": counts.distinct_words,
            "tokens": counts.tokens,
            "coverage": round(counts.coverage, 6),
        }
    )


if __name__ == "__main__":
    flags.mark_flags_as_required(["input_path", "output"])
    command_line.run(main)
