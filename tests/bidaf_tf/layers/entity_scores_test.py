import numpy as np
import pytest
import tensorflow as tf

from bidaf_tf.layers.entity_scores import EntityScores
from tests import layer_checks
from tests.reference import cloze as reference_lib

TEXTS = np.array(
    [[0, 1, -1, 2, 0, -1], [-1] * 6, [0, 0, -1, -1, -1, -1]], np.int32
)
# Windows of width 3 around each mention, left to right.
ENTITIES = np.array(
    [
        [0, 1, -1],
        [0, 1, -1],
        [-1, 2, 0],
        [2, 0, -1],
        [0, 0, -1],
        [0, 0, -1],
    ],
    np.int32,
)
ROWS = np.array([0, 0, 0, 0, 2, 2], np.int32)


def inputs_of(scale=1.0):
    generator = np.random.default_rng(0)
    logits = scale * generator.normal(size=ENTITIES.shape)
    return {
        "logits": logits.astype(np.float32),
        "entities": ENTITIES,
        "rows": ROWS,
        "texts": TEXTS,
    }


def expected_probabilities(logits, row):
    return reference_lib.entity_probabilities(
        logits[ROWS == row].astype(np.float64), ENTITIES[ROWS == row]
    )


def test_sums():
    inputs = inputs_of()
    scores = layer_checks.call(EntityScores(), inputs)
    assert scores.shape == (3, 3)
    shares = tf.nn.softmax(scores).numpy()
    for row in (0, 2):
        expected = expected_probabilities(inputs["logits"], row)
        for entity in range(3):
            assert shares[row, entity] == pytest.approx(
                expected.get(entity, 0.0), rel=1e-5
            )
    np.testing.assert_allclose(scores[1], [-1e30] * 3)
    np.testing.assert_allclose(scores[2, 1:], [-1e30] * 2)


def test_gradient_of_the_loss():
    """That of −log of the sum, also where a share is as good as zero."""
    inputs = inputs_of(scale=200.0)
    logits = tf.constant(inputs["logits"])
    answers = [2, 0, 0]
    with tf.GradientTape() as tape:
        tape.watch(logits)
        scores = EntityScores()(
            logits, **{k: v for k, v in inputs.items() if k != "logits"}
        )
        loss = tf.nn.sparse_softmax_cross_entropy_with_logits(answers, scores)
    gradient = tape.gradient(loss, logits).numpy()
    assert np.isfinite(loss).all()
    expected = np.zeros_like(gradient)
    for row, answer in enumerate(answers):
        # share − share among the answer's occurrences
        for chosen, sign in ((ENTITIES >= 0, 1), (ENTITIES == answer, -1)):
            chosen = chosen & (ROWS == row)[:, None]
            if not chosen.any():
                continue
            values = inputs["logits"][chosen].astype(np.float64)
            values = np.exp(values - values.max())
            expected[chosen] += sign * values / values.sum()
    np.testing.assert_allclose(gradient, expected, atol=1e-5)


def test_words_that_are_no_entities_make_no_difference():
    inputs = inputs_of()
    expected = layer_checks.call(EntityScores(), inputs)
    for value in (-1e30, 1e30, np.nan):
        inputs["logits"] = np.where(ENTITIES >= 0, inputs["logits"], value)
        found = layer_checks.call(EntityScores(), inputs)
        np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_no_entities():
    scores = EntityScores()(
        np.zeros([0, 3], np.float32),
        entities=np.zeros([0, 3], np.int32),
        rows=np.zeros([0], np.int32),
        texts=TEXTS[1:2],
    )
    np.testing.assert_allclose(scores, [[-1e30]])


def test_layer(tmp_path):
    layer_checks.check_config(EntityScores, {})
    inputs = inputs_of()
    layer_checks.check_saved_model(EntityScores(), inputs, False, tmp_path)
    symbolic = layer_checks.call(
        EntityScores(), layer_checks.symbolic_inputs(inputs)
    )
    assert (symbolic.shape, symbolic.dtype) == ((None, None), "float32")
    low = layer_checks.call(EntityScores(dtype="mixed_bfloat16"), inputs)
    assert low.dtype == tf.float32
