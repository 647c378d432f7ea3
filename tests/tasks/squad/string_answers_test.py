"""Raw strings are answered in the graph as files are answered out of it."""

import io
import json
import random

import numpy as np
import pytest
import tensorflow as tf

from tasks.squad.data import read_examples_to_predict
from tasks.squad.experiments import SquadConfig
from tasks.squad.string_answers import answer_strings
from tasks.squad.string_answers import tokenize
from tasks.squad.task import SquadTask

PIECES = ["Zoë", "met", "Bob", "😀", "long-gone", "1,990", "(and)", "שלום", "x"]


def logits(texts):
    """What stands in for a model: each token's logits, given the question."""
    (tokens, lengths), (asked, asked_lengths) = texts
    mask = tf.sequence_mask(lengths, tf.shape(tokens)[1])
    is_asked = tf.sequence_mask(asked_lengths, tf.shape(asked)[1])
    shift = tf.reduce_sum(tf.where(is_asked, _hash(asked, 1), 0.0), axis=1)
    return {
        name: tf.where(
            mask,
            # Exact: what is equal here is equal in every batch.
            (_hash(tokens, seed) + shift[:, tf.newaxis]) % 32 / 8,
            -1e30,
        )
        for name, seed in (("start", 2), ("end", 3))
    }


def _hash(tokens, seed):
    # A blank text's token has a value too.
    return tf.cast(
        tf.strings.to_hash_bucket_strong(tokens, 50, [seed, seed]), tf.float32
    )


def from_strings(task, contexts, questions):
    """What the graph gives, and the shapes of what the model had at once."""
    sizes = []

    def answer(texts):
        tf.py_function(  # noqa: TID251
            lambda tokens: sizes.append(tokens.shape), [texts[0][0]], []
        )
        return task.decode(logits(texts))

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)] * 2)
    def function(contexts, questions):
        return task.from_strings([contexts, questions], None, answer)

    found = function(tf.constant(contexts), tf.constant(questions))
    return {name: value.numpy() for name, value in found.items()}, sizes


def from_file(task, contexts, questions, path):
    """What predictions from a file give: the n best answers of each."""
    qas = [
        {
            "context": context,
            "qas": [{"id": str(number), "question": question}],
        }
        for number, (context, question) in enumerate(
            zip(contexts, questions, strict=True)
        )
    ]
    path.write_text(json.dumps({"data": [{"paragraphs": qas}]}))
    examples = read_examples_to_predict(
        str(path), task.config.max_context_length, task.config.window_stride
    )
    predictions = []
    for example in examples:
        texts = [
            (tf.constant([tokens]), tf.constant([len(tokens)]))
            for tokens in task.texts(example)
        ]
        decoded = {
            name: value.numpy()
            for name, value in task.decode(logits(texts)).items()
        }
        predictions += task.predictions([example], decoded)
    file = io.StringIO()
    task.write_n_best(examples, predictions, file)
    return [json.loads(file.getvalue())[str(n)] for n in range(len(contexts))]


def check(contexts, questions, found, expected):
    for row, (context, answers) in enumerate(
        zip(contexts, expected, strict=True)
    ):
        n = len(answers)
        texts = [text.decode() for text in found["answers"][row]]
        starts, ends, scores = (
            found[name][row].tolist() for name in ("starts", "ends", "scores")
        )
        assert texts[:n] == [answer["text"] for answer in answers]
        assert starts[:n] == [answer["start"] for answer in answers]
        assert ends[:n] == [answer["end"] for answer in answers]
        np.testing.assert_allclose(
            scores[:n],
            [answer["probability"] for answer in answers],
            rtol=1e-5,
        )
        for text, start, end in zip(texts, starts, ends, strict=True):
            assert context[start:end] == text
        assert set(texts[n:]) <= {""} and not any(scores[n:] + starts[n:])
        assert found["answer"][row] == found["answers"][row, 0]
        for name in ("start", "end", "score"):
            assert found[name][row] == found[f"{name}s"][row, 0]


@pytest.mark.slow
@pytest.mark.parametrize(
    "length, stride, max_answer_length",
    [(400, 200, 2), (7, 3, None), (5, 5, 3), (1, 1, None)],
)
def test_as_from_a_file(tmp_path, length, stride, max_answer_length):
    task = SquadTask(
        SquadConfig(
            n_best=4,
            max_context_length=length,
            window_stride=stride,
            max_answer_length=max_answer_length,
        )
    )
    generator = random.Random(length)
    contexts = [
        " ".join(generator.choices(PIECES, k=k))
        for k in (0, 1, 4, 5, 6, 7, 8, 10, 60, 2)
    ] + [" \n", "x" * 1000]
    questions = ["Who?", "Where is Bob", ""] * 4
    expected = from_file(task, contexts, questions, tmp_path / "data.json")
    found, sizes = from_strings(task, contexts, questions)
    check(contexts, questions, found, expected)
    assert all(time <= length and rows <= 16 for rows, time in sizes)
    for row in (0, 5, 8):
        alone, _ = from_strings(
            task, contexts[row : row + 1], questions[row : row + 1]
        )
        for name, value in alone.items():
            if value.dtype == np.float32:
                np.testing.assert_allclose(value[0], found[name][row], 1e-5)
            else:
                np.testing.assert_array_equal(value[0], found[name][row])


def test_short_contexts_are_not_filled_up_to_long_ones():
    task = SquadTask(SquadConfig())
    _, sizes = from_strings(task, ["x " * 300, *["x"] * 16], ["Who?"] * 17)
    assert sizes == [(16, 1), (1, 300)]


def test_in_one_piece():
    task = SquadTask(SquadConfig(n_best=2))
    texts = [tf.constant(["x " * 500, "a b"]), tf.constant(["Who?", "a"])]
    sizes = []

    def answer(texts):
        sizes.append(texts[0][0].shape)
        return task.decode(logits(texts))

    found = answer_strings(texts, answer, 2)
    assert sizes == [(2, 500)]
    assert found["answers"].shape == (2, 2)
    np.testing.assert_array_less(found["scores"][0], 1e-3)


def test_no_context():
    task = SquadTask(SquadConfig(n_best=3))
    found, _ = from_strings(task, np.zeros([0], object), np.zeros([0], object))
    assert found["answers"].shape == found["scores"].shape == (0, 3)
    assert found["answer"].shape == (0,)


def test_bytes_that_are_not_utf_8():
    task = SquadTask(SquadConfig(n_best=3))
    found, _ = from_strings(task, [b"\xff\xfe Bob"], [b"\xff?"])
    expected, _ = from_strings(task, ["\ufffd\ufffd Bob"], ["\ufffd?"])
    for name, value in expected.items():
        np.testing.assert_array_equal(found[name], value)


def test_tokens():
    found = tokenize(tf.constant(["", "a b", " ", "", "c"]))
    assert found.texts.to_list() == [[b""], [b"a", b"b"], [b""], [b""], [b"c"]]
    assert found.starts.to_list() == [[0], [0, 2], [0], [0], [0]]
    assert found.ends.to_list() == [[0], [1, 3], [0], [0], [1]]
