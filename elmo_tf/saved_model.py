"""Packages a frozen biLM as a SavedModel."""

import os

import tensorflow as tf
from google.protobuf import message
from tensorflow.core.protobuf import saved_model_pb2

from elmo_tf import pretrained
from elmo_tf.atomic_file import write_folder
from elmo_tf.checksums import check_checksums
from elmo_tf.checksums import write_checksums
from elmo_tf.embedding_functions import DEFAULT_WORD_CACHE_SIZE
from elmo_tf.embedding_functions import EmbeddingFunctions
from elmo_tf.errors import InputError
from elmo_tf.file_names import leads_outside
from elmo_tf.serving.warm_up import EXTRA_FOLDER
from elmo_tf.serving.warm_up import bilm_batches
from elmo_tf.serving.warm_up import write_warm_up_requests

OPTIONS_FILE_NAME = "options.json"


def export_saved_model(
    output,
    bilm,
    softmax=None,
    vocabulary=None,
    initial_state=None,
    tokenizer="whitespace",
    dtype="float32",
    word_cache_size=DEFAULT_WORD_CACHE_SIZE,
):
    """Writes a biLM as a SavedModel.

    It loads in a bare TensorFlow process, through `keras.layers.TFSMLayer`
    and through `tensorflow_hub.load`. Its signatures:

        `default`: raw sentences `strings` `[batch]`.
        `tokens`: `tokens` `[batch, time]` and `sequence_len` `[batch]`.
        `character_ids`: `[batch, time, max_characters]`, 0 at padding, without
            sentence boundaries; only with character input.

    give `word_emb` `[batch, time, projection_dim]`, `lstm_outputs1`,
    `lstm_outputs2` … and `elmo` (the layers' mean) `[batch, time, output_dim]`,
    `default` (the mean of `elmo` over real tokens) `[batch, output_dim]`,
    `layers` `[batch, time, n_layers + 1, output_dim]` and `sequence_len`
    `[batch]`; everything is zero at padding. `tokenize` splits `strings` into
    `tokens` and `sequence_len`. With a softmax there are `score` and
    `substitutes` (see `elmo_tf.Elmo`).

    What is loaded has besides a function `flat`, which is no signature, as it
    gives no row for each sentence: it takes what `tokens` takes and gives the
    real tokens alone, one sentence's after the other's: the layers `layer_0`,
    `layer_1` …, each `[tokens, output_dim]`.

    The folder is one that TensorFlow Serving takes as a version of a model, see
    `elmo_tf.serving`: it holds the requests that it is warmed up with.

    Args:
        output: The folder to write; must not exist.
        bilm: The `BiLM`, built.
        softmax: The `SampledSoftmax` of its language model, or None.
        vocabulary: The `Vocabulary`; needed with a softmax or word input.
        initial_state: Each sentence's first state, as `BiLM`'s but with one
            row; None: zeros.
        tokenizer: How `default` splits raw sentences: "whitespace" or
            "penn_treebank".
        dtype: "float32" or "bfloat16", as in `EmbeddingFunctions`.
        word_cache_size: How many words the SavedModel remembers in use, for
            character input; nothing of this is stored.

    Raises:
        InputError: `output` exists, there is no such tokenizer or dtype, or
            `word_cache_size` is negative.
    """
    with write_folder(output) as folder:
        vocabulary_file = None
        if vocabulary is not None:
            # Beside what stays; the SavedModel gets a copy.
            vocabulary_file = os.path.join(os.path.dirname(folder), "vocab.txt")
            vocabulary.save(vocabulary_file)
        functions = EmbeddingFunctions(
            bilm,
            softmax,
            vocabulary_file,
            initial_state,
            tokenizer,
            dtype,
            word_cache_size,
        )
        tf.saved_model.save(
            functions, folder, signatures=functions.signatures()
        )
        char_cnn = bilm.config.char_cnn
        write_warm_up_requests(
            folder,
            bilm_batches(char_cnn and bilm.config.max_characters_per_token),
        )
        bilm.config.to_json_file(
            os.path.join(folder, EXTRA_FOLDER, OPTIONS_FILE_NAME)
        )
        write_checksums(folder)


def load_saved_model(path):
    """Loads a SavedModel of a biLM, or a pre-trained biLM of the package.

    Args:
        path: The SavedModel's folder or, where nothing of that name exists, a
            pre-trained biLM's name.

    Returns:
        The object that `tf.saved_model.load` returns, or one like it.

    Raises:
        InputError: There is no SavedModel, it is damaged, or it is none of a
            biLM.
    """
    path = os.fspath(path)
    names = pretrained.names()
    if not os.path.exists(path):
        if path in names:
            return pretrained.load_pretrained(path)
        message = f"{path}: no such folder"
        if path == os.path.basename(path):
            message += f", nor a pre-trained biLM ({', '.join(names)})"
        raise InputError(message)
    hint = ""
    if path in names:
        hint = (
            f"; it hides the pre-trained biLM {path}: rename it, or work in "
            "another folder"
        )
    loaded = open_saved_model(path, hint)
    tokens = loaded.signatures.get("tokens")
    if tokens is None or "layers" not in tokens.structured_outputs:
        raise InputError(
            f"{path}: not a SavedModel of a biLM: expected a signature tokens "
            "with an output layers, found the signatures "
            f"{', '.join(sorted(loaded.signatures)) or 'none'}"
        )
    if not hasattr(loaded, "flat"):
        raise InputError(
            f"{path}: not a SavedModel of a biLM: expected a function flat, "
            "found none"
        )
    return loaded


def _check_assets(path):
    """Checks that a SavedModel takes no file from outside of its folder."""
    file_name = os.path.join(path, "saved_model.pb")
    if not os.path.exists(file_name):
        # As text, which TensorFlow reads too.
        return
    saved_model = saved_model_pb2.SavedModel()
    try:
        with open(file_name, "rb") as file:
            saved_model.ParseFromString(file.read())
    except (OSError, message.DecodeError):
        # TensorFlow says what is wrong with it.
        return
    for graph in saved_model.meta_graphs:
        for asset in graph.asset_file_def:
            if leads_outside(asset.filename):
                raise InputError(
                    f"{path}: its asset {asset.filename!r} is no file in the "
                    "folder"
                )


def open_saved_model(path, hint=""):
    """Loads a SavedModel of any kind.

    Args:
        path: The SavedModel's folder.
        hint: What to add to the message where there is no SavedModel.

    Returns:
        The object that `tf.saved_model.load` returns.

    Raises:
        InputError: There is no SavedModel, or it is damaged.
    """
    path = os.fspath(path)
    if not os.path.exists(path):
        raise InputError(f"{path}: no such folder{hint}")
    if not tf.saved_model.contains_saved_model(path):
        raise InputError(
            f"{path}: not a SavedModel (no saved_model.pb in it){hint}"
        )
    _check_assets(path)
    try:
        # TensorFlow has sums of its own for the variables' data alone.
        check_checksums(path, but_not="variables/variables.data")
    except InputError as error:
        raise InputError(
            f"{path}: the SavedModel is damaged: {error}"
        ) from None
    try:
        return tf.saved_model.load(path)
    except InputError:
        raise
    except Exception as error:
        # Whatever TensorFlow stumbles over in a file that is not as it was.
        if "[" in path or "\\" in path:
            raise InputError(
                f"{path}: cannot be loaded: TensorFlow takes [ and \\ in a "
                "path for patterns; rename the folder"
            ) from None
        lines = str(error).splitlines() or [type(error).__name__]
        # What a missing file is called stands somewhere in the midst.
        line = next((line for line in lines if path in line), lines[0])
        raise InputError(
            f"{path}: the SavedModel is damaged: {line.strip()}"
        ) from None
