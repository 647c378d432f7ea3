"""Inputs of question answering models that are vectors at once, for tests."""

import keras
import numpy as np

CONTEXT_LENGTHS, QUESTION_LENGTHS = (5, 1, 3), (2, 4, 1)


class GivenVectors:
    """Stands for `tasks.model_inputs.ModelInputs`.

    Args:
        width: Width of the token vectors.
        output_width: Width of what stands beside the encoder's output; None:
            nothing does.
    """

    def __init__(self, width, output_width=None):
        self._output_width = output_width
        self.keras_inputs = {}
        for field in ("context", "question"):
            self._add(f"{field}_mask", [None], "bool")
            self._add(f"{field}_vectors", [None, width], "float32")
            if output_width is not None:
                self._add(f"{field}_more", [None, output_width], "float32")

    def mask(self, field):
        return self.keras_inputs[f"{field}_mask"]

    def token_vectors(self, field):
        return self.keras_inputs[f"{field}_vectors"]

    def with_elmo_output(self, field, vectors):
        if self._output_width is None:
            return vectors
        more = self.keras_inputs[f"{field}_more"]
        return keras.layers.Concatenate()([vectors, more])

    def values(self, n_padding=0, padding=0.0):
        """A batch of the lengths above.

        Args:
            n_padding: How many steps more than the longest text needs.
            padding: What the vectors hold at padding.
        """
        generator = np.random.default_rng(0)
        values = {}
        for field, lengths in (
            ("context", CONTEXT_LENGTHS),
            ("question", QUESTION_LENGTHS),
        ):
            time = max(lengths) + n_padding
            mask = np.arange(time) < np.array(lengths)[:, None]
            values[f"{field}_mask"] = mask
            for name in ("vectors", "more"):
                tensor = self.keras_inputs.get(f"{field}_{name}")
                if tensor is None:
                    continue
                vectors = np.full(
                    [*mask.shape, tensor.shape[-1]], padding, np.float32
                )
                vectors[mask] = generator.normal(
                    size=[mask.sum(), tensor.shape[-1]]
                )
                values[f"{field}_{name}"] = vectors
        return values

    def _add(self, name, shape, dtype):
        self.keras_inputs[name] = keras.Input(shape, dtype=dtype, name=name)


def randomize(model):
    """Gives all weights random values."""
    generator = np.random.default_rng(1)
    for weight in model.weights:
        weight.assign(0.5 * generator.normal(size=weight.shape))


def trimmed(logits):
    """The logits of each context without its padding."""
    return [
        row[:length]
        for row, length in zip(np.asarray(logits), CONTEXT_LENGTHS, strict=True)
    ]
