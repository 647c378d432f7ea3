import numpy as np
import pytest
import tensorflow as tf

from bidaf_tf import span_decoding
from tests.reference import span_decoding as reference_lib

TIME = 12
IMPOSSIBLE = -np.inf


def random_scores(generator, n_rows, kind):
    """Scores of both ends, `[n_rows, TIME]`.

    Args:
        generator: A NumPy generator.
        n_rows: How many cases.
        kind: "ties": few different values, hence many ties, and some −∞;
            "rounding": numbers whose sums are often equal after rounding only;
            "probabilities": logarithms of random distributions.
    """
    shape = (2, n_rows, TIME)
    if kind == "ties":
        scores = generator.integers(-2, 1, shape).astype(np.float32)
        scores[generator.random(shape) < 0.1] = IMPOSSIBLE
    elif kind == "rounding":
        scores = generator.integers(-9, 1, shape) * np.float32(3e-8)
        scores[1] += generator.integers(-2, 1, shape[1:])
    else:
        scores = generator.normal(size=shape, scale=3)
        scores -= np.log(np.exp(scores).sum(axis=-1, keepdims=True))
    return scores.astype(np.float32)


def random_masks(generator, n_rows):
    """Of all lengths from 0, one token among them, and some with holes."""
    lengths = generator.integers(0, TIME + 1, n_rows)
    masks = np.arange(TIME) < lengths[:, None]
    holes = generator.random(masks.shape) < 0.3
    return masks & ~(holes & (generator.random(n_rows) < 0.3)[:, None])


def expected_spans(start, end, n, mask=None, max_length=None):
    """What trying all spans finds, as three arrays `[batch, n]`."""
    rows = []
    for row in range(len(start)):
        spans = reference_lib.best_spans(
            start[row],
            end[row],
            None if mask is None else mask[row],
            max_length,
        )
        spans = [span for span in spans if span[2] > IMPOSSIBLE][:n]
        rows.append(spans + [(-1, -1, IMPOSSIBLE)] * (n - len(spans)))
    return [np.array(column) for column in np.moveaxis(np.array(rows), 2, 0)]


def assert_spans(actual, expected):
    for name, left, right in zip(
        ("start", "end", "score"), actual, expected, strict=True
    ):
        np.testing.assert_array_equal(left, right, err_msg=name)


@pytest.mark.parametrize("max_length", [None, 1, 2, 3, 5, 17])
@pytest.mark.parametrize("kind", ["ties", "rounding", "probabilities"])
def test_equals_trying_all_spans(kind, max_length):
    n_rows = 600
    generator = np.random.default_rng([len(kind), max_length or 0])
    start, end = random_scores(generator, n_rows, kind)
    mask = random_masks(generator, n_rows)
    best = span_decoding.best_span(start, end, mask, max_length)
    expected = expected_spans(start, end, 7, mask, max_length)
    assert_spans(best, [column[:, 0] for column in expected])
    assert_spans(
        span_decoding.n_best_spans(start, end, 7, mask, max_length), expected
    )
    # The cases are what they should be.
    counts = mask.sum(axis=1)
    assert np.count_nonzero(counts == 0) > 10
    assert np.count_nonzero(counts == 1) > 10
    if kind != "probabilities":
        scores = expected[2]
        ties = (scores[:, 0] == scores[:, 1]) & np.isfinite(scores[:, 0])
        assert ties.sum() > 20


def test_types_and_shapes():
    start, end = random_scores(np.random.default_rng(0), 3, "ties")
    best = span_decoding.best_span(start, end)
    assert [t.dtype.name for t in best] == ["int32", "int32", "float32"]
    assert [t.shape.as_list() for t in best] == [[3]] * 3
    best = span_decoding.n_best_spans(start, end, 4)
    assert [t.dtype.name for t in best] == ["int32", "int32", "float32"]
    assert [t.shape.as_list() for t in best] == [[3, 4]] * 3


@pytest.mark.parametrize("max_length", [None, 3])
@pytest.mark.parametrize("static", [True, False], ids=["static", "dynamic"])
def test_in_a_graph(max_length, static):
    generator = np.random.default_rng(1)
    start, end = random_scores(generator, 50, "ties")
    mask = random_masks(generator, 50)
    shape = [50, TIME] if static else [None, None]

    @tf.function(
        input_signature=[
            tf.TensorSpec(shape, tf.float32),
            tf.TensorSpec(shape, tf.float32),
            tf.TensorSpec(shape, tf.bool),
        ]
    )
    def run(start, end, mask):
        return span_decoding.n_best_spans(start, end, 5, mask, max_length)

    outputs = run(start, end, mask)
    assert_spans(outputs, expected_spans(start, end, 5, mask, max_length))
    # Another length through the same graph.
    if not static:
        start, end, mask = start[:, :1], end[:, :1], mask[:, :1]
        assert_spans(
            run(start, end, mask),
            expected_spans(start, end, 5, mask, max_length),
        )


@pytest.mark.parametrize("max_length", [None, 3])
def test_compiled(max_length):
    generator = np.random.default_rng(2)
    start, end = random_scores(generator, 200, "ties")
    mask = random_masks(generator, 200)

    @tf.function(jit_compile=True)
    def run(start, end, mask):
        return span_decoding.n_best_spans(start, end, 5, mask, max_length)

    assert_spans(
        run(start, end, mask),
        expected_spans(start, end, 5, mask, max_length),
    )


def test_ties_go_to_the_first_start_and_then_to_the_first_end():
    zeros = np.zeros((1, 3), np.float32)
    starts, ends, scores = span_decoding.n_best_spans(zeros, zeros, 7)
    np.testing.assert_array_equal(starts, [[0, 0, 0, 1, 1, 2, -1]])
    np.testing.assert_array_equal(ends, [[0, 1, 2, 1, 2, 2, -1]])
    np.testing.assert_array_equal(scores, [[0.0] * 6 + [IMPOSSIBLE]])


def test_one_token():
    start, end, score = span_decoding.best_span([[-2.0]], [[-3.0]])
    assert (start[0], end[0], score[0]) == (0, 0, -5.0)


@pytest.mark.parametrize("time", [0, 2])
def test_no_token(time):
    scores = np.zeros((2, time), np.float32)
    mask = np.zeros((2, time), bool)
    start, end, score = span_decoding.best_span(scores, scores, mask)
    np.testing.assert_array_equal(start, [-1, -1])
    np.testing.assert_array_equal(end, [-1, -1])
    np.testing.assert_array_equal(score, [IMPOSSIBLE] * 2)


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e30])
def test_padding_makes_no_difference(value):
    generator = np.random.default_rng(3)
    start, end = random_scores(generator, 30, "probabilities")
    mask = random_masks(generator, 30)
    expected = span_decoding.n_best_spans(start, end, 4, mask)
    start, end = (np.where(mask, s, np.float32(value)) for s in (start, end))
    assert_spans(span_decoding.n_best_spans(start, end, 4, mask), expected)


def test_a_span_may_cross_what_it_may_not_end_at():
    start = np.log([[0.8, 0.1, 0.1]])
    end = np.log([[0.1, 0.1, 0.8]])
    mask = np.array([[True, False, True]])
    first, last, _ = span_decoding.best_span(start, end, mask)
    assert (first[0], last[0]) == (0, 2)
    # The one in between counts.
    first, last, _ = span_decoding.best_span(start, end, mask, max_length=2)
    assert (first[0], last[0]) == (0, 0)


def test_long_context():
    generator = np.random.default_rng(4)
    time = 2000
    start, end = generator.normal(size=(2, 1, time)).astype(np.float32)
    for max_length in (None, 17):
        scores = np.triu(start[0][:, None] + end[0][None])
        scores[np.tri(time, k=-1, dtype=bool)] = IMPOSSIBLE
        if max_length:
            scores[np.tri(time, k=-max_length, dtype=bool).T] = IMPOSSIBLE
        best = np.argsort(-scores, axis=None)[:3]
        expected = [*np.unravel_index(best, scores.shape), scores.flat[best]]
        assert_spans(
            span_decoding.n_best_spans(start, end, 3, None, max_length),
            [column[None] for column in expected],
        )


@pytest.mark.parametrize("name", ["n", "max_length"])
def test_argument_error(name):
    arguments = {"n": 2, "max_length": 3, name: 0}
    zeros = np.zeros((1, 3), np.float32)
    with pytest.raises(
        ValueError, match=f"`{name}` should be positive. Received: {name}=0"
    ):
        span_decoding.n_best_spans(zeros, zeros, **arguments)
