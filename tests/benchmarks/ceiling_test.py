"""Operations of a biLM's matrix products."""

import pytest

from benchmarks import ceiling
from elmo_tf import experiments

ORIGINAL = experiments.original().task.model


def test_operations_of_the_original():
    assert ceiling.operations_per_unit(ORIGINAL) == {
        # 2,048 filters over 7 characters of 16 numbers.
        "window": 2 * 7 * 16 * 2048,
        # Two highway layers with two kernels each, then the projection.
        "word": 2 * (2 * 2 * 2048 * 2048 + 2048 * 512),
        # 512 numbers, into four gates of 4096 units.
        "input": 2 * 512 * 4 * 4096,
        # Two directions of two LSTMs of 4096 units with 512 inputs and outputs,
        # but for the first ones' inputs.
        "step": 2 * 2 * (3 * 512 * 4 * 4096 + 2 * 4096 * 512),
    }


def test_the_products_times_add_up():
    # As if every product ran at 10¹¹ operations a second, but for the fewer
    # rows of a step, which are slower.
    seconds = [
        2 * m * k * n / (1e10 if m < 512 else 1e11)
        for m, k, n in ceiling.shapes(ORIGINAL)
    ]
    found = ceiling.seconds_per_unit(ORIGINAL, seconds)
    for unit, operations in ceiling.operations_per_unit(ORIGINAL).items():
        assert found[unit] == pytest.approx(operations / 1e11)


def test_what_operations_are_needed_for():
    sentences = [["a", "naïve", "a"], ["x" * 60]]
    assert ceiling.count_units(
        ORIGINAL, sentences, {"a", "naïve", "x" * 60}
    ) == {
        # Begin, bytes, end and padding; there are 50 characters at most, with
        # 44 windows.
        "window": (1 + 3) + (6 + 3) + 44,
        "word": 3,
        # In both directions.
        "input": 2 * 3,
        "step": 3 + 1,
    }


def test_where_words_are_narrow_each_is_an_input_of_its_own():
    sentences = [["a", "naïve", "a"], ["a"]]
    config = experiments.small().task.model
    counts = ceiling.count_units(config, sentences, {"a", "naïve"})
    assert counts["input"] == 2 * (3 + 1)
    # Above, in the original, three words were three inputs.
    assert ceiling.count_units(ORIGINAL, sentences, set())["input"] == 2 * 2
