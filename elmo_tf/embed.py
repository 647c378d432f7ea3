"""Embeds a file of sentences, in the format of `allennlp elmo`.

    python -m elmo_tf.embed --saved_model=saved_model --input=sentences.txt \\
        --output=sentences.hdf5 --layers=all
"""

import sys

from absl import flags

from elmo_tf import command_line
from elmo_tf import embedding_flags
from elmo_tf.atomic_file import check_output_file
from elmo_tf.text.corpus_statistics import scan
from elmo_tf.text.shards import check_file
from elmo_tf.training.progress import Progress

FLAGS = flags.FLAGS

flags.DEFINE_string("input", None, "Text, one sentence a line; or .gz.")
flags.DEFINE_string("output", None, "HDF5 file to write.")
flags.DEFINE_bool(
    "use_sentence_keys", False, "Name the datasets by sentence, not by line."
)


def main(_):
    source = embedding_flags.embedder_source()
    check_output_file(FLAGS.output, [FLAGS.input], label="--output=")
    # One file, no glob.
    check_file(FLAGS.input, expected="one sentence a line")
    n_sentences = scan([FLAGS.input]).sentences
    elmo = source.load()
    progress = Progress(
        n_sentences,
        unit="tokens",
        step_name="sentence",
        file=sys.stderr,
    )
    sentences, tokens = elmo.embed_file(
        FLAGS.input,
        FLAGS.output,
        layers=FLAGS.layers,
        batch_size=FLAGS.batch_size,
        tokenize=FLAGS.tokenize,
        use_sentence_keys=FLAGS.use_sentence_keys,
        forget_sentences=FLAGS.forget_sentences,
        progress=lambda done, n_tokens: progress.update(done, n_tokens, {}),
    )
    command_line.print_json(
        {"output": FLAGS.output, "sentences": sentences, "tokens": tokens}
    )


if __name__ == "__main__":
    flags.mark_flags_as_required(["input", "output"])
    command_line.run(main)
