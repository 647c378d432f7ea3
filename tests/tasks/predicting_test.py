"""How many examples a batch has when nobody says so."""

import types

import pytest

from tasks import predicting
from tasks.config import TaskDataConfig


class _Task:
    labels = ()
    n_best = None

    def __init__(self, n_examples):
        self.config = types.SimpleNamespace(
            name="ner", test_data=TaskDataConfig(batch_size=n_examples)
        )

    def read_to_predict(self, path):
        return [path] * 5


class _Predictor:
    batch_sizes = []

    def __init__(self, task, models, batch_size):
        self.batch_sizes.append(batch_size)

    def predict(self, examples, makers, progress):
        return [None] * len(examples)


@pytest.mark.parametrize("given, expected", [(None, 3), (7, 7)])
def test_batch_size(monkeypatch, given, expected):
    member = types.SimpleNamespace(
        task=_Task(3),
        model=None,
        elmo_source=None,
        input_maker=lambda examples, name: None,
    )
    monkeypatch.setattr(predicting.TaskModel, "load", lambda *_: (None, member))
    monkeypatch.setattr(predicting, "Predictor", _Predictor)
    predicting.predict_file(["model"], "data", given, with_labels=False)
    assert _Predictor.batch_sizes.pop() == expected
