"""Embeds a file of sentences, in the format of `allennlp elmo`.

    python -m elmo_tf.embed --saved_model=saved_model --input=sentences.txt \\
        --output=sentences.hdf5 --layers=all
"""

import sys

from absl import flags

from elmo_tf import command_line
from elmo_tf.atomic_file import check_output_file
from elmo_tf.embedder import LAYERS
from elmo_tf.embedder import Elmo
from elmo_tf.embedding_functions import DEFAULT_WORD_CACHE_SIZE
from elmo_tf.embedding_functions import DTYPES
from elmo_tf.errors import InputError
from elmo_tf.text.corpus_statistics import scan
from elmo_tf.text.shards import check_file
from elmo_tf.training.progress import Progress

FLAGS = flags.FLAGS

flags.DEFINE_string(
    "saved_model",
    None,
    "Folder of the SavedModel, or the name of a pre-trained biLM: mini.",
)
flags.DEFINE_string(
    "options_file", None, "Official options.json, in place of --saved_model."
)
flags.DEFINE_string(
    "weights_file", None, "Official HDF5 file, in place of --saved_model."
)
flags.DEFINE_string(
    "vocab_file",
    None,
    "Vocabulary of a word-input --weights_file, one word a line.",
)
flags.DEFINE_string("input", None, "Text, one sentence a line; or .gz.")
flags.DEFINE_string("output", None, "HDF5 file to write.")
flags.DEFINE_enum("layers", "all", LAYERS, "Which layers to write.")
flags.DEFINE_integer(
    "batch_size",
    None,
    "Most sentences at once, by default as many as the memory is meant for; "
    "without influence on the result.",
    lower_bound=1,
)
flags.DEFINE_integer(
    "word_cache_size",
    DEFAULT_WORD_CACHE_SIZE,
    "How many words to remember, so that the character CNN need not read them "
    "again.",
    lower_bound=0,
)
flags.DEFINE_enum(
    "dtype",
    None,
    DTYPES,
    "Of the weights in --weights_file, by default float32: bfloat16 takes half "
    "the memory and time or less, at some cost in precision. A SavedModel has "
    "its own.",
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
    check_output_file(FLAGS.output, [FLAGS.input], label="--output=")
    # One file, no glob.
    check_file(FLAGS.input, expected="one sentence a line")
    n_sentences = scan([FLAGS.input]).sentences
    elmo = _elmo()
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


def _elmo():
    official_files = (FLAGS.options_file, FLAGS.weights_file)
    if FLAGS.saved_model is None and None not in official_files:
        return Elmo.from_weights(
            *official_files,
            FLAGS.vocab_file,
            dtype=FLAGS.dtype or "float32",
            word_cache_size=FLAGS.word_cache_size,
        )
    if FLAGS.saved_model is None or official_files != (None, None):
        raise InputError(
            "give either --saved_model, or --options_file and --weights_file"
        )
    for name in ("vocab_file", "dtype"):
        if FLAGS[name].value is not None:
            raise InputError(
                f"--{name}={FLAGS[name].value}: is for --weights_file; a "
                "SavedModel has its own"
            )
    return Elmo(FLAGS.saved_model, FLAGS.word_cache_size)


if __name__ == "__main__":
    flags.mark_flags_as_required(["input", "output"])
    command_line.run(main)
