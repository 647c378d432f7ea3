"""Makes one batch of several requests, and of its outputs their answers."""

import numpy as np
import tensorflow as tf

TOKENS = "tokens"
LENGTHS = "sequence_len"
# Outputs `[batch, time, …]` of signatures that do not give the lengths back.
_OUTPUTS_IN_TIME = frozenset([TOKENS, "tags", "tag_probabilities"])


class RequestJoiner:
    """Makes one batch of several requests, and of its outputs their answers.

    Rows are put below each other. Only what is known to be padding is padded:
    `tokens`, string `[batch, time]`, with empty strings where `sequence_len`
    stands beside it (or both with the same prefix). Other inputs with open axes
    must have the same shape. What the padding adds to the outputs is cut off
    again, so that each answer is what the request would get alone.

    For that it must be known which outputs have an axis of time: of a signature
    that gives `sequence_len` back all those whose second axis is open, else
    those with the names of our taggers' outputs. A signature with any other
    open axis is never joined.

    Args:
        signature: The `Signature`.
    """

    def __init__(self, signature):
        self._signature = signature
        self._open_inputs = [
            name
            for name, spec in signature.inputs.items()
            if _n_open_axes(spec) > 1
        ]
        self._open_outputs = [
            name
            for name, spec in signature.outputs.items()
            if _n_open_axes(spec) > 1
        ]
        self._padded = [
            name for name in self._open_inputs if self._may_be_padded(name)
        ]
        if self._open_outputs and len(self._open_inputs) > 1:
            # Which one's time would an output have?
            self._padded = []
        self._is_possible = self._find_out()

    def key(self, inputs):
        """Says which requests may be joined: those with the same key.

        Args:
            inputs: A dictionary of arrays, checked by `Signature.check`.

        Returns:
            Something hashable, or None: the request must run alone.
        """
        if not self._is_possible:
            return None
        n_rows = {array.shape[0] for array in inputs.values()}
        if len(n_rows) != 1 or 0 in n_rows:
            return None
        return tuple(
            inputs[name].shape[1:]
            for name in self._open_inputs
            if name not in self._padded
        )

    def join(self, requests):
        """Makes one batch.

        Args:
            requests: A list of inputs with the same key.

        Returns:
            The inputs of all rows.
        """
        return {
            name: _concatenate(
                [inputs[name] for inputs in requests], name in self._padded
            )
            for name in self._signature.inputs
        }

    def split(self, outputs, requests):
        """Takes a batch's outputs apart.

        Args:
            outputs: A dictionary of arrays, of what `join` made.
            requests: What it made it of.

        Returns:
            A list of each request's outputs; None where the outputs are not
            laid out as this class takes them to be, and each request must run
            by itself.
        """
        sizes = [n_rows(inputs) for inputs in requests]
        if any(array.shape[:1] != (sum(sizes),) for array in outputs.values()):
            return None
        ends = np.cumsum(sizes)
        answers = [
            {name: array[end - size : end] for name, array in outputs.items()}
            for size, end in zip(sizes, ends, strict=True)
        ]
        if not self._open_outputs:
            return answers
        widths = [
            self._width(*pair) for pair in zip(requests, answers, strict=True)
        ]
        for width, answer in zip(widths, answers, strict=True):
            for name in self._open_outputs:
                array = answer[name]
                if array.shape[1] != max(widths) or np.any(
                    array[:, width:] != _padding(array)
                ):
                    return None
                answer[name] = array[:, :width]
        return answers

    def _may_be_padded(self, name):
        inputs = self._signature.inputs
        lengths = inputs.get(f"{name.removesuffix(TOKENS)}{LENGTHS}")
        return (
            name.endswith(TOKENS)
            and inputs[name].dtype == tf.string
            and inputs[name].shape.rank == 2
            and lengths is not None
            and lengths.dtype.is_integer
            and lengths.shape.rank == 1
        )

    def _find_out(self):
        specs = [
            *self._signature.inputs.values(),
            *self._signature.outputs.values(),
        ]
        if any(
            spec.shape.rank in (None, 0) or spec.shape[0] is not None
            for spec in specs
        ):
            return False
        outputs = [self._signature.outputs[name] for name in self._open_outputs]
        if any(
            _n_open_axes(spec) > 2 or spec.shape[1] is not None
            for spec in outputs
        ):
            return False
        if not outputs:
            return True
        gives_lengths = _are_lengths(self._signature.outputs.get(LENGTHS))
        if not gives_lengths and not _OUTPUTS_IN_TIME.issuperset(
            self._open_outputs
        ):
            return False
        # Raw strings: the outputs must tell how long each row is.
        return bool(
            self._open_inputs or gives_lengths or TOKENS in self._open_outputs
        )

    def _width(self, inputs, answer):
        """How long the outputs' axis of time is of a request alone."""
        if self._open_inputs:
            return inputs[self._open_inputs[0]].shape[1]
        if LENGTHS in answer:
            return int(answer[LENGTHS].max())
        is_token = (answer[TOKENS] != b"").any(axis=0)
        return int(np.flatnonzero(is_token).max(initial=-1)) + 1


def n_rows(inputs):
    """The number of rows of inputs with a key.

    Args:
        inputs: A dictionary of arrays.
    """
    return next(iter(inputs.values())).shape[0]


def _n_open_axes(spec):
    if spec.shape.rank is None:
        return 0
    return sum(size is None for size in spec.shape)


def _are_lengths(spec):
    return spec is not None and spec.shape.rank == 1 and spec.dtype.is_integer


def _padding(array):
    return b"" if array.dtype == object else 0


def _concatenate(arrays, padded):
    if not padded:
        return np.concatenate(arrays)
    width = max(array.shape[1] for array in arrays)
    # [batch, time]
    joined = np.full([sum(map(len, arrays)), width], b"", object)
    start = 0
    for array in arrays:
        joined[start : start + len(array), : array.shape[1]] = array
        start += len(array)
    return joined
