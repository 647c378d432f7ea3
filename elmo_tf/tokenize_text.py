"""Makes a corpus of running text: one tokenised sentence a line.

    python -m elmo_tf.tokenize_text --input_path=books/*.txt \\
        --output=train.txt.gz

The input is UTF-8 text, plain or gzip; paragraphs have blank lines between
them, and lines may be wrapped anywhere. The output is what `build_vocab` and
`train` read; a name that ends in `.gz` is compressed. Prints one line of JSON:
the numbers of files, of sentences and of tokens.
"""

import gzip

from absl import flags

from elmo_tf import command_line
from elmo_tf.atomic_file import check_output_file
from elmo_tf.atomic_file import write_file
from elmo_tf.errors import InputError
from elmo_tf.reading_progress import ReadingProgress
from elmo_tf.text import shards
from elmo_tf.text.sentences import SENTENCE_BREAKERS
from elmo_tf.text.sentences import read_sentence_batches
from elmo_tf.text.tokenizer import TOKENIZERS
from elmo_tf.text.tokenizer import tokenize

FLAGS = flags.FLAGS

flags.DEFINE_string(
    "input_path", None, "Text files, plain or gzip: paths or globs, by commas."
)
flags.DEFINE_string("output", None, "File to write; .gz at its end compresses.")
flags.DEFINE_enum(
    "tokenizer",
    "penn_treebank",
    TOKENIZERS,
    "How to split a sentence: penn_treebank separates punctuation and English "
    "contractions and turns typographic quotation marks into the Treebank's, "
    "whitespace is for text that is tokenised already.",
)
flags.DEFINE_enum(
    "sentence_breaker",
    "state_based",
    SENTENCE_BREAKERS,
    "How to find sentences: state_based by punctuation inside paragraphs, line "
    "takes each line for one.",
)


def main(_):
    paths = shards.list_shards(FLAGS.input_path)
    check_output_file(FLAGS.output, paths, "--output=")
    with write_file(FLAGS.output) as partial:
        n_sentences, n_tokens = _write(partial, _sentences(paths))
        if not n_tokens:
            raise InputError(
                f"--input_path={FLAGS.input_path}: found no word, expected text"
            )
    command_line.print_json(
        {"files": len(paths), "sentences": n_sentences, "tokens": n_tokens}
    )


def _sentences(paths):
    """Yields each sentence as a list of tokens."""
    advance = shards.progress_over(paths, ReadingProgress())
    for path in paths:
        for batch in read_sentence_batches(
            path, FLAGS.sentence_breaker, advance
        ):
            yield from tokenize(batch, FLAGS.tokenizer).to_list()


def _write(path, sentences):
    """Writes sentences; returns their number and that of the tokens."""
    n_sentences = 0
    n_tokens = 0
    is_gzip = FLAGS.output.endswith(".gz")
    with open(path, "wb") as raw:
        # Without name and time the same text gives the same file.
        file = gzip.GzipFile("", "wb", 6, raw, mtime=0) if is_gzip else raw
        with file:
            for tokens in sentences:
                file.write(b" ".join(tokens) + b"\n")
                n_sentences += 1
                n_tokens += len(tokens)
    return n_sentences, n_tokens


if __name__ == "__main__":
    flags.mark_flags_as_required(["input_path", "output"])
    command_line.run(main)
