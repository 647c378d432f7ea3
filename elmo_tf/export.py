"""Exports a biLM as a SavedModel or in the official HDF5 layout.

    python -m elmo_tf.export --model_dir=MODEL_DIR --format=saved_model \\
        --output=saved_model
    python -m elmo_tf.export --options_file=options.json \\
        --weights_file=weights.hdf5 --format=saved_model --output=saved_model
    python -m elmo_tf.export --model_dir=MODEL_DIR --output=models/elmo \\
        --version=1
    python -m elmo_tf.export --model_dir=MODEL_DIR --format=hdf5 \\
        --output=official

The third writes a version for TensorFlow Serving, models/elmo/1, and the
server's models.config and batching_parameters.txt beside it, see
docs/serving.md. The last writes options.json, weights.hdf5, vocab.txt and, in a
file of our own, the softmax, softmax.h5.
"""

from absl import flags

from elmo_tf import command_line
from elmo_tf.embedding_functions import DTYPES
from elmo_tf.exporting import FORMATS
from elmo_tf.exporting import INITIAL_STATES
from elmo_tf.exporting import export
from elmo_tf.text.tokenizer import TOKENIZERS

FLAGS = flags.FLAGS

flags.DEFINE_string("model_dir", None, "Folder of the pre-training.")
flags.DEFINE_string(
    "options_file", None, "Official options.json, in place of --model_dir."
)
flags.DEFINE_string(
    "weights_file", None, "Official HDF5 file, in place of --model_dir."
)
flags.DEFINE_string(
    "vocab_file",
    None,
    "Vocabulary of a word-input --weights_file, one word a line.",
)
flags.DEFINE_enum("format", "saved_model", FORMATS, "What to write.")
flags.DEFINE_string(
    "output",
    None,
    "Folder to write; must not exist. With --version: the folder of the "
    "model's versions, whose name is the model's.",
)
flags.DEFINE_integer(
    "version",
    None,
    "Number of the version to write for TensorFlow Serving, 1 or more.",
)
flags.DEFINE_string(
    "serving_path",
    None,
    "With --version: where the server finds the folder of versions, for "
    "models.config; by default /models/NAME.",
)
flags.DEFINE_enum(
    "initial_state",
    "zero",
    INITIAL_STATES,
    "State that the SavedModel starts each sentence from: zero; or warm, the "
    "mean of the states that sentences of --warm_text end in or, without it, "
    "of those that the training carried.",
)
flags.DEFINE_string(
    "warm_text", None, "Text for --initial_state=warm, as --input_path."
)
flags.DEFINE_enum(
    "tokenizer",
    "whitespace",
    TOKENIZERS,
    "How the SavedModel splits raw sentences.",
)
flags.DEFINE_enum(
    "dtype",
    "float32",
    DTYPES,
    "Of the SavedModel's weights: bfloat16 takes half the memory and time or "
    "less, at some cost in precision.",
)
flags.DEFINE_bool(
    "softmax",
    True,
    "Whether to write the softmax too, which scoring and substitutes need.",
)


def main(_):
    command_line.print_json(
        export(
            FLAGS.output,
            FLAGS.format,
            model_dir=FLAGS.model_dir,
            options_file=FLAGS.options_file,
            weights_file=FLAGS.weights_file,
            vocab_file=FLAGS.vocab_file,
            initial_state=FLAGS.initial_state,
            warm_text=FLAGS.warm_text,
            tokenizer=FLAGS.tokenizer,
            with_softmax=FLAGS.softmax,
            dtype=FLAGS.dtype,
            version=FLAGS.version,
            serving_path=FLAGS.serving_path,
        )
    )


if __name__ == "__main__":
    flags.mark_flags_as_required(["output"])
    command_line.run(main)
