"""The flags of the binaries that embed files: the biLM, and what is written."""

from absl import flags

from elmo_tf.embedder import LAYERS
from elmo_tf.embedder_source import EmbedderSource
from elmo_tf.embedding_functions import DEFAULT_WORD_CACHE_SIZE
from elmo_tf.embedding_functions import DTYPES

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
    "forget_sentences", False, "Leave sentence_to_index out of the file."
)


def embedder_source():
    """Returns the `EmbedderSource` that the flags tell of.

    Raises:
        InputError: They do not fit each other.
    """
    return EmbedderSource(
        *(FLAGS.saved_model, FLAGS.options_file, FLAGS.weights_file),
        *(FLAGS.vocab_file, FLAGS.dtype, FLAGS.word_cache_size),
    )
