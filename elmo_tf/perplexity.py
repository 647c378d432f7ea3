"""The exact perplexity of a language model on a text."""

import dataclasses
import itertools
import math

import numpy as np
import tensorflow as tf

from elmo_tf.language_model_batch import call_language_model
from elmo_tf.text.characters import BOS
from elmo_tf.text.characters import EOS
from elmo_tf.text.shards import read_sentences

_BOS = BOS.encode()
_EOS = EOS.encode()

# Enough batches to group blocks of like length, few enough for the memory.
_BATCHES_SORTED_TOGETHER = 16


@dataclasses.dataclass(frozen=True)
class Perplexity:
    """The perplexity of a text (Peters et al. 2018, section 3.4).

    Attributes:
        forward_perplexity: That of each token given those before it.
        backward_perplexity: That of each token given those after it; None
            without a backward direction.
        average_perplexity: Their arithmetic mean, the paper's figure.
        geometric_perplexity: Their geometric mean, bilm-tf's figure.
        tokens: Number of tokens that each direction predicted: the words and a
            sentence boundary for each sentence.
        unknown_tokens: How many of these are not in the vocabulary, and so
            count as `<UNK>`.
    """

    forward_perplexity: float
    backward_perplexity: float | None
    average_perplexity: float
    geometric_perplexity: float
    tokens: int
    unknown_tokens: int


class PerplexityMeter:
    """Measures perplexities with the exact softmax.

    The text is cut into blocks of `block_sentences` sentences. Each block
    starts from the same state, which is carried from sentence to sentence as in
    training, and every token is predicted once; the batch size says how many
    blocks run side by side, and so does not change the result.

    Args:
        model: The `BiLanguageModel`.
        encoder: The `LanguageModelEncoder`.
        batch_size: Number of blocks side by side.
        block_sentences: Number of sentences in a block; 1: each sentence by
            itself.
        window: Number of tokens of a block at a time.
    """

    def __init__(
        self, model, encoder, batch_size=32, block_sentences=64, window=50
    ):
        self._model = model
        self._encoder = encoder
        self._batch_size = batch_size
        self._block_sentences = block_sentences
        self._window = window
        self._step = tf.function(self._step, reduce_retracing=True)

    def measure(self, sentences, initial_state=None, progress=None):
        """Measures the perplexity of sentences.

        Args:
            sentences: An iterable of lists of tokens (bytes).
            initial_state: Each block's first state, as `BiLM`'s but with one
                row; None: zeros. A model trained on carried states needs some
                sentences to recover from zeros, which shows on a short text.
            progress: Called after each batch with the number of tokens done, in
                all and in this batch.

        Returns:
            A `Perplexity`.

        Raises:
            ValueError: There is no sentence.
        """
        n_directions = self._model.config.n_directions
        if initial_state is None:
            initial_state = self._model.zero_state(1)
        state = tf.nest.map_structure(
            lambda part: tf.repeat(part, self._batch_size, axis=0),
            initial_state,
        )
        loss = np.zeros(n_directions, np.float64)
        tokens = 0
        unknown = 0
        blocks = _blocks(sentences, self._block_sentences)
        group_size = self._batch_size * _BATCHES_SORTED_TOGETHER
        while group := list(itertools.islice(blocks, group_size)):
            # Blocks of like length side by side: less padding.
            group.sort(key=lambda block: sum(map(len, block)))
            for start in range(0, len(group), self._batch_size):
                batch = group[start : start + self._batch_size]
                batch_loss, batch_tokens, batch_unknown = self._measure(
                    batch, state
                )
                loss += batch_loss
                tokens += batch_tokens
                unknown += batch_unknown
                if progress is not None:
                    progress(tokens, batch_tokens)
        if tokens == 0:
            raise ValueError("no sentence to measure the perplexity of")
        means = loss / tokens
        perplexities = [_exp(mean) for mean in means]
        return Perplexity(
            forward_perplexity=perplexities[0],
            backward_perplexity=perplexities[1] if n_directions == 2 else None,
            average_perplexity=sum(perplexities) / n_directions,
            geometric_perplexity=_exp(float(np.mean(means))),
            tokens=tokens,
            unknown_tokens=unknown,
        )

    def measure_files(self, input_path, initial_state=None, progress=None):
        """Measures the perplexity of files of one sentence a line.

        Args:
            input_path: As in `elmo_tf.text.list_shards`.
            initial_state: As in `measure`.
            progress: As in `measure`.

        Returns:
            A `Perplexity`.

        Raises:
            InputError: A file cannot be read.
        """
        return self.measure(read_sentences(input_path), initial_state, progress)

    def _measure(self, blocks, state):
        """Returns a batch's losses `[directions]`, tokens and unknown ones."""
        inputs, targets, mask = self._layout(blocks)
        loss = np.zeros(len(inputs), np.float64)
        unknown = 0
        for start in range(0, mask.shape[-1], self._window):
            part = np.s_[:, :, start : start + self._window]
            batch = self._encoder(inputs[part], targets[part], mask[part])
            losses, n_unknown, state = self._step(
                batch, tf.constant(mask[part]), state
            )
            loss += losses.numpy().astype(np.float64).sum(axis=(1, 2))
            unknown += int(n_unknown)
        return loss, int(mask[0].sum()), unknown

    def _layout(self, blocks):
        """Lays blocks out as rows.

        Returns inputs, targets and mask, `[directions, batch, time]`, time
        being a multiple of the window.
        """
        n_directions = self._model.config.n_directions
        rows = [
            [_stream(block, direction == 1) for block in blocks]
            for direction in range(n_directions)
        ]
        longest = max(len(inputs) for inputs, _ in rows[0])
        time = -(-longest // self._window) * self._window
        shape = (n_directions, self._batch_size, time)
        inputs = np.full(shape, b"", object)
        targets = np.full(shape, b"", object)
        mask = np.zeros(shape, bool)
        for direction, streams in enumerate(rows):
            for row, (row_inputs, row_targets) in enumerate(streams):
                length = len(row_inputs)
                inputs[direction, row, :length] = row_inputs
                targets[direction, row, :length] = row_targets
                mask[direction, row, :length] = True
        return inputs, targets, mask

    def _step(self, batch, mask, state):
        losses, state = call_language_model(
            self._model, batch, mask=mask, initial_state=state, training=False
        )
        unknown = tf.equal(batch["targets"][0], self._encoder.unknown_id)
        n_unknown = tf.reduce_sum(tf.cast(unknown & mask[0], tf.int32))
        return losses, n_unknown, state


def _blocks(sentences, size):
    """Cuts sentences into lists of `size` sentences."""
    sentences = iter(sentences)
    while block := list(itertools.islice(sentences, size)):
        yield block


def _stream(block, is_backward):
    """Packs a block's sentences: the inputs and the next tokens."""
    inputs = []
    targets = []
    for sentence in block:
        tokens = [_BOS, *sentence, _EOS]
        if is_backward:
            tokens.reverse()
        inputs += tokens[:-1]
        targets += tokens[1:]
    return inputs, targets


def _exp(value):
    try:
        return math.exp(value)
    except OverflowError:
        return math.inf
