import pytest

from tasks.sst.metrics import score

LABELS = ["bad", "fair", "good", "superb"]


def test_by_hand():
    gold = ["bad", "bad", "bad", "good", "good", "fair"]
    predicted = ["bad", "bad", "good", "good", "fair", "bad"]
    found = score(gold, predicted, LABELS)
    assert found == pytest.approx(
        {
            "accuracy": 3 / 6,
            "macro_f1": (4 / 6 + 0 + 2 / 4) / 3,
            "precision/bad": 2 / 3,
            "recall/bad": 2 / 3,
            "f1/bad": 4 / 6,
            "precision/fair": 0,
            "recall/fair": 0,
            "f1/fair": 0,
            "precision/good": 1 / 2,
            "recall/good": 1 / 2,
            "f1/good": 2 / 4,
        }
    )
    assert all(type(value) is float for value in found.values())


def test_a_label_that_is_only_predicted_or_only_true():
    found = score(["bad", "good"], ["bad", "superb"], LABELS)
    assert found["macro_f1"] == pytest.approx((1 + 0 + 0) / 3)
    assert found["recall/superb"] == found["precision/good"] == 0
    assert "f1/fair" not in found


def test_all_right():
    found = score(["bad", "good"], ["bad", "good"], LABELS)
    assert set(found.values()) == {1.0}
