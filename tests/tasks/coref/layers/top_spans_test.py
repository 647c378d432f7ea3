import numpy as np
import pytest
import tensorflow as tf

from tasks.coref.layers.candidate_spans import CandidateSpans
from tasks.coref.layers.top_spans import TopSpans
from tests import layer_checks
from tests.reference import coreference_model as reference_lib

TIME, WIDTH, BATCH = 14, 4, 100


def random_documents(generator):
    """Lengths of sentences, the numbers of their tokens, and the table."""
    documents = []
    numbers = np.full([BATCH, TIME], -1, np.int32)
    for row in numbers:
        lengths, n_tokens = [], generator.integers(TIME + 1)
        while sum(lengths) < n_tokens:
            left = n_tokens - sum(lengths)
            lengths.append(int(generator.integers(1, left + 1)))
        row[:n_tokens] = np.repeat(np.arange(len(lengths)), lengths)
        documents.append(lengths)
    return documents, CandidateSpans(WIDTH)(numbers).numpy()


def spans_of(outputs, row):
    mask = outputs["mask"][row].numpy()
    return list(
        zip(
            outputs["first"][row].numpy()[mask].tolist(),
            outputs["last"][row].numpy()[mask].tolist(),
            strict=True,
        )
    )


@pytest.mark.parametrize("n_values", [2, 5, 10**6])
@pytest.mark.parametrize("ratio", [0.1, 0.4, 1.0, 3.5])
def test_equals_the_greedy_choice(ratio, n_values):
    """Thousands of documents, with many equal scores and with few."""
    generator = np.random.default_rng([int(10 * ratio), n_values])
    layer = TopSpans(ratio)
    run = tf.function(layer)
    for _ in range(5):
        documents, mask = random_documents(generator)
        scores = generator.integers(n_values, size=mask.shape) - n_values / 2
        scores = scores.astype(np.float32)
        outputs = run(scores, mask=mask)
        assert outputs["mask"].shape == (BATCH, max(int(TIME * ratio), 1))
        for row, lengths in enumerate(documents):
            spans = reference_lib.candidate_spans(lengths, WIDTH)
            expected = reference_lib.top_spans(
                spans,
                [scores[row, first, last - first] for first, last in spans],
                int(np.floor(np.float32(sum(lengths)) * np.float32(ratio))),
            )
            assert spans_of(outputs, row) == expected
    left_out = ~outputs["mask"].numpy()
    assert left_out.any()
    for name in ("first", "last", "places"):
        assert not outputs[name].numpy()[left_out].any()


def test_places():
    mask = np.ones((1, 2, 2), bool)
    mask[0, 1, 1] = False
    outputs = TopSpans(1.0)(np.array([[[0.0, 3.0], [2.0, 9.0]]]), mask=mask)
    assert outputs["places"].numpy().tolist() == [[1, 2]]
    assert spans_of(outputs, 0) == [(0, 1), (1, 1)]


def test_spans_that_share_one_token_cross():
    mask = CandidateSpans(3)(np.zeros((1, 5), np.int32))
    scores = np.zeros((1, 5, 3), np.float32)
    scores[0, 0, 2], scores[0, 2, 2], scores[0, 3, 1] = 3, 2, 1
    outputs = TopSpans(0.4)(scores, mask=mask)
    # Of (0, 2), (2, 4) and (3, 4), the second one crosses the first.
    assert spans_of(outputs, 0) == [(0, 2), (3, 4)]


def test_padding_makes_no_difference():
    generator = np.random.default_rng(0)
    _, mask = random_documents(generator)
    scores = generator.normal(size=mask.shape).astype(np.float32)
    layer = TopSpans(0.4)
    expected = layer(scores, mask=mask)
    paddings = [(0, 0), (0, 6), (0, 0)]
    scores = np.where(mask, scores, np.float32(1e30))
    padded = layer(
        np.pad(scores, paddings, constant_values=1e30),
        mask=np.pad(mask, paddings),
    )
    for row in range(BATCH):
        assert spans_of(padded, row) == spans_of(expected, row)


def test_in_a_model(tmp_path):
    generator = np.random.default_rng(0)
    _, mask = random_documents(generator)
    inputs = {
        "inputs": generator.normal(size=mask.shape).astype(np.float32),
        "mask": mask,
    }
    layer = TopSpans(0.4)
    layer_checks.check_config(TopSpans, dict(ratio=0.4))
    layer_checks.check_symbolic_output(layer, inputs)
    layer_checks.check_saved_model(layer, inputs, True, tmp_path)
    layer_checks.check_jit_compile(layer, inputs)


def test_mixed_precision_keeps_the_scores_digits():
    scores = np.array([[[1.0001], [1.0002], [1.0003]]], np.float32)
    layer = TopSpans(0.4, dtype="mixed_bfloat16")
    outputs = layer(tf.constant(scores), mask=np.ones((1, 3, 1), bool))
    assert spans_of(outputs, 0) == [(2, 2)]


def test_error():
    with pytest.raises(ValueError, match="`ratio` should be positive"):
        TopSpans(0)
