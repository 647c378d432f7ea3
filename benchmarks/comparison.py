"""How far two implementations' vectors are from each other."""

import dataclasses

import numpy as np


@dataclasses.dataclass(frozen=True)
class LayerDifference:
    """The difference of one layer's vectors.

    The error of a token's vector is the length of the difference, relative to
    the length of the reference's vector.

    Attributes:
        largest_absolute: The largest difference of two numbers.
        largest_relative: The largest error of a vector.
        mean_relative: The mean error of the vectors.
    """

    largest_absolute: float
    largest_relative: float
    mean_relative: float


def compare(vectors, reference):
    """Compares all layers.

    Args:
        vectors: An array `[layers, tokens, dim]`.
        reference: Another.

    Returns:
        A list of a `LayerDifference` for each layer. What is not a number, or a
        different shape, is infinitely far.
    """
    if vectors.shape != reference.shape:
        infinite = LayerDifference(np.inf, np.inf, np.inf)
        return [infinite] * len(reference)
    difference = np.nan_to_num(
        np.abs(vectors - reference).astype(np.float64),
        nan=np.inf,
        posinf=np.inf,
    )
    # [layers, tokens]
    error = np.linalg.norm(difference, axis=-1) / np.linalg.norm(
        reference.astype(np.float64), axis=-1
    )
    return [
        LayerDifference(
            float(difference[layer].max()),
            float(error[layer].max()),
            float(error[layer].mean()),
        )
        for layer in range(len(reference))
    ]


def agree(differences, tolerance):
    """Whether no vector of any layer is further off than the tolerance."""
    return all(found.largest_relative <= tolerance for found in differences)
