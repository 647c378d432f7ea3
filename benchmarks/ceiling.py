"""What a biLM's matrix products alone would take, at the machine's best."""

import dataclasses

import numpy as np
import tensorflow as tf

from elmo_tf.embedding_batches import batches
from elmo_tf.inference.inference_bilm import shares_inputs
from elmo_tf.inference.input_stretches import InputStretches
from elmo_tf.inference.packed_sequences import PackedSequences

# What operations are done for: each window of characters of a word that is
# read, each such word, each input that a direction's first LSTM is given, each
# token of each sentence.
UNITS = ("window", "word", "input", "step")

# Rows of the products: those of a time step are the sentences of a batch, all
# others have as many as one likes.
_STEP_ROWS = (64, 256, 512)
_MANY_ROWS = (1024,)


@dataclasses.dataclass(frozen=True)
class Product:
    """One kind of matrix product, `[m, k] × [k, n]`.

    Attributes:
        unit: What it is done for, one of `UNITS`.
        m: The candidates for the number of rows; the fastest one counts.
        k: See above.
        n: See above.
        rows: How many rows it takes for each unit.
    """

    unit: str
    m: tuple[int, ...]
    k: int
    n: int
    rows: int

    @property
    def operations(self):
        """Multiplications and additions for each unit."""
        return 2 * self.rows * self.k * self.n


def products(config):
    """Lists the matrix products of a biLM with character input.

    Args:
        config: The `BiLMConfig`.

    Returns:
        A list of `Product`.
    """
    cnn, lstm = config.char_cnn, config.lstm
    n_filters, width = cnn.n_filters, lstm.projection_dim
    # All filters at once, the narrow ones filled up.
    window = _widest(cnn) * cnn.embedding.dim
    found = [Product("window", _MANY_ROWS, window, n_filters, rows=1)]
    if cnn.n_highway:
        # Gate and transform side by side.
        found.append(
            Product("word", _MANY_ROWS, n_filters, 2 * n_filters, cnn.n_highway)
        )
    found.append(Product("word", _MANY_ROWS, n_filters, width, rows=1))
    n_lstms = lstm.n_layers * config.n_directions
    return [
        *found,
        Product("input", _MANY_ROWS, width, 4 * lstm.dim, 1),
        # Of the other LSTMs' inputs, all steps at once; of the state; the
        # projection.
        Product(
            "step",
            _MANY_ROWS,
            width,
            4 * lstm.dim,
            n_lstms - config.n_directions,
        ),
        Product("step", _STEP_ROWS, width, 4 * lstm.dim, n_lstms),
        Product("step", _STEP_ROWS, lstm.dim, width, n_lstms),
    ]


def shapes(config):
    """Lists the shapes [m, k, n] to time, for `seconds_per_unit`."""
    return [
        [m, product.k, product.n]
        for product in products(config)
        for m in product.m
    ]


def seconds_per_unit(config, seconds):
    """Adds up the products' times.

    Args:
        config: The `BiLMConfig`.
        seconds: How long a product of each of `shapes` takes.

    Returns:
        A dictionary of seconds by unit.
    """
    timed = iter(seconds)
    sums = dict.fromkeys(UNITS, 0.0)
    for product in products(config):
        row = min(next(timed) / m for m in product.m)
        sums[product.unit] += row * product.rows
    return sums


def operations_per_unit(config):
    """Adds up the products' operations; a dictionary by unit."""
    sums = dict.fromkeys(UNITS, 0)
    for product in products(config):
        sums[product.unit] += product.operations
    return sums


def count_units(config, sentences, words):
    """Counts what operations are needed for.

    Args:
        config: The `BiLMConfig`.
        sentences: The lists of tokens to embed.
        words: The distinct words that the character CNN must read.

    Returns:
        A dictionary of counts by unit. Windows that lie wholly in the padding
        behind a word are all the same: one counts.
    """
    cnn = config.char_cnn
    most = cnn.max_characters_per_token - _widest(cnn) + 1
    return {
        # Windows begin at the word's begin, its bytes, its end and the padding.
        "window": sum(min(len(word.encode()) + 3, most) for word in words),
        "word": len(words),
        "input": _count_inputs(config, sentences),
        # The step on a sentence boundary is made once for a whole batch.
        "step": sum(len(sentence) for sentence in sentences),
    }


def _count_inputs(config, sentences):
    """How many inputs the first LSTMs multiply, of both directions."""
    if not shares_inputs(config.lstm.projection_dim):
        return config.n_directions * sum(map(len, sentences))
    count = 0
    token_bytes = (config.lstm.n_layers + 1) * config.output_dim * 4
    for chunk, all_indices in batches(sentences, token_bytes):
        for indices in all_indices:
            batch = [chunk[index] for index in indices]
            for reverse in range(config.n_directions):
                count += _count_batch_inputs(batch, reverse == 1)
    return count


def _count_batch_inputs(batch, reverse):
    lengths = [len(sentence) for sentence in batch]
    words, index = np.unique(
        [word for sentence in batch for word in sentence], return_inverse=True
    )
    # [sentences, longest]
    padded = np.zeros([len(batch), max(lengths)], np.int32)
    padded[np.arange(max(lengths)) < np.array(lengths)[:, np.newaxis]] = index
    sequences = PackedSequences(tf.constant(lengths))
    stretches = InputStretches(
        sequences.pack(tf.constant(padded), reverse), sequences, len(words)
    )
    count = stretches.frequent.shape[0]
    step = 0
    while step < sequences.n_steps:
        step, others, _ = stretches.stretch(step)
        count += others.shape[0]
    return count


def _widest(cnn):
    """The width of the widest filters."""
    return max(width for width, _ in cnn.filters)
