"""Operations of a biLM's matrix products."""

import pytest

from benchmarks import ceiling
from elmo_tf import experiments

ORIGINAL = experiments.original().task.model


def test_operations_of_the_original():
    word, step = ceiling.operations_per_unit(ORIGINAL)
    # Two directions of two LSTMs of 4096 units with 512 inputs and outputs.
    assert step == 2 * 2 * 2 * (2 * 512 * 4 * 4096 + 4096 * 512)
    filters = [(1, 32), (2, 32), (3, 64), (4, 128), (5, 256), (6, 512)]
    filters.append((7, 1024))
    convolutions = sum(2 * (51 - w) * w * 16 * n for w, n in filters)
    highway = 2 * 2 * 2 * 2048 * 2048
    assert word == convolutions + highway + 2 * 2048 * 512


def test_the_products_times_add_up():
    # As if every product ran at 10¹¹ operations a second, but for the fewer
    # rows of a step, which are slower.
    seconds = [
        2 * m * k * n / (1e10 if m < 512 else 1e11)
        for m, k, n in ceiling.shapes(ORIGINAL)
    ]
    word, step = ceiling.seconds_per_unit(ORIGINAL, seconds)
    operations = ceiling.operations_per_unit(ORIGINAL)
    assert word == pytest.approx(operations[0] / 1e11)
    assert step == pytest.approx(operations[1] / 1e11)
