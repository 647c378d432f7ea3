"""The signature `inspect` of an exported question answering model."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bidaf_tf.self_attention import BiDAFSelfAttentionConfig
from tests.tasks.squad import tiny_squad

WORDS = ("zoë", "met", "bob", "who")
CONTEXTS = ["Zoë 😀 met  Bob.", "", "x"]
QUESTIONS = ["Who met?", "Where?", ""]
TOKENS = {
    "context": (["Zoë", "😀", "met", "Bob", "."], [], ["x"]),
    "question": (["Who", "met", "?"], ["Where", "?"], []),
}
KNOWN = {
    "context": ([True, False, True, True, False], [], [False]),
    "question": ([True, True, False], [False, False], []),
}


def inspect(task_model, contexts, questions):
    signatures = tiny_squad.make_functions(task_model).signatures()
    arguments = {
        "context": tf.constant(contexts),
        "question": tf.constant(questions),
    }
    found = signatures["inspect"](**arguments)
    answers = signatures["default"](**arguments)
    return (
        {name: value.numpy() for name, value in found.items()},
        {name: value.numpy() for name, value in answers.items()},
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "model",
    [None, BiDAFSelfAttentionConfig(gru_units=3, linear_units=4)],
    ids=["bidaf", "self_attention"],
)
def test_inspect(model, tmp_path):
    task_model = tiny_squad.make_task_model(
        tmp_path / "vocab.txt", WORDS, model
    )
    found, answers = inspect(task_model, CONTEXTS, QUESTIONS)
    for name, value in answers.items():
        if value.dtype == np.float32:
            # A window is another batch.
            np.testing.assert_allclose(found[name], value, rtol=1e-5)
        else:
            np.testing.assert_array_equal(found[name], value)
    embeddings = np.asarray(
        task_model.model.get_layer("word_embedding").embeddings
    )
    texts = {"context": CONTEXTS, "question": QUESTIONS}
    for field, rows in TOKENS.items():
        time = max(map(len, rows))
        lengths = found[f"{field}_sequence_len"].tolist()
        assert lengths == list(map(len, rows))
        for name, dims in (
            ("tokens", []),
            ("starts", []),
            ("ends", []),
            ("is_known", []),
            ("word_vectors", [tiny_squad.WORD_DIM]),
            ("contextual_vectors", [6]),
        ):
            values = found[f"{field}_{name}"]
            assert values.shape == (3, time, *dims)
            for row, length in enumerate(lengths):
                assert not values[row, length:].any()
        for row, tokens in enumerate(rows):
            n = len(tokens)
            shown = found[f"{field}_tokens"][row, :n]
            assert [token.decode() for token in shown] == tokens
            starts, ends = (
                found[f"{field}_{name}"][row, :n] for name in ("starts", "ends")
            )
            assert tokens == [
                texts[field][row][start:end]
                for start, end in zip(starts, ends, strict=True)
            ]
            known = found[f"{field}_is_known"][row, :n].tolist()
            assert known == KNOWN[field][row]
            ids = [
                WORDS.index(token.lower()) + 2 if is_known else 1
                for token, is_known in zip(tokens, known, strict=True)
            ]
            np.testing.assert_allclose(
                found[f"{field}_word_vectors"][row, :n], embeddings[ids]
            )
            # Words in context differ though their vectors are the same.
            vectors = found[f"{field}_contextual_vectors"][row, :n]
            assert len(np.unique(vectors, axis=0)) == n
    shares = found["context_to_query"]
    assert shares.shape == (3, 5, 3)
    np.testing.assert_allclose(shares[0].sum(axis=-1), 1, rtol=1e-5)
    assert not shares[1:].any()
    assert found["query_to_context"].shape == (3, 5)
    np.testing.assert_allclose(found["query_to_context"][0].sum(), 1, 1e-5)
    for name in ("start", "end"):
        probabilities = found[f"{name}_probabilities"]
        assert probabilities.shape == (3, 5)
        np.testing.assert_allclose(
            probabilities.sum(axis=-1), [1, 0, 1], rtol=1e-5
        )
    first = found["context_starts"][0].tolist().index(found["start"][0])
    last = found["context_ends"][0].tolist().index(found["end"][0])
    np.testing.assert_allclose(
        found["start_probabilities"][0, first]
        * found["end_probabilities"][0, last],
        found["score"][0],
        rtol=1e-5,
    )


@pytest.mark.slow
def test_what_stands_beside_does_not_matter(tmp_path):
    task_model = tiny_squad.make_task_model(tmp_path / "vocab.txt", WORDS)
    together, _ = inspect(task_model, CONTEXTS, QUESTIONS)
    alone, _ = inspect(task_model, ["x"], ["Who?"])
    long, _ = inspect(task_model, ["x", "x x x"], ["Who?", "Who is that?"])
    for name, value in alone.items():
        inside = tuple(slice(size) for size in value.shape[1:])
        if value.dtype != object:
            np.testing.assert_allclose(
                long[name][0][inside], value[0], atol=1e-5
            )
    np.testing.assert_allclose(
        together["context_contextual_vectors"][2, :1],
        alone["context_contextual_vectors"][0],
        atol=1e-5,
    )
    nothing, _ = inspect(task_model, [""], [""])
    assert nothing["context_tokens"].tolist() == [[b""]]
    assert nothing["context_to_query"].tolist() == [[[0.0]]]


@pytest.mark.slow
def test_a_model_that_reads_no_words(tmp_path):
    task_model = tiny_squad.make_task_model(
        tmp_path / "vocab.txt", WORDS, word_dim=0
    )
    found, _ = inspect(task_model, CONTEXTS, QUESTIONS)
    assert found["context_contextual_vectors"].any()
    assert not {"context_word_vectors", "context_is_known"} & found.keys()


def test_a_model_without_an_attention_matrix(tmp_path, monkeypatch):
    task_model = tiny_squad.make_task_model(tmp_path / "vocab.txt", WORDS)
    inputs = task_model.model.input
    outputs = {
        name: keras.ops.sum(inputs["context_character_ids"], axis=-1)
        for name in ("start", "end")
    }
    monkeypatch.setattr(
        task_model, "model", keras.Model(inputs, outputs), raising=True
    )
    assert task_model.task.inspector(task_model.model) is None
