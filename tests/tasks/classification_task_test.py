"""What tasks that choose one of a few labels have in common."""

import numpy as np
import tensorflow as tf

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


def test_the_exported_model_says_what_the_probabilities_are_of():
    task = SSTTask(SSTConfig())
    scores = np.random.default_rng(1).normal(size=(3, 5)).astype(np.float32)

    @tf.function(input_signature=[tf.TensorSpec([None, 5])])
    def from_scores(scores):
        return task.from_tokens([], lambda _: task.decode({"scores": scores}))

    found = from_scores(scores)
    assert found["labels"].numpy().tolist() == [
        [label.encode() for label in task.labels]
    ] * len(scores)
    for row in range(len(scores)):
        assert (
            found["label"][row]
            == found["labels"][row][int(np.argmax(found["probabilities"][row]))]
        )
    assert from_scores(scores[:0])["labels"].shape == (0, 5)
    # It is known how many there are.
    outputs = from_scores.get_concrete_function().structured_outputs
    assert outputs["labels"].shape.as_list() == [None, 5]
