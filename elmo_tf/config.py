"""The shape of a biLM, read from and written to the official options.json."""

import dataclasses
import json
import typing

import pydantic
from pydantic.dataclasses import dataclass

from elmo_tf.errors import InputError
from elmo_tf.errors import describe_validation_error
from elmo_tf.json_file import read_json
from elmo_tf.json_file import write_json

# Raw bytes, the two sentence boundaries, begin and end of word, and word
# padding. Every id is one higher than in training with bilm-tf, where no id
# was kept for masked tokens: the official files call the two numbers 261 and
# 262, here both are derived.
N_TRAINING_CHARACTERS = 261
N_CHARACTERS = 262

# More than any word has: each has a row of this length.
_MOST_CHARACTERS = 10_000

# Old official files carry keys that say nothing about the shape. JSON has no
# infinity: what is not clipped is null.
_OPTIONS = pydantic.ConfigDict(extra="ignore", allow_inf_nan=False)


@dataclass(frozen=True, config=_OPTIONS)
class LSTMOptions:
    """The `lstm` part of options.json.

    Attributes:
        dim: Number of units of each LSTM (the cell's width).
        projection_dim: Width of each LSTM's output. Equal to `dim`: the LSTMs
            have no projection.
        n_layers: Number of LSTM layers in each direction.
        cell_clip: The cell is clipped to ±`cell_clip`; None: not clipped.
        proj_clip: The projection's output is clipped to ±`proj_clip`; None:
            not clipped.
        use_skip_connections: Whether each layer from the second on adds its
            input to its output.
    """

    dim: pydantic.PositiveInt
    projection_dim: pydantic.PositiveInt
    n_layers: pydantic.PositiveInt = 1
    cell_clip: pydantic.PositiveFloat | None = None
    proj_clip: pydantic.PositiveFloat | None = None
    use_skip_connections: bool = False


@dataclass(frozen=True, config=_OPTIONS)
class CharacterEmbeddingOptions:
    """The `char_cnn.embedding` part of options.json.

    Attributes:
        dim: Width of a character's embedding.
    """

    dim: pydantic.PositiveInt = 16


@dataclass(frozen=True, config=_OPTIONS)
class CharCNNOptions:
    """The `char_cnn` part of options.json.

    Attributes:
        filters: The convolutions, as pairs of width in characters and number
            of filters.
        activation: "relu" or "tanh", applied after the maximum over time.
        n_highway: Number of highway layers.
        embedding: The character embedding's options.
        max_characters_per_token: Length of a token's row of character ids,
            begin and end of word included.
    """

    filters: typing.Annotated[
        tuple[tuple[pydantic.PositiveInt, pydantic.PositiveInt], ...],
        pydantic.Field(min_length=1),
    ]
    activation: typing.Literal["relu", "tanh"] = "relu"
    n_highway: pydantic.NonNegativeInt = 0
    embedding: CharacterEmbeddingOptions = dataclasses.field(
        default_factory=CharacterEmbeddingOptions
    )
    max_characters_per_token: typing.Annotated[
        int, pydantic.Field(ge=3, le=_MOST_CHARACTERS)
    ] = 50

    @property
    def n_filters(self):
        """The number of filters of all widths together."""
        return sum(count for _, count in self.filters)


@dataclass(frozen=True, config=_OPTIONS)
class BiLMConfig:
    """The shape of a biLM (Peters et al. 2018, section 3.4).

    One object serves training and inference: 261 (characters in training with
    bilm-tf, and in the weights file) and 262 (characters at inference) are
    derived, never stored.

    Attributes:
        lstm: The LSTMs.
        char_cnn: The character CNN; None: the biLM reads word ids of a fixed
            vocabulary (`n_tokens_vocab`) in place of characters.
        bidirectional: Whether there is a backward language model.
        dropout: The rate on the input of each LSTM layer and on the last
            layer's output, in training.
        n_tokens_vocab: Number of words in the vocabulary of the softmax (and
            of the word embedding of a word-input biLM); None: unknown, as in
            the options of a released model.
        share_embedding_softmax: Whether a word-input biLM's softmax uses the
            word embedding as its kernel.
    """

    lstm: LSTMOptions
    char_cnn: CharCNNOptions | None = None
    bidirectional: bool = True
    dropout: typing.Annotated[float, pydantic.Field(ge=0.0, lt=1.0)] = 0.0
    n_tokens_vocab: pydantic.PositiveInt | None = None
    share_embedding_softmax: bool = False

    def __post_init__(self):
        if self.lstm.projection_dim > self.lstm.dim:
            raise InputError(
                f"lstm.projection_dim is {self.lstm.projection_dim}, larger "
                f"than lstm.dim ({self.lstm.dim}); it must be at most that"
            )
        if self.share_embedding_softmax and self.char_cnn is not None:
            raise InputError(
                "share_embedding_softmax needs a word-input biLM, but char_cnn "
                "is given"
            )
        if self.char_cnn is not None:
            for width, _ in self.char_cnn.filters:
                if width > self.char_cnn.max_characters_per_token:
                    raise InputError(
                        f"char_cnn.filters has a filter {width} characters "
                        "wide, but char_cnn.max_characters_per_token is "
                        f"{self.char_cnn.max_characters_per_token}"
                    )

    @classmethod
    def from_dict(cls, options, source="the options"):
        """Makes a config of the content of an options.json.

        Keys that say nothing about the shape are ignored. `n_characters`, when
        present, must be 261 or 262 (both are right: see `N_CHARACTERS`).

        Args:
            options: The nested dictionary.
            source: What to call it in error messages, e.g. the file's name.

        Returns:
            A `BiLMConfig`.

        Raises:
            InputError: A value is missing or of the wrong kind.
        """
        if not isinstance(options, dict):
            raise InputError(
                f"{source}: expected an object with the keys 'lstm' and "
                f"'char_cnn', found {type(options).__name__}"
            )
        n_characters = N_CHARACTERS
        if isinstance(options.get("char_cnn"), dict):
            n_characters = options["char_cnn"].get("n_characters", n_characters)
        if n_characters not in (N_TRAINING_CHARACTERS, N_CHARACTERS):
            raise InputError(
                f"{source}: char_cnn.n_characters is {n_characters!r}, "
                f"expected {N_TRAINING_CHARACTERS} or {N_CHARACTERS} (UTF-8 "
                "bytes and the special characters)"
            )
        try:
            return pydantic.TypeAdapter(cls).validate_python(options)
        except pydantic.ValidationError as error:
            raise InputError(
                f"{source}: {describe_validation_error(error)}"
            ) from None
        except InputError as error:
            raise InputError(f"{source}: {error}") from None

    @classmethod
    def from_json_file(cls, path):
        """Reads an options.json, official or written by `to_json_file`.

        Args:
            path: The file.

        Returns:
            A `BiLMConfig`.

        Raises:
            InputError: The file is missing, is no JSON or lacks a value.
        """
        options = read_json(path, "the options of a biLM")
        return cls.from_dict(options, source=str(path))

    def to_dict(self):
        """Returns the nested dictionary that options.json holds.

        `char_cnn.n_characters` is 262, as the official tools want it for
        inference, and `char_cnn` is absent for a word-input biLM.
        """
        options = json.loads(pydantic.TypeAdapter(BiLMConfig).dump_json(self))
        for part in ("lstm",):
            for key in ("cell_clip", "proj_clip"):
                # The official files write whole clip values without a point.
                value = options[part][key]
                if value is not None and float(value).is_integer():
                    options[part][key] = int(value)
        if self.char_cnn is None:
            del options["char_cnn"]
        else:
            options["char_cnn"]["n_characters"] = N_CHARACTERS
        return options

    def to_json_file(self, path):
        """Writes an options.json that the official tools read, atomically.

        Args:
            path: The file to write.
        """
        write_json(path, self.to_dict())

    @property
    def n_directions(self):
        """Two for a bidirectional biLM, else one."""
        return 2 if self.bidirectional else 1

    @property
    def output_dim(self):
        """Width of a layer of the biLM: the directions side by side."""
        return self.n_directions * self.lstm.projection_dim

    @property
    def max_characters_per_token(self):
        """Length of a token's row of character ids; None with word input."""
        if self.char_cnn is None:
            return None
        return self.char_cnn.max_characters_per_token
