"""Embeds a file of sentences, in the format of `allennlp elmo`.

    python -m elmo_tf.embed --saved_model=saved_model --input=sentences.txt \\
        --output=sentences.hdf5 --layers=all
"""

import sys

from absl import flags

from elmo_tf import command_line
from elmo_tf.embedder import LAYERS
from elmo_tf.embedder import Elmo
from elmo_tf.errors import InputError
from elmo_tf.text.corpus_statistics import scan
from elmo_tf.training.progress import Progress

FLAGS = flags.FLAGS

flags.DEFINE_string("saved_model", None, "Folder of the SavedModel.")
flags.DEFINE_string(
    "options_file", None, "Official options.json, in place of --saved_model."
)
flags.DEFINE_string(
    "weights_file", None, "Official HDF5 file, in place of --saved_model."
)
flags.DEFINE_string("input", None, "Text, one sentence a line; or .gz.")
flags.DEFINE_string("output", None, "HDF5 file to write.")
flags.DEFINE_enum("layers", "all", LAYERS, "Which layers to write.")
flags.DEFINE_integer(
    "batch_size", 64, "Number of sentences at once.", lower_bound=1
)
flags.DEFINE_bool(
    "tokenize",
    False,
    "Split lines as the SavedModel splits raw sentences; else they are tokens "
    "with spaces between them.",
)
flags.DEFINE_bool(
    "use_sentence_keys", False, "Name the datasets by sentence, not by line."
)
flags.DEFINE_bool(
    "forget_sentences", False, "Leave sentence_to_index out of the file."
)


def main(_):
    if FLAGS.saved_model is not None:
        if FLAGS.options_file or FLAGS.weights_file:
            raise InputError(
                "give either --saved_model, or --options_file and "
                "--weights_file"
            )
        elmo = Elmo(FLAGS.saved_model)
    elif FLAGS.options_file and FLAGS.weights_file:
        elmo = Elmo.from_weights(FLAGS.options_file, FLAGS.weights_file)
    else:
        raise InputError(
            "give either --saved_model, or --options_file and --weights_file"
        )
    progress = Progress(
        scan([FLAGS.input]).sentences,
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
