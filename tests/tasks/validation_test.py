import math

import pytest

from tasks.validation import Validation


def add(validation, *values):
    return [
        validation.add(10 * (len(validation.history) + 1), {"f1": value})
        for value in values
    ]


def test_the_first_of_the_best():
    validation = Validation("f1")
    assert validation.best is None and validation.last_step == 0
    assert add(validation, 0.2, 0.5, 0.5, 0.1) == [True, True, False, False]
    assert validation.best == {"step": 20, "f1": 0.5}
    assert validation.last_step == 40
    assert validation.n_without_improvement == 2
    assert not validation.is_over


@pytest.mark.parametrize("patience, n", [(1, 3), (2, 4)])
def test_patience(patience, n):
    validation = Validation("f1", patience)
    for value in (0.1, 0.3, 0.2, 0.3, 0.2)[:n]:
        assert not validation.is_over
        add(validation, value)
    assert validation.is_over


def test_what_is_no_number_is_no_improvement():
    validation = Validation("f1", patience=2)
    assert add(validation, math.nan) == [False]
    assert validation.best is None
    assert add(validation, 0.0, math.nan) == [True, False]
    assert validation.best["step"] == 20
    assert validation.n_without_improvement == 1


def test_state():
    validation = Validation("f1", patience=1)
    add(validation, 0.3, 0.2)
    again = Validation("f1", patience=1)
    again.restore_state(validation.save_state())
    assert again.history == validation.history
    assert again.is_over
