"""Vectors of packed elements, of which some may be the same."""

import dataclasses

import tensorflow as tf


@dataclasses.dataclass(frozen=True)
class PackedLayer:
    """A vector for each of some elements.

    Words repeat themselves: their vectors are held once, for the memory.

    Attributes:
        rows: Float32 `[rows, features]`.
        index: int32 `[elements]`: which of the rows each element has; None:
            each has its own.
    """

    rows: tf.Tensor
    index: tf.Tensor | None = None

    def take(self, elements):
        """Takes some elements' vectors.

        Args:
            elements: int32, any shape.

        Returns:
            Float32 `[..., features]`.
        """
        if self.index is not None:
            elements = tf.gather(self.index, elements)
        return tf.gather(self.rows, elements)

    @classmethod
    def concat(cls, layers):
        """Makes one of several, with one's elements after the other's.

        Args:
            layers: A list of `PackedLayer`: either all have the same rows and
                an index, or all have rows of their own.

        Returns:
            A `PackedLayer`.
        """
        if layers[0].index is None:
            return cls(tf.concat([layer.rows for layer in layers], axis=0))
        index = tf.concat([layer.index for layer in layers], axis=0)
        return cls(layers[0].rows, index)
