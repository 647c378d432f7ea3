"""The endless, resumable stream of training windows of one direction."""

import os

import numpy as np

from elmo_tf.errors import InputError
from elmo_tf.text import characters
from elmo_tf.text import shards
from elmo_tf.text.shard_cache import ShardCache

_BOS = characters.BOS.encode()
_EOS = characters.EOS.encode()


class CorpusReader:
    """Cuts a corpus into windows for the language model of one direction.

    Each row of the batch is an endless stream of whole sentences
    `<S> w_1 … w_n </S>`, packed back to back without padding: inputs are all
    tokens of a sentence but the last, targets all but the first, so `</S>` is
    never an input and `<S>` never a target. In the backward direction the
    sentence is reversed first and the boundaries change places. A window cuts
    the same number of tokens from each row, in the midst of a sentence if it
    comes so, and goes on there in the next window: LSTM states must be carried
    over. When its sentence is used up a row takes the next one of the stream
    that all rows share, in the order of the rows. A blank line is a sentence
    without words.

    The stream has no end: each pass over the corpus shuffles the shards anew,
    and the sentences of a shard among themselves, as a function of `(seed,
    direction, pass)` alone. The two directions shuffle independently. One
    shard at a time is in memory, as text.

    Source: `_get_batch` and `LMDataset` of bilm-tf, which pick the shards at
    random, with the same layout of the windows.

    Args:
        input_path: The corpus, as in `list_shards`: paths or globs.
        batch_size: Number of rows.
        unroll_steps: Number of tokens of a row in a window.
        seed: Non-negative int, the origin of all shuffling.
        shuffle: Whether to shuffle; False keeps the order of files and lines.
        backward: Whether to read each sentence from its end.
        shard_cache: A `ShardCache` common to several readers, so that a shard
            that they read at the same time is in memory once.

    Raises:
        InputError: If an argument is out of range, or as `list_shards`; the
            other faults of a shard are found when it is loaded (`scan` finds
            them before).
    """

    def __init__(
        self,
        input_path,
        batch_size,
        unroll_steps,
        seed,
        shuffle=True,
        backward=False,
        shard_cache=None,
    ):
        for name, value, minimum in (
            ("batch_size", batch_size, 1),
            ("unroll_steps", unroll_steps, 1),
            ("seed", seed, 0),
        ):
            if value < minimum:
                raise InputError(
                    f"{name}: found {value}, expected at least {minimum}"
                )
        self.batch_size = batch_size
        self.unroll_steps = unroll_steps
        self.seed = seed
        self.shuffle = shuffle
        self.backward = backward
        self._paths = shards.list_shards(input_path)
        self._sizes = [os.path.getsize(path) for path in self._paths]
        # What must be the same for a position to mean the same.
        self._fingerprint = {
            "seed": seed,
            "batch_size": batch_size,
            "backward": backward,
            "shuffle": shuffle,
            # Without the folders: a corpus may move.
            "shards": [
                [os.path.basename(path), size]
                for path, size in zip(self._paths, self._sizes, strict=True)
            ],
        }
        self._shard_cache = shard_cache or ShardCache()
        self._shard = None
        # The sentence of each row, boundaries included, and the position of
        # its next input. The lists are never changed, only replaced.
        self._rows = [[] for _ in range(batch_size)]
        self._row_positions = [0] * batch_size
        self._go_to(pass_number=0, shard_position=0, sentence_position=0)

    def next_window(self):
        """Returns the next window of the stream.

        Returns:
            The tuple `(inputs, targets)` of numpy object arrays
            `[batch_size, unroll_steps]` of tokens (bytes, UTF-8).

        Raises:
            InputError: If the next shard cannot be read or is not what it was
                when the reader was made.
        """
        inputs = []
        targets = []
        for row in range(self.batch_size):
            sentence = self._rows[row]
            position = self._row_positions[row]
            wanted = self.unroll_steps
            while wanted:
                available = len(sentence) - 1 - position
                if available <= 0:
                    sentence = self._next_sentence()
                    position = 0
                    continue
                end = position + min(available, wanted)
                inputs += sentence[position:end]
                targets += sentence[position + 1 : end + 1]
                wanted -= end - position
                position = end
            self._rows[row] = sentence
            self._row_positions[row] = position
        return self._to_array(inputs), self._to_array(targets)

    def state(self):
        """Returns the position in the stream, for `restore`.

        Returns:
            A dict that `json` can write, not changed by later windows. It
            holds the rest of each row's sentence, so restoring does not
            replay the stream.
        """
        return {
            "fingerprint": self._fingerprint,
            "pass": self._pass_number,
            "shard": self._shard_position,
            "sentence": self._sentence_position,
            # A token contains no space.
            "rows": [
                b" ".join(sentence[position:]).decode("utf-8")
                for sentence, position in zip(
                    self._rows, self._row_positions, strict=True
                )
            ],
        }

    def restore(self, state):
        """Continues with the window that followed when `state` was taken.

        Args:
            state: What `state()` returned, in this process or through JSON in
                another.

        Raises:
            InputError: If the state was taken by a reader of other data,
                seed, batch size, direction or shuffling; the message says
                what differs.
        """
        keys = set(self.state())
        if not isinstance(state, dict) or set(state) != keys:
            raise InputError(
                "corpus position: not one saved by CorpusReader.state(), "
                f"which has {', '.join(sorted(keys))}"
            )
        self._check_fingerprint(state["fingerprint"])
        self._rows = [row.encode("utf-8").split() for row in state["rows"]]
        self._row_positions = [0] * self.batch_size
        self._go_to(state["pass"], state["shard"], state["sentence"])

    def _go_to(self, pass_number, shard_position, sentence_position):
        """Sets the position of the shared stream of sentences.

        The sentence position counts within the order of the current shard,
        which is loaded when its first sentence is needed.
        """
        self._pass_number = pass_number
        self._shard_position = shard_position
        self._sentence_position = sentence_position
        self._shard_order = self._order(len(self._paths), pass_number)
        self._sentence_order = None

    def _next_sentence(self):
        """Returns the list of the tokens of the next sentence."""
        if self._sentence_order is None:
            self._load_shard()
        while self._sentence_position == len(self._sentence_order):
            self._go_to_next_shard()
        line = self._sentence_order[self._sentence_position]
        self._sentence_position += 1
        tokens = self._shard.tokens(line)
        if self.backward:
            return [_EOS, *reversed(tokens), _BOS]
        return [_BOS, *tokens, _EOS]

    def _go_to_next_shard(self):
        if self._shard_position + 1 < len(self._paths):
            self._go_to(self._pass_number, self._shard_position + 1, 0)
        else:
            self._go_to(self._pass_number + 1, 0, 0)
        self._load_shard()

    def _load_shard(self):
        """Reads the current shard and shuffles its sentences."""
        index = self._shard_order[self._shard_position]
        path = self._paths[index]
        # A corpus of one shard is read once.
        if self._shard is None or self._shard.source != path:
            # Let go of the old text before the new one is read.
            self._shard = None
            self._shard = self._shard_cache.load(path, self._sizes[index])
        if self._sentence_position > len(self._shard):
            raise InputError(
                f"{path}: has {len(self._shard)} lines, but the corpus "
                f"position was saved after {self._sentence_position} of them"
            )
        self._sentence_order = self._order(
            len(self._shard), self._pass_number, 1 + index
        )

    def _order(self, n, *key):
        """Returns the order of n items, int64 `[n]`, as a function of key.

        A key may not be another one with zeros at its end: numpy takes the
        two for the same.
        """
        if not self.shuffle:
            return np.arange(n)
        generator = np.random.default_rng([self.seed, int(self.backward), *key])
        return generator.permutation(n)

    def _to_array(self, tokens):
        # numpy.array would look for a common type first.
        array = np.empty(len(tokens), object)
        array[:] = tokens
        return array.reshape(self.batch_size, self.unroll_steps)

    def _check_fingerprint(self, saved):
        """Raises InputError if the position is one of another stream."""
        found = self._fingerprint
        for name in ("seed", "batch_size", "backward", "shuffle"):
            if saved.get(name) != found[name]:
                raise InputError(
                    f"corpus position: saved with {name}={saved.get(name)}, "
                    f"found {name}={found[name]}"
                )
        saved_shards = saved.get("shards", [])
        if len(saved_shards) != len(found["shards"]):
            raise InputError(
                f"corpus position: saved for {len(saved_shards)} files, found "
                f"{len(found['shards'])}"
            )
        for path, shard, before in zip(
            self._paths, found["shards"], saved_shards, strict=True
        ):
            if shard != list(before):
                raise InputError(
                    f"{path}: the corpus position was saved for the file "
                    f"{before[0]} of {before[1]} bytes in its place, found "
                    f"{shard[1]} bytes"
                )
