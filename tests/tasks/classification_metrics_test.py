import pytest

from tasks.classification_metrics import score


def test_figures_by_hand():
    gold = ["a", "a", "a", "b", "b", "c"]
    predicted = ["a", "a", "b", "b", "a", "a"]
    assert score(gold, predicted, ("a", "b", "c", "d")) == pytest.approx(
        {
            "accuracy": 3 / 6,
            "macro_f1": (4 / 7 + 1 / 2 + 0) / 3,
            "precision/a": 2 / 4,
            "recall/a": 2 / 3,
            # Two right, of three that are and four that are said to be.
            "f1/a": 4 / 7,
            "precision/b": 1 / 2,
            "recall/b": 1 / 2,
            "f1/b": 1 / 2,
            # Never predicted.
            "precision/c": 0.0,
            "recall/c": 0.0,
            "f1/c": 0.0,
        }
    )


def test_all_right():
    figures = score(["b", "a"], ["b", "a"], ("a", "b"))
    assert set(figures.values()) == {1.0}


def test_predicted_where_there_is_none():
    figures = score(["a"], ["b"], ("a", "b"))
    assert figures["recall/b"] == figures["precision/b"] == 0.0
    assert figures["accuracy"] == figures["macro_f1"] == 0.0
