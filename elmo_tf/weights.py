"""Official HDF5 weights files, read and written."""

import dataclasses
from collections.abc import Callable

import h5py
import numpy as np

from elmo_tf.atomic_file import write_hdf5
from elmo_tf.bilm import BiLM
from elmo_tf.checksums import check_files
from elmo_tf.config import N_TRAINING_CHARACTERS
from elmo_tf.config import BiLMConfig
from elmo_tf.errors import InputError
from elmo_tf.hdf5_file import check_dataset_size
from elmo_tf.hdf5_file import find_dataset
from elmo_tf.hdf5_file import open_hdf5
from elmo_tf.hdf5_file import read_floats
from elmo_tf.inference.frozen_weights import FrozenWeights
from elmo_tf.inference.frozen_weights import LSTMWeights
from elmo_tf.layers.character_cnn import CharacterCNN
from elmo_tf.text.vocabulary import Vocabulary

# Beside a weights file. Not *.hdf5: simple_elmo takes any such file in a folder
# for the weights.
SOFTMAX_FILE_NAME = "softmax.h5"

# A word-input biLM's table of token vectors, in the weights file or apart.
_EMBEDDING = "embedding"


@dataclasses.dataclass(frozen=True)
class _Dataset:
    """A dataset of the file and the variables that it holds.

    Attributes:
        name: The dataset's name.
        shape: Its shape in the file.
        variables: The Keras variables.
        to_file: From the variables' arrays to the dataset's.
        from_file: From the dataset's array to a list of the variables'.
    """

    name: str
    shape: tuple
    variables: list
    to_file: Callable = lambda arrays: arrays[0]
    from_file: Callable = lambda array: [array]


def load_bilm(options_file, weights_file, embeddings_file=None):
    """Makes a biLM of an official pair of files.

    Args:
        options_file: The options.json.
        weights_file: The HDF5 file.
        embeddings_file: An HDF5 file with the dataset `embedding` `[words,
            projection_dim]`: makes a word-input biLM, be it in place of the
            character CNN. None: the options decide, and a word-input biLM's
            `embedding` must be in the weights file.

    Returns:
        A built `BiLM`, which computes in float32 whatever Keras' dtype policy.

    Raises:
        InputError: A file is missing, or the two do not fit each other.
    """
    config, embeddings_file = _read_config(
        options_file, weights_file, embeddings_file
    )
    with open_hdf5(weights_file) as file:
        _check_before_building(file, weights_file, config)
    bilm = BiLM(config, dtype="float32", name="bilm")
    bilm.build()
    read_weights(weights_file, bilm, embeddings_file)
    check_files(options_file, weights_file, embeddings_file)
    return bilm


def load_frozen_weights(options_file, weights_file, embeddings_file=None):
    """Opens an official pair of files for embedding.

    Args:
        options_file: As for `load_bilm`.
        weights_file: As for `load_bilm`.
        embeddings_file: As for `load_bilm`.

    Returns:
        The `FrozenWeights`, whose LSTMs are read from the file when they are
        asked for.

    Raises:
        InputError: As `load_bilm`.
    """
    config, embeddings_file = _read_config(
        options_file, weights_file, embeddings_file
    )
    with open_hdf5(weights_file) as file:
        _check_before_building(file, weights_file, config)
    bilm = BiLM(config, dtype="float32", name="bilm")
    bilm.token_encoder.build((None, config.max_characters_per_token))
    with open_hdf5(weights_file) as file:
        values = _read_datasets(
            file,
            weights_file,
            _token_encoder_datasets(bilm.token_encoder),
            embeddings_file,
        )
        _check_other_datasets(file, weights_file, config, bilm.token_encoder)
    _assign(values)
    check_files(options_file, weights_file, embeddings_file)

    def lstm(direction, layer):
        with open_hdf5(weights_file) as file:
            arrays = {
                name.rsplit("/", 1)[1]: _read(file, weights_file, name, shape)
                for name, shape in _lstm_shapes(
                    config, direction, layer
                ).items()
            }
        return LSTMWeights(arrays["W_0"], arrays["B"], arrays.get("W_P_0"))

    return FrozenWeights(config, bilm.token_encoder, lstm)


def _read_config(options_file, weights_file, embeddings_file):
    """The `BiLMConfig`, and the file of a word-input biLM's token vectors."""
    config = BiLMConfig.from_json_file(options_file)
    if config.char_cnn is not None and embeddings_file is None:
        return config, None
    embeddings_file = embeddings_file or weights_file
    config = dataclasses.replace(
        config,
        char_cnn=None,
        n_tokens_vocab=_embedding_rows(
            embeddings_file, config.lstm.projection_dim
        ),
    )
    return config, embeddings_file


def load_vocabulary(vocab_file, bilm):
    """Loads the vocabulary that a word-input biLM needs.

    Args:
        vocab_file: The file, one word a line; None for character input.
        bilm: The `BiLM`.

    Returns:
        The `Vocabulary`; None for character input.

    Raises:
        InputError: There is no file or no need of it, it is none of a
            vocabulary, or it has another number of words than the biLM.
    """
    if bilm.config.char_cnn is not None:
        if vocab_file is not None:
            raise InputError(
                f"vocab_file: found {vocab_file}, but the biLM reads "
                "characters, it needs none"
            )
        return None
    if vocab_file is None:
        raise InputError("vocab_file: a biLM that reads words needs one")
    vocabulary = Vocabulary.load(vocab_file)
    if len(vocabulary) != bilm.config.n_tokens_vocab:
        raise InputError(
            f"{vocab_file}: has {len(vocabulary)} words, but there are "
            f"{bilm.config.n_tokens_vocab} token vectors"
        )
    check_files(vocab_file)
    return vocabulary


def read_weights(path, bilm, embeddings_file=None):
    """Reads an official weights file into a biLM.

    Args:
        path: The HDF5 file.
        bilm: The `BiLM`, built.
        embeddings_file: The HDF5 file of a word-input biLM's `embedding`; None:
            `path`.

    Raises:
        InputError: The file is missing or no HDF5, or a dataset is missing or
            has another shape than the biLM's options ask for; nothing is
            changed then.
    """
    with open_hdf5(path) as file:
        values = _read_datasets(file, path, _datasets(bilm), embeddings_file)
        _check_other_datasets(file, path, bilm.config, bilm.token_encoder)
    _assign(values)


def write_weights(path, bilm):
    """Writes a biLM's weights as an official file, atomically.

    The official tools read it with the options of `BiLMConfig.to_json_file`.
    Where the LSTMs have no projection the file holds an identity matrix in its
    place, without which AllenNLP cannot load it (AllenNLP would clip its output
    too, which shows only where `proj_clip` is below 1).

    Args:
        path: The HDF5 file to write.
        bilm: The `BiLM`, built.
    """
    with write_hdf5(path) as file:
        for dataset in _datasets(bilm):
            arrays = [
                np.asarray(variable.value, np.float32)
                for variable in dataset.variables
            ]
            array = dataset.to_file(arrays)
            assert array.shape == dataset.shape, dataset.name
            file.create_dataset(dataset.name, data=array)
        identity = np.eye(bilm.config.lstm.dim, dtype=np.float32)
        for name in _identity_projections(bilm.config):
            file.create_dataset(name, data=identity)


def read_softmax(path, softmax):
    """Reads a softmax that `write_softmax` wrote.

    Args:
        path: The HDF5 file.
        softmax: The `SampledSoftmax`, built.

    Raises:
        InputError: The file is missing or no HDF5, or has another shape.
    """
    with open_hdf5(path) as file:
        kernel = _read(file, path, "softmax/W", tuple(softmax.kernel.shape))
        bias = _read(file, path, "softmax/b", tuple(softmax.bias.shape))
    check_files(path)
    softmax.kernel.assign(kernel)
    softmax.bias.assign(bias)


def write_softmax(path, softmax):
    """Writes a language model's softmax, which no official file holds.

    Args:
        path: The HDF5 file to write, with the datasets `softmax/W` and
            `softmax/b` in bilm-tf's shapes.
        softmax: The `SampledSoftmax`, built.
    """
    with write_hdf5(path) as file:
        file["softmax/W"] = np.asarray(softmax.kernel.value, np.float32)
        file["softmax/b"] = np.asarray(softmax.bias.value, np.float32)


def _read_datasets(file, path, datasets, embeddings_file):
    """Returns pairs of variables and their arrays."""
    values = []
    for dataset in datasets:
        if dataset.name == _EMBEDDING and embeddings_file is not None:
            array = _read_embedding(embeddings_file, dataset.shape)
        else:
            array = _read(file, path, dataset.name, dataset.shape)
        values += zip(dataset.variables, dataset.from_file(array), strict=True)
    return values


def _assign(values):
    for variable, array in values:
        variable.assign(array)


def _datasets(bilm):
    """Lists the datasets of a biLM's file."""
    datasets = _token_encoder_datasets(bilm.token_encoder)
    for direction, stack in enumerate(bilm.stacks):
        for layer, lstm in enumerate(stack.lstms):
            datasets += _lstm_datasets(lstm, _cell_name(direction, layer))
    return datasets


def _token_encoder_datasets(token_encoder):
    if isinstance(token_encoder, CharacterCNN):
        return _character_cnn_datasets(token_encoder)
    embeddings = token_encoder.embeddings
    return [_Dataset(_EMBEDDING, tuple(embeddings.shape), [embeddings])]


def _character_cnn_datasets(cnn):
    embedding = cnn.character_embedding
    datasets = [_Dataset("char_embed", tuple(embedding.shape), [embedding])]
    for index, (kernel, bias) in enumerate(
        zip(cnn.kernels, cnn.biases, strict=True)
    ):
        datasets += [
            # The file holds kernels of a 2-D convolution of height 1.
            _Dataset(
                f"CNN/W_cnn_{index}",
                (1, *kernel.shape),
                [kernel],
                to_file=lambda arrays: arrays[0][np.newaxis],
                from_file=lambda array: [array[0]],
            ),
            _Dataset(f"CNN/b_cnn_{index}", tuple(bias.shape), [bias]),
        ]
    for index, highway in enumerate(cnn.highways):
        for name, variable in (
            ("W_carry", highway.carry_kernel),
            ("b_carry", highway.carry_bias),
            ("W_transform", highway.transform_kernel),
            ("b_transform", highway.transform_bias),
        ):
            datasets.append(
                _Dataset(
                    f"CNN_high_{index}/{name}",
                    tuple(variable.shape),
                    [variable],
                )
            )
    if cnn.has_projection:
        for name, variable in (
            ("W_proj", cnn.projection_kernel),
            ("b_proj", cnn.projection_bias),
        ):
            datasets.append(
                _Dataset(f"CNN_proj/{name}", tuple(variable.shape), [variable])
            )
    return datasets


def _lstm_datasets(lstm, cell):
    input_dim, gates = lstm.kernel.shape
    datasets = [
        # The file holds the input's rows over the recurrent ones.
        _Dataset(
            f"{cell}/W_0",
            (input_dim + lstm.output_dim, gates),
            [lstm.kernel, lstm.recurrent_kernel],
            to_file=np.concatenate,
            from_file=lambda array: [array[:input_dim], array[input_dim:]],
        ),
        _Dataset(f"{cell}/B", (gates,), [lstm.bias]),
    ]
    if lstm.has_projection:
        kernel = lstm.projection_kernel
        datasets.append(
            _Dataset(f"{cell}/W_P_0", tuple(kernel.shape), [kernel])
        )
    return datasets


def _lstm_shapes(config, direction, layer):
    """An LSTM's datasets by name, with their shapes."""
    lstm = config.lstm
    cell = _cell_name(direction, layer)
    # All layers read vectors as wide as their output.
    shapes = {
        f"{cell}/W_0": (2 * lstm.projection_dim, 4 * lstm.dim),
        f"{cell}/B": (4 * lstm.dim,),
    }
    if lstm.projection_dim != lstm.dim:
        shapes[f"{cell}/W_P_0"] = (lstm.dim, lstm.projection_dim)
    return shapes


def _cells(config):
    """Yields all pairs of a direction and a layer."""
    for direction in range(config.n_directions):
        for layer in range(config.lstm.n_layers):
            yield direction, layer


def _identity_projections(config):
    """Names the projections that a biLM without any has in its file."""
    if config.lstm.projection_dim != config.lstm.dim:
        return
    for cell in _cells(config):
        yield f"{_cell_name(*cell)}/W_P_0"


def _cell_name(direction, layer):
    return f"RNN_{direction}/RNN/MultiRNNCell/Cell{layer}/LSTMCell"


def _embedding_rows(path, dim):
    with open_hdf5(path) as file:
        dataset = find_dataset(file, path, _EMBEDDING)
        if dataset is None:
            raise InputError(
                f"{path}: has no dataset embedding, which a word-input biLM "
                "(options without char_cnn) needs"
            )
        check_dataset_size(dataset, path)
        if dataset.shape[1:] != (dim,) or not dataset.size:
            raise InputError(
                f"{path}: the dataset embedding has the shape {dataset.shape}, "
                f"expected a row of {dim} numbers for each word, by the options"
            )
        return dataset.shape[0]


def _read_embedding(path, shape):
    with open_hdf5(path) as file:
        return _read(file, path, _EMBEDDING, shape)


def _check_before_building(file, path, config):
    """Checks that a file has the options' weights, before memory is taken.

    Options of some bytes may ask for a biLM that no machine can hold.
    """
    if config.char_cnn is not None:
        for name, shape in _character_cnn_shapes(config):
            _check_dataset(file, path, name, shape)
    for cell in _cells(config):
        for name, shape in _lstm_shapes(config, *cell).items():
            _check_dataset(file, path, name, shape)


def _character_cnn_shapes(config):
    """Yields the names and shapes of the character CNN's datasets."""
    char_cnn = config.char_cnn
    width = char_cnn.embedding.dim
    yield "char_embed", (N_TRAINING_CHARACTERS, width)
    for index, (n_characters, count) in enumerate(char_cnn.filters):
        yield f"CNN/W_cnn_{index}", (1, n_characters, width, count)
        yield f"CNN/b_cnn_{index}", (count,)
    n_filters = char_cnn.n_filters
    for index in range(char_cnn.n_highway):
        for gate in ("carry", "transform"):
            yield f"CNN_high_{index}/W_{gate}", (n_filters, n_filters)
            yield f"CNN_high_{index}/b_{gate}", (n_filters,)
    projection_dim = config.lstm.projection_dim
    if n_filters != projection_dim:
        yield "CNN_proj/W_proj", (n_filters, projection_dim)
        yield "CNN_proj/b_proj", (projection_dim,)


def _check_other_datasets(file, path, config, token_encoder):
    """Checks that a file holds the LSTMs of the options, and nothing more.

    A file of a larger biLM would load, and give wrong vectors.
    """
    expected = {
        dataset.name for dataset in _token_encoder_datasets(token_encoder)
    }
    for cell in _cells(config):
        for name, shape in _lstm_shapes(config, *cell).items():
            _check_dataset(file, path, name, shape)
            expected.add(name)
    for name in _identity_projections(config):
        projection = find_dataset(file, path, name)
        if projection is not None and not _is_identity(
            projection, path, config.lstm.dim
        ):
            raise InputError(
                f"{path}: has a projection {name} of shape "
                f"{projection.shape}, but the options say that there is none "
                "(projection_dim equals dim)"
            )
        expected.add(name)
    found = []

    def visit(name, item):
        if isinstance(item, h5py.Dataset):
            found.append(name)

    file.visititems(visit)
    for name in sorted(set(found) - expected):
        # Token vectors may stand in for the character CNN of the same file.
        if name.startswith("RNN_") or (
            name.startswith(("CNN/", "CNN_high_", "CNN_proj/"))
            and config.char_cnn is not None
        ):
            raise InputError(
                f"{path}: has a dataset {name}, of which the options know "
                "nothing; are they those of this file?"
            )


def _is_identity(dataset, path, dim):
    return dataset.shape == (dim, dim) and np.array_equal(
        read_floats(dataset, path), np.eye(dim)
    )


def _check_dataset(file, path, name, shape):
    """Returns a dataset, after checks of all but its values."""
    dataset = find_dataset(file, path, name)
    if dataset is None:
        raise InputError(
            f"{path}: has no dataset {name}, expected one of shape {shape}"
        )
    if dataset.shape != shape:
        raise InputError(
            f"{path}: the dataset {name} has the shape {dataset.shape}, "
            f"expected {shape} by the options"
        )
    check_dataset_size(dataset, path)
    return dataset


def _read(file, path, name, shape):
    return read_floats(_check_dataset(file, path, name, shape), path)
