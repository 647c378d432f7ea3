"""Which requests are joined, and what is made of the outputs."""

import numpy as np
import pytest
import tensorflow as tf

from elmo_tf.serving.request_joiner import RequestJoiner
from elmo_tf.serving.signature import Signature

TOKENS = {
    "tokens": ([None, None], tf.string),
    "sequence_len": ([None], tf.int32),
}


def joiner(inputs, outputs):
    return RequestJoiner(
        Signature(
            *(
                {
                    name: tf.TensorSpec(shape, dtype, name)
                    for name, (shape, dtype) in specs.items()
                }
                for specs in (inputs, outputs)
            )
        )
    )


def tokens(*rows):
    width = max(map(len, rows))
    padded = [[*row, *[b""] * (width - len(row))] for row in rows]
    return {
        "tokens": np.array(padded, object).reshape(len(rows), width),
        "sequence_len": np.array(list(map(len, rows)), np.int32),
    }


def test_tokens_are_padded_and_outputs_cut():
    joined = joiner(
        TOKENS,
        {
            "vectors": ([None, None, 2], tf.float32),
            "mean": ([None, 2], tf.float32),
            "sequence_len": ([None], tf.int32),
        },
    )
    requests = [tokens([b"a"]), tokens([b"b", b"c", b"d"], [b"e"])]
    assert joined.key(requests[0]) == joined.key(requests[1]) == ()
    inputs = joined.join(requests)
    assert inputs["tokens"].tolist() == [
        [b"a", b"", b""],
        [b"b", b"c", b"d"],
        [b"e", b"", b""],
    ]
    assert inputs["sequence_len"].tolist() == [1, 3, 1]
    mask = inputs["tokens"] != b""
    vectors = np.arange(1, 19.0).reshape(3, 3, 2) * mask[:, :, np.newaxis]
    outputs = {
        "vectors": vectors,
        "mean": vectors.mean(axis=1),
        "sequence_len": inputs["sequence_len"],
    }
    first, second = joined.split(outputs, requests)
    np.testing.assert_array_equal(first["vectors"], vectors[:1, :1])
    np.testing.assert_array_equal(second["vectors"], vectors[1:])
    np.testing.assert_array_equal(second["mean"], outputs["mean"][1:])
    assert first["sequence_len"].tolist() == [1]
    # Something at padding: it is not what it was taken for.
    outputs["vectors"] = vectors + 1
    assert joined.split(outputs, requests) is None
    outputs["vectors"] = vectors[:, :2]
    assert joined.split(outputs, requests) is None
    outputs["vectors"] = vectors[:2]
    assert joined.split(outputs, requests) is None


def test_raw_strings_are_cut_by_their_lengths():
    strings = {"strings": ([None], tf.string)}
    requests = [
        {"strings": np.array(rows, object)}
        for rows in ([b"a b", b""], [b"c d e"], [b""])
    ]
    table = np.array(
        [[b"a", b"b", b""], [b""] * 3, [b"c", b"d", b"e"], [b""] * 3], object
    )
    for outputs in (
        {"tokens": ([None, None], tf.string)},
        {
            "tokens": ([None, None], tf.string),
            "sequence_len": ([None], tf.int32),
        },
    ):
        joined = joiner(strings, outputs)
        values = {"tokens": table, "sequence_len": np.array([2, 0, 3, 0])}
        answers = joined.split(
            {name: values[name] for name in outputs}, requests
        )
        assert [answer["tokens"].tolist() for answer in answers] == [
            [[b"a", b"b"], [b"", b""]],
            [[b"c", b"d", b"e"]],
            [[]],
        ]


def test_other_open_axes_must_be_equal():
    ids = {"ids": ([None, None, 4], tf.int32)}
    joined = joiner(
        ids,
        {
            "vectors": ([None, None, 2], tf.float32),
            "sequence_len": ([None], tf.int32),
        },
    )
    keys = [
        joined.key({"ids": np.zeros([rows, time, 4], np.int32)})
        for rows, time in ((1, 3), (2, 3), (1, 2))
    ]
    assert keys[0] == keys[1] != keys[2]
    assert None not in keys


@pytest.mark.parametrize(
    "inputs, outputs",
    [
        # Which axis of a batch, and which of its own, has a scalar?
        ({"n": ([], tf.int32)}, {"y": ([None], tf.int32)}),
        ({"n": ([None], tf.int32)}, {"y": ([], tf.int32)}),
        ({"n": ([3], tf.int32)}, {"y": ([3], tf.int32)}),
        ({"n": (None, tf.int32)}, {"y": ([None], tf.int32)}),
        # How long would these be, of a request alone?
        (TOKENS, {"words": ([None, None], tf.string)}),
        (TOKENS, {"pairs": ([None, None, None], tf.float32)}),
        (TOKENS, {"x": ([None, 3, None], tf.float32), **TOKENS}),
        (
            {"strings": ([None], tf.string)},
            {"tags": ([None, None], tf.string)},
        ),
    ],
)
def test_what_runs_alone(inputs, outputs):
    arrays = {
        name: np.zeros([1 if n is None else n for n in shape or []])
        for name, (shape, _) in inputs.items()
    }
    assert joiner(inputs, outputs).key(arrays) is None


def test_rows_that_do_not_fit_run_alone():
    joined = joiner(
        {"a": ([None], tf.int32), "b": ([None], tf.int32)},
        {"y": ([None], tf.int32)},
    )
    assert joined.key({"a": np.zeros(2), "b": np.zeros(2)}) == ()
    assert joined.key({"a": np.zeros(2), "b": np.zeros(1)}) is None
    assert joined.key({"a": np.zeros(0), "b": np.zeros(0)}) is None


def test_two_texts():
    pair = {
        f"{prefix}{name}": spec
        for prefix in ("premise_", "hypothesis_")
        for name, spec in TOKENS.items()
    }

    def request(*lengths):
        return {
            f"{prefix}{name}": value
            for prefix, n in zip(
                ("premise_", "hypothesis_"), lengths, strict=True
            )
            for name, value in tokens([b"a"] * n).items()
        }

    joined = joiner(pair, {"probabilities": ([None, 3], tf.float32)})
    requests = [request(2, 3), request(4, 1)]
    assert joined.key(requests[0]) == joined.key(requests[1]) is not None
    inputs = joined.join(requests)
    assert inputs["premise_tokens"].shape == (2, 4)
    assert inputs["hypothesis_tokens"].shape == (2, 3)
    # Whose time would this output have?
    joined = joiner(pair, {"tags": ([None, None], tf.string)})
    assert joined.key(requests[0]) != joined.key(requests[1])
