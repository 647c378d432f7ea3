"""How much a server takes upon itself."""

import dataclasses
import math
import re

import grpc

from elmo_tf.serving.serving_error import ServingError

# At least as many as any of our tokenizers finds.
_WORD_OR_MARK = re.compile(r"\w+|[^\w\s]")


@dataclasses.dataclass(frozen=True)
class Limits:
    """How much a server takes upon itself.

    Attributes:
        max_body_bytes: The longest request.
        max_rows: The most rows of a request.
        max_tokens: The most places, rows times the longest row, of an input
            whose rows may have any length; of raw strings the most words and
            punctuation marks.
        max_queue: How many requests may wait for each version of a model.
        timeout: The most seconds a request takes, waiting included.
    """

    max_body_bytes: int = 2**24
    max_rows: int = 256
    max_tokens: int = 2**14
    max_queue: int = 256
    timeout: float = 30.0

    def check_shape(self, name, shape, spec):
        """Checks an input before memory is taken for it.

        Args:
            name: The input's name.
            shape: Its axes, a sequence of int.
            spec: The signature's `tf.TensorSpec`.

        Raises:
            ServingError: The input has another shape than the signature says,
                or is too large.
        """
        known = spec.shape
        if known.rank is None:
            known = [None] * len(shape)
        if len(shape) != len(known) or any(
            size < 0 or size != (size if expected is None else expected)
            for size, expected in zip(shape, known, strict=True)
        ):
            raise ServingError.invalid(
                f"input {name}: found the shape {list(shape)}, expected "
                f"{_describe(spec.shape)}"
            )
        free = [
            size
            for size, expected in zip(shape, known, strict=True)
            if expected is None
        ]
        if free and free[0] > self.max_rows:
            raise _too_large(name, free[0], "rows", self.max_rows)
        # An axis of none still makes no room for others of any length.
        n_places = math.prod(max(size, 1) for size in free)
        if len(free) > 1 and n_places > self.max_tokens:
            raise _too_large(
                name, n_places, "tokens and padding", self.max_tokens
            )

    def check_strings(self, name, values):
        """Checks an input of raw strings.

        Args:
            name: The input's name.
            values: An iterable of bytes.

        Raises:
            ServingError: There are too many words.
        """
        # One by one, as a list of them would be larger than the request.
        n_words = sum(
            1
            for value in values
            for _ in _WORD_OR_MARK.finditer(value.decode("utf-8", "replace"))
        )
        if n_words > self.max_tokens:
            raise _too_large(
                name, n_words, "words and punctuation marks", self.max_tokens
            )


def _describe(shape):
    if shape.rank is None:
        return "any"
    return "[" + ", ".join("?" if n is None else str(n) for n in shape) + "]"


def _too_large(name, found, what, limit):
    return ServingError(
        grpc.StatusCode.INVALID_ARGUMENT,
        f"input {name}: found {found} {what}, at most {limit} are allowed",
    )
