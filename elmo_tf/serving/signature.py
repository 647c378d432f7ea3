"""What a signature takes and gives."""

import dataclasses

import numpy as np
import tensorflow as tf

from elmo_tf.serving.serving_error import ServingError


@dataclasses.dataclass(frozen=True)
class Signature:
    """What a signature takes and gives.

    Attributes:
        inputs: A dictionary from names to `tf.TensorSpec`.
        outputs: Likewise.
    """

    inputs: dict
    outputs: dict

    @classmethod
    def of_signature_def(cls, signature_def):
        """Reads a `SignatureDef`."""
        return cls(_specs(signature_def.inputs), _specs(signature_def.outputs))

    def check_names(self, names):
        """Checks which inputs are given.

        Args:
            names: The names that are given.

        Raises:
            ServingError: Some are missing, or too many.
        """
        names = set(names)
        extra = sorted(names - self.inputs.keys())
        missing = sorted(self.inputs.keys() - names)
        if extra or missing:
            raise ServingError.invalid(
                "input size does not match signature: "
                f"{len(names)}!={len(self.inputs)} "
                f"len({{{','.join(sorted(names))}}}) != "
                f"len({{{','.join(sorted(self.inputs))}}}). "
                f"Sent extra: {{{','.join(extra)}}}. "
                f"Missing but required: {{{','.join(missing)}}}."
            )

    def check(self, inputs):
        """Checks inputs before they go to the model.

        Args:
            inputs: A dictionary from names to arrays.

        Raises:
            ServingError: A name, dtype or shape is another than it should be.
        """
        self.check_names(inputs)
        for name, spec in self.inputs.items():
            array = inputs[name]
            expected = spec.dtype.as_numpy_dtype
            if array.dtype != np.dtype(expected):
                raise ServingError.invalid(
                    f"input {name}: found {_dtype_name(array.dtype)}, expected "
                    f"{spec.dtype.name}"
                )
            if not spec.shape.is_compatible_with(array.shape):
                raise ServingError.invalid(
                    f"input {name}: found the shape {list(array.shape)}, "
                    f"expected {spec.shape}"
                )


def _dtype_name(dtype):
    return "string" if dtype.hasobject else dtype.name


def _specs(infos):
    return {
        name: tf.TensorSpec(
            tf.TensorShape(info.tensor_shape), tf.as_dtype(info.dtype), name
        )
        for name, info in sorted(infos.items())
    }
