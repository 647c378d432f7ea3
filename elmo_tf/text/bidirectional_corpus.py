"""The training windows of both directions."""

from elmo_tf.errors import InputError
from elmo_tf.text.corpus import CorpusReader
from elmo_tf.text.shard_cache import ShardCache


class BidirectionalCorpusReader:
    """Reads the windows of the forward and of the backward language model.

    The two directions are independent streams over the same corpus (see
    `CorpusReader`): at a given step they see different sentences.

    Args:
        input_path: The corpus, as in `list_shards`: paths or globs.
        batch_size: Number of rows of each direction.
        unroll_steps: Number of tokens of a row in a window.
        seed: Non-negative int, the origin of all shuffling.
        shuffle: Whether to shuffle; False keeps the order of files and lines.
        bidirectional: Whether there is a backward direction at all.

    Raises:
        InputError: As `CorpusReader`.
    """

    def __init__(
        self,
        input_path,
        batch_size,
        unroll_steps,
        seed,
        shuffle=True,
        bidirectional=True,
    ):
        shard_cache = ShardCache()
        self._readers = {
            name: CorpusReader(
                input_path,
                batch_size,
                unroll_steps,
                seed,
                shuffle,
                backward,
                shard_cache,
            )
            for name, backward in (("forward", False), ("backward", True))
            if bidirectional or not backward
        }

    def next_window(self):
        """Returns the next window of each direction.

        Returns:
            A dict of numpy object arrays `[batch_size, unroll_steps]` of
            tokens (bytes, UTF-8): `inputs` and `targets` of the forward
            direction, `reverse_inputs` and `reverse_targets` of the backward
            one, if there is one.

        Raises:
            InputError: As `CorpusReader.next_window`.
        """
        window = {}
        for name, reader in self._readers.items():
            prefix = "" if name == "forward" else "reverse_"
            inputs, targets = reader.next_window()
            window[f"{prefix}inputs"] = inputs
            window[f"{prefix}targets"] = targets
        return window

    def state(self):
        """Returns the position in both streams, a dict for JSON."""
        return {name: reader.state() for name, reader in self._readers.items()}

    def restore(self, state):
        """Continues with the window that followed when `state` was taken.

        Args:
            state: What `state()` returned.

        Raises:
            InputError: If the number of directions differs, or as
                `CorpusReader.restore`.
        """
        if not isinstance(state, dict) or set(state) != set(self._readers):
            raise InputError(
                "corpus position: not one saved for the directions "
                f"{' and '.join(self._readers)}"
            )
        for name, reader in self._readers.items():
            reader.restore(state[name])
