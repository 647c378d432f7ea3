"""Embeddings with LSTM states carried from batch to batch."""

import numpy as np
import tensorflow as tf

from elmo_tf.embedder import LAYERS
from elmo_tf.errors import InputError
from elmo_tf.token_batch import call_bilm
from elmo_tf.token_batch import pad_tokens
from elmo_tf.weights import load_bilm


class StatefulElmo:
    """Embeds batches as bilm-tf and AllenNLP did: row states are carried.

    Each row of a batch starts from the state in which that row's last sentence
    ended, so a sentence's vectors depend on what came before: this is for
    parity with results of these tools; `Elmo` gives the same vectors always.
    A batch of b sentences reads and changes the states of the first b rows;
    the others keep theirs.

    Args:
        options_file: The options.json; a character-input biLM.
        weights_file: The HDF5 file.

    Raises:
        InputError: A file is missing, they do not fit each other, or the biLM
            reads words.
    """

    def __init__(self, options_file, weights_file):
        self._bilm = load_bilm(options_file, weights_file)
        if self._bilm.config.char_cnn is None:
            raise InputError(
                f"{options_file}: StatefulElmo needs a biLM that reads "
                "characters, found no char_cnn"
            )
        self.reset()
        state = tf.nest.map_structure(
            lambda part: tf.TensorSpec([None, part.shape[1]], tf.float32),
            self._state,
        )
        self._run = tf.function(
            self._run,
            input_signature=[
                tf.TensorSpec([None, None], tf.string),
                tf.TensorSpec([None], tf.int32),
                state,
            ],
        )

    def embed(self, batch, layers="all"):
        """Embeds one batch, in the order given.

        Args:
            batch: A list of token lists.
            layers: "all", "top", or "average" (the layers' mean).

        Returns:
            A list of a float32 array for each sentence of n tokens:
            `[n_layers, n, output_dim]` for "all", else `[n, output_dim]`.

        Raises:
            InputError: `layers` is none of the above, or a sentence is no list
                of strings.
        """
        if layers not in LAYERS:
            raise InputError(
                f"layers: found {layers!r}, expected one of {', '.join(LAYERS)}"
            )
        for index, tokens in enumerate(batch):
            if not isinstance(tokens, list | tuple) or not all(
                isinstance(token, str) for token in tokens
            ):
                raise InputError(
                    f"batch[{index}]: found {tokens!r:.80}, expected a list of "
                    "strings"
                )
        if not batch:
            return []
        n_rows = len(batch)
        self._grow(n_rows)
        lengths = [len(tokens) for tokens in batch]
        outputs, state = self._run(
            **pad_tokens(batch),
            state=tf.nest.map_structure(
                lambda part: part[:n_rows], self._state
            ),
        )
        self._state = tf.nest.map_structure(
            lambda new, old: tf.concat([new, old[n_rows:]], axis=0),
            state,
            self._state,
        )
        # [batch, n_layers, time, output_dim], without the sentence's begin
        values = np.swapaxes(outputs.numpy()[:, 1:], 1, 2)
        arrays = [
            row[:, :length].copy()
            for row, length in zip(values, lengths, strict=True)
        ]
        if layers == "top":
            return [array[-1] for array in arrays]
        if layers == "average":
            return [array.mean(axis=0) for array in arrays]
        return arrays

    def reset(self):
        """Sets the states of all rows to zero."""
        self._state = self._bilm.zero_state(0)

    def _grow(self, n_rows):
        """Gives rows that have not been used yet a zero state."""
        missing = n_rows - self._state[0][0][0].shape[0]
        if missing > 0:
            self._state = tf.nest.map_structure(
                lambda old, new: tf.concat([old, new], axis=0),
                self._state,
                self._bilm.zero_state(missing),
            )

    def _run(self, tokens, sequence_len, state):
        outputs = call_bilm(self._bilm, tokens, sequence_len, state)
        return outputs["layers"], outputs["final_state"]
