"""What a pre-training's checkpoint holds besides variables."""

import io

import numpy as np
import tensorflow as tf

_READER_STATE = "reader_state"


def pack_state(reader_state, lstm_state):
    """Packs the position in the data and the LSTM state.

    Args:
        reader_state: The position, a string.
        lstm_state: Nested lists of float32 `[global_batch_size, …]`. Its rows
            are those of the global batch, so any number of replicas can go on
            with it.

    Returns:
        Bytes: an npz archive.
    """
    arrays = {
        f"lstm_state_{index}": np.asarray(part)
        for index, part in enumerate(tf.nest.flatten(lstm_state))
    }
    arrays[_READER_STATE] = np.frombuffer(
        reader_state.encode("utf-8"), np.uint8
    )
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def unpack_state(packed, structure):
    """Unpacks what `pack_state` packed.

    Args:
        packed: The bytes.
        structure: A nested list in the LSTM state's structure.

    Returns:
        A tuple of the position and the LSTM state, NumPy arrays.
    """
    arrays = np.load(io.BytesIO(packed))
    n_parts = len(tf.nest.flatten(structure))
    lstm_state = tf.nest.pack_sequence_as(
        structure, [arrays[f"lstm_state_{index}"] for index in range(n_parts)]
    )
    return arrays[_READER_STATE].tobytes().decode("utf-8"), lstm_state


def typical_state(lstm_state):
    """Averages the rows of an LSTM state.

    In training states are carried for ever, so a model hardly knows the zero
    state; until it has read several sentences from there its predictions may
    be far off. The mean of the states that it carried is a better start.

    Args:
        lstm_state: Nested lists of `[rows, …]`.

    Returns:
        The same structure of float32 `[1, …]`.
    """
    return tf.nest.map_structure(
        lambda part: np.mean(
            np.asarray(part), axis=0, keepdims=True, dtype=np.float64
        ).astype(np.float32),
        lstm_state,
    )
