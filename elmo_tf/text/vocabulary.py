"""The words that a language model predicts, and their numbers."""

import tensorflow as tf

from elmo_tf.atomic_file import write_file
from elmo_tf.errors import InputError
from elmo_tf.text import shards
from elmo_tf.text.characters import BOS
from elmo_tf.text.characters import EOS
from elmo_tf.text.characters import UNK

SPECIAL_TOKENS = (BOS, EOS, UNK)

# Stands in the vocabulary of the released models, without a number.
MAX_TERM_ID = "!!!MAXTERMID"


class Vocabulary:
    """A list of distinct tokens; the id of a token is its place in the list.

    The sampled softmax takes the ids for frequency ranks: apart from the
    special tokens the list should fall in frequency, as `build_vocabulary`
    makes it. In a file each token is a line, UTF-8.

    Args:
        tokens: Sequence of str, with `<S>`, `</S>` and `<UNK>`.

    Raises:
        InputError: If a token is empty, begins or ends with whitespace,
            contains a space, tab or line end, is there twice, or if a special
            token is missing.
    """

    def __init__(self, tokens):
        self._set_tokens(
            (
                (token, f"vocabulary token {i}")
                for i, token in enumerate(tokens)
            ),
            "vocabulary",
        )

    @classmethod
    def load(cls, path):
        """Reads a vocabulary file, one token a line.

        The line `!!!MAXTERMID` of the released vocabularies is skipped, as in
        bilm-tf.

        Args:
            path: The path of the file, plain or gzip.

        Returns:
            A `Vocabulary`.

        Raises:
            InputError: If the file is missing, empty or not UTF-8, if a line
                is empty, not a single token or there twice, or if a special
                token is missing; with the number of the line.
        """
        shards.check_file(path, expected="one token a line")
        lines = (
            (line.decode("utf-8").strip(), f"{path}:{number}")
            for number, line in enumerate(shards.read_lines(path), 1)
        )
        vocabulary = cls.__new__(cls)
        vocabulary._set_tokens(
            (line for line in lines if line[0] != MAX_TERM_ID), path
        )
        return vocabulary

    def _set_tokens(self, tokens, source):
        """Checks and takes over the tokens.

        Args:
            tokens: Iterable of the tuples (token, where it stands).
            source: Where the whole list stands.
        """
        ids = {}
        places = []
        for token, place in tokens:
            if not token:
                raise InputError(f"{place}: empty, expected a token")
            if token != token.strip() or any(c in token for c in " \t\r\n"):
                raise InputError(
                    f"{place}: found {token!r}, expected one token without "
                    "whitespace"
                )
            if token in ids:
                raise InputError(
                    f"{place}: token {token!r} is already at "
                    f"{places[ids[token]]}, expected distinct tokens"
                )
            ids[token] = len(ids)
            places.append(place)
        for token in SPECIAL_TOKENS:
            if token not in ids:
                raise InputError(
                    f"{source}: no {token} among {len(ids)} tokens, expected "
                    f"the special tokens {', '.join(SPECIAL_TOKENS)}"
                )
        self._ids = ids
        self._tokens = list(ids)
        self._table = None

    def __len__(self):
        return len(self._tokens)

    def __contains__(self, token):
        return token in self._ids

    @property
    def tokens(self):
        """The list of tokens (str), by id."""
        return self._tokens

    @property
    def bos_id(self):
        """The id of `<S>`."""
        return self._ids[BOS]

    @property
    def eos_id(self):
        """The id of `</S>`."""
        return self._ids[EOS]

    @property
    def unk_id(self):
        """The id of `<UNK>`, the id of all tokens that are not here."""
        return self._ids[UNK]

    def id(self, token):
        """Returns the id of a token (str), that of `<UNK>` if it has none."""
        return self._ids.get(token, self.unk_id)

    def save(self, path):
        """Writes the vocabulary, one token a line; never half a file.

        Args:
            path: The path of the file.

        Raises:
            OSError: If the file cannot be written.
        """
        with (
            write_file(path) as partial,
            open(partial, "w", encoding="utf-8", newline="\n") as file,
        ):
            file.writelines(f"{token}\n" for token in self._tokens)

    def lookup_table(self):
        """Returns the table of the ids, for use in a TensorFlow graph.

        Returns:
            A `tf.lookup.StaticHashTable` from string to int64, made once, that
            gives the id of `<UNK>` for other tokens.
        """
        if self._table is None:
            # The table must outlive the function that asks for it first.
            with tf.init_scope():
                self._table = tf.lookup.StaticHashTable(
                    tf.lookup.KeyValueTensorInitializer(
                        tf.constant(self._tokens),
                        tf.range(len(self), dtype=tf.int64),
                    ),
                    default_value=self.unk_id,
                )
        return self._table

    def lookup(self, tokens):
        """Looks up ids in the graph.

        Args:
            tokens: String tensor of any shape `[...]`.

        Returns:
            int32 tensor `[...]`, the id of `<UNK>` for unknown tokens.
        """
        tokens = tf.convert_to_tensor(tokens, tf.string)
        return tf.cast(self.lookup_table().lookup(tokens), tf.int32)
