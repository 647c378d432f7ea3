"""What `elmo_tf.export` does."""

import os

from elmo_tf.atomic_file import write_folder
from elmo_tf.checksums import write_checksums
from elmo_tf.embedding_functions import DTYPES
from elmo_tf.errors import InputError
from elmo_tf.model_dir import OPTIONS_FILE_NAME
from elmo_tf.model_dir import VOCABULARY_FILE_NAME
from elmo_tf.model_dir import load_language_model
from elmo_tf.model_dir import load_typical_state
from elmo_tf.saved_model import export_saved_model
from elmo_tf.serving.model_versions import check_version_flags
from elmo_tf.serving.model_versions import version_folder
from elmo_tf.serving.model_versions import write_server_files
from elmo_tf.text.corpus_statistics import scan
from elmo_tf.text.shards import read_sentences
from elmo_tf.text.tokenizer import TOKENIZERS
from elmo_tf.warm_state import warm_state
from elmo_tf.weights import SOFTMAX_FILE_NAME
from elmo_tf.weights import load_bilm
from elmo_tf.weights import load_vocabulary
from elmo_tf.weights import write_softmax
from elmo_tf.weights import write_weights

FORMATS = ("saved_model", "hdf5")
INITIAL_STATES = ("zero", "warm")
WEIGHTS_FILE_NAME = "weights.hdf5"


def export(
    output,
    output_format="saved_model",
    model_dir=None,
    options_file=None,
    weights_file=None,
    vocab_file=None,
    initial_state="zero",
    warm_text=None,
    tokenizer="whitespace",
    with_softmax=True,
    dtype="float32",
    version=None,
    serving_path=None,
):
    """Exports a biLM; the arguments are the flags of `elmo_tf.export`.

    Args:
        output: The folder to write; must not exist. With `version`, the folder
            of the model's versions, which may exist.
        output_format: "saved_model" or "hdf5".
        model_dir: The pre-training's folder.
        options_file: With `weights_file`, in place of `model_dir`.
        weights_file: The official HDF5 file.
        vocab_file: The vocabulary of a word-input `weights_file`.
        initial_state: "zero" or "warm".
        warm_text: Text for "warm"; None: the training's own states.
        tokenizer: How the SavedModel splits raw sentences.
        with_softmax: Whether to write the softmax of a `model_dir`.
        dtype: "float32" or "bfloat16", of the SavedModel's weights.
        version: The number of the version to write for TensorFlow Serving.
        serving_path: Where the server finds the versions; see
            `elmo_tf.serving.model_versions.write_server_files`.

    Returns:
        A dictionary that says what was written.

    Raises:
        InputError: A file is missing or does not fit, `output` exists, or the
            arguments contradict each other.
    """
    _check_sources(model_dir, options_file, weights_file, vocab_file)
    check_version_flags(version, serving_path)
    folder = output
    if version is not None:
        folder = version_folder(output, version)
    _check_choices(
        folder, output_format, initial_state, tokenizer, dtype, version
    )
    _check_initial_state(initial_state, warm_text, model_dir)
    softmax = vocabulary = model = None
    if model_dir is not None:
        model, vocabulary = load_language_model(model_dir)
        bilm = model.bilm
        if with_softmax:
            softmax = model.softmax
    else:
        bilm = load_bilm(options_file, weights_file)
        vocabulary = load_vocabulary(vocab_file, bilm)
    if output_format == "hdf5":
        _write_official_files(output, bilm, softmax, vocabulary)
    else:
        state = None
        if initial_state == "warm" and warm_text is not None:
            state = warm_state(
                bilm,
                read_sentences(warm_text),
                lookup=vocabulary and vocabulary.lookup,
            )
        elif initial_state == "warm":
            state = load_typical_state(model_dir, model)
        if softmax is None and bilm.config.char_cnn is not None:
            vocabulary = None
        if version is not None:
            # First: the version must be there last, as it is never made again.
            os.makedirs(output, exist_ok=True)
            write_server_files(output, serving_path)
        export_saved_model(
            folder, bilm, softmax, vocabulary, state, tokenizer, dtype
        )
    return {
        "output": os.fspath(folder),
        "format": output_format,
        "n_layers": bilm.config.lstm.n_layers + 1,
        "output_dim": bilm.config.output_dim,
        "softmax": softmax is not None,
        "initial_state": initial_state,
    }


def _check_sources(model_dir, options_file, weights_file, vocab_file):
    """Checks that there is one biLM to export."""
    n_official = (options_file is not None) + (weights_file is not None)
    if (model_dir is None) == (n_official == 0) or n_official == 1:
        raise InputError(
            "give either --model_dir, or --options_file and --weights_file"
        )
    if model_dir is not None and vocab_file is not None:
        raise InputError(
            f"--vocab_file={vocab_file}: is for --weights_file; a --model_dir "
            "has its own"
        )


def _check_choices(
    output, output_format, initial_state, tokenizer, dtype, version
):
    for name, value, choices in (
        ("format", output_format, FORMATS),
        ("initial_state", initial_state, INITIAL_STATES),
        ("tokenizer", tokenizer, TOKENIZERS),
        ("dtype", dtype, DTYPES),
    ):
        if value not in choices:
            raise InputError(
                f"--{name}={value}: expected one of {', '.join(choices)}"
            )
    if output_format == "hdf5" and (
        (initial_state, tokenizer, dtype) != ("zero", "whitespace", "float32")
    ):
        raise InputError(
            "--initial_state, --tokenizer and --dtype are for "
            "--format=saved_model"
        )
    if output_format == "hdf5" and version is not None:
        raise InputError("--version is for --format=saved_model")
    if not output or os.path.lexists(output):
        raise InputError(
            f"--output={output}: "
            + ("exists already" if output else "expected the name of a folder")
        )


def _check_initial_state(initial_state, warm_text, model_dir):
    if warm_text is None:
        if initial_state == "warm" and model_dir is None:
            raise InputError(
                "--initial_state=warm of a weights file needs --warm_text"
            )
        return
    if initial_state != "warm":
        raise InputError("--warm_text is for --initial_state=warm")
    # A mistake in the text shows before anything is loaded.
    scan(warm_text)


def _write_official_files(output, bilm, softmax, vocabulary):
    with write_folder(output) as folder:
        bilm.config.to_json_file(os.path.join(folder, OPTIONS_FILE_NAME))
        write_weights(os.path.join(folder, WEIGHTS_FILE_NAME), bilm)
        if softmax is not None:
            write_softmax(os.path.join(folder, SOFTMAX_FILE_NAME), softmax)
        if vocabulary is not None:
            vocabulary.save(os.path.join(folder, VOCABULARY_FILE_NAME))
        write_checksums(folder)
