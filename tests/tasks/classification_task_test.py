"""What tasks that choose one of a few labels have in common."""

import numpy as np

from tasks.sst.experiments import SSTConfig
from tasks.sst.task import SSTTask


def softmax(scores):
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def test_an_ensemble_takes_the_mean_of_probabilities():
    task = SSTTask(SSTConfig())
    scores = 5.0 * np.random.default_rng(0).normal(size=(3, 8, 5))
    # A constant in a member's scores makes no difference.
    scores[1] += 1000.0
    combined = task.combine(
        [None] * 3, [{"scores": member.astype(np.float32)} for member in scores]
    )
    decoded = task.decode(combined)
    expected = softmax(scores).mean(axis=0)
    np.testing.assert_allclose(decoded["probabilities"], expected, atol=1e-4)
    assert [label.decode() for label in decoded["label"].numpy()] == [
        task.labels[place] for place in expected.argmax(axis=-1)
    ]
    # It is not the mean of the scores.
    assert (
        np.abs(softmax(scores.mean(axis=0)) - expected).max(axis=-1) > 0.01
    ).any()
