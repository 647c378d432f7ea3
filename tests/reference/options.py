"""Options and weights of biLMs of any shape, in the official formats."""

import h5py
import numpy as np


def make_options(
    dim=8,
    projection_dim=4,
    n_layers=2,
    cell_clip=3,
    proj_clip=3,
    use_skip_connections=True,
    filters=((1, 3), (2, 4), (3, 5)),
    n_highway=1,
    activation="relu",
    embedding_dim=4,
    max_characters=50,
    bidirectional=True,
    word_input=False,
):
    """Returns the dict of an official options file of a small model."""
    options = {
        "lstm": {
            "use_skip_connections": use_skip_connections,
            "projection_dim": projection_dim,
            "cell_clip": cell_clip,
            "proj_clip": proj_clip,
            "dim": dim,
            "n_layers": n_layers,
        },
        "bidirectional": bidirectional,
    }
    if not word_input:
        options["char_cnn"] = {
            "activation": activation,
            "filters": [list(pair) for pair in filters],
            "n_highway": n_highway,
            "embedding": {"dim": embedding_dim},
            "n_characters": 262,
            "max_characters_per_token": max_characters,
        }
    return options


def weight_shapes(options, n_words=None):
    """Returns a dict from each official dataset name to its shape.

    Args:
        options: The dict of options.
        n_words: Rows of the word embedding, where there is no `char_cnn`.
    """
    lstm = options["lstm"]
    dim, projection_dim = lstm["dim"], lstm["projection_dim"]
    shapes = {}
    if "char_cnn" in options:
        char_cnn = options["char_cnn"]
        embedding_dim = char_cnn["embedding"]["dim"]
        shapes["char_embed"] = (261, embedding_dim)
        for i, (width, n) in enumerate(char_cnn["filters"]):
            shapes[f"CNN/W_cnn_{i}"] = (1, width, embedding_dim, n)
            shapes[f"CNN/b_cnn_{i}"] = (n,)
        n_filters = sum(n for _, n in char_cnn["filters"])
        for i in range(char_cnn.get("n_highway") or 0):
            for name in ("carry", "transform"):
                shapes[f"CNN_high_{i}/W_{name}"] = (n_filters, n_filters)
                shapes[f"CNN_high_{i}/b_{name}"] = (n_filters,)
        if n_filters != projection_dim:
            shapes["CNN_proj/W_proj"] = (n_filters, projection_dim)
            shapes["CNN_proj/b_proj"] = (projection_dim,)
    else:
        shapes["embedding"] = (n_words, projection_dim)
    for direction in range(2 if options.get("bidirectional", True) else 1):
        for layer in range(lstm.get("n_layers", 1)):
            cell = f"RNN_{direction}/RNN/MultiRNNCell/Cell{layer}/LSTMCell"
            shapes[f"{cell}/W_0"] = (2 * projection_dim, 4 * dim)
            shapes[f"{cell}/B"] = (4 * dim,)
            if dim != projection_dim:
                shapes[f"{cell}/W_P_0"] = (dim, projection_dim)
    return shapes


def random_weights(options, seed=0, n_words=None, scale=1.0):
    """Returns a dict of random float32 weights in the official names.

    Args:
        options: The dict of options.
        seed: Seed of the generator.
        n_words: Rows of the word embedding, where there is no `char_cnn`.
        scale: Factor on the matrices of the LSTMs: large ones bring the
            clips into play.
    """
    generator = np.random.default_rng(seed)
    weights = {}
    for name, shape in weight_shapes(options, n_words).items():
        value = generator.normal(size=shape)
        if len(shape) > 1 and name not in ("char_embed", "embedding"):
            # Keeps the sum over the inputs near 1.
            value /= np.sqrt(np.prod(shape[:-1]))
        if name.startswith("RNN_") and len(shape) > 1:
            value *= scale
        if len(shape) == 1:
            value *= 0.3
        weights[name] = value.astype(np.float32)
    return weights


def load_weights(path):
    """Returns a dict of all datasets of an HDF5 file by their full names."""
    weights = {}

    def collect(name, item):
        if isinstance(item, h5py.Dataset):
            weights[name] = item[...]

    with h5py.File(path, "r") as file:
        file.visititems(collect)
    return weights


def save_weights(path, weights):
    """Writes a dict of weights to an HDF5 file."""
    with h5py.File(path, "w") as file:
        for name, value in weights.items():
            file.create_dataset(name, data=value)
