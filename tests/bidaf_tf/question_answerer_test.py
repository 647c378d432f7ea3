"""Answers from Python; with real models see tests/tasks/squad."""

import re

import pytest
import tensorflow as tf

import bidaf_tf
from bidaf_tf.answer import Answer
from bidaf_tf.question_answerer import QuestionAnswerer
from elmo_tf.errors import InputError


class FirstCharacters(tf.Module):
    """Answers with the first, the second, the third character."""

    def __init__(self, n=3):
        super().__init__()
        self.n = n
        # Gone if nothing refers to the loaded object.
        self.score = tf.Variable(0.5)

    @tf.function
    def __call__(self, context, question):
        lengths = tf.strings.length(context, "UTF8_CHAR")[:, tf.newaxis]
        starts = tf.range(self.n)[tf.newaxis] + tf.zeros_like(lengths)
        is_there = starts < lengths
        starts = tf.where(is_there, starts, 0)
        asked = tf.cast(tf.strings.length(question, "UTF8_CHAR"), tf.float32)
        return {
            "answers": tf.fill(tf.shape(starts), ""),
            "starts": starts,
            "ends": tf.where(is_there, starts + 1, 0),
            "scores": tf.where(
                is_there,
                self.score
                / tf.cast(starts + 1, tf.float32)
                / asked[:, tf.newaxis],
                0.0,
            ),
        }


def save(module, folder, name="default", **specs):
    specs = specs or {
        field: tf.TensorSpec([None], tf.string, name=field)
        for field in ("context", "question")
    }
    function = module.__call__.get_concrete_function(**specs)
    tf.saved_model.save(module, str(folder), signatures={name: function})
    return str(folder)


@pytest.fixture(scope="module")
def answerer(tmp_path_factory):
    folder = tmp_path_factory.mktemp("answerer") / "saved_model"
    return bidaf_tf.QuestionAnswerer(save(FirstCharacters(), folder))


def test_the_best_answer(answerer):
    assert answerer.answer("😀b", "??") == [Answer("😀", 0, 1, 0.25)]
    assert answerer.n_best == 3


def test_several_answers(answerer):
    assert answerer.answer("😀b", "?", n=2) == [
        Answer("😀", 0, 1, 0.5),
        Answer("b", 1, 2, 0.25),
    ]
    # There are no more.
    assert len(answerer.answer("😀b", "?", n=3)) == 2
    assert answerer.answer("", "?", n=3) == [Answer("", 0, 0, 0.0)]


def test_many_questions(answerer):
    contexts = [chr(ord("a") + n % 26) * (n % 4) for n in range(600)]
    questions = ["?" * (1 + n % 3) for n in range(600)]
    found = answerer.answer_batch(contexts, tuple(questions), n=2)
    assert found == [
        answerer.answer(context, question, n=2)
        for context, question in zip(contexts, questions, strict=True)
    ]
    assert answerer.answer_batch([], []) == []


def test_lone_surrogates(answerer):
    """The answer is a piece of the text as it was given."""
    assert answerer.answer("\ud800b", "?")[0].text == "\ud800"


def test_characters_that_end_strings(answerer):
    (first, second) = answerer.answer("a\0", "?\0", n=2)
    assert (first.text, second.text) == ("a", "\0")
    assert first.score == 0.25


@pytest.mark.parametrize(
    "call, message",
    [
        (
            lambda answerer: answerer.answer(b"x", "?"),
            "context: found bytes, expected str",
        ),
        (
            lambda answerer: answerer.answer("x", None),
            "question: found NoneType, expected str",
        ),
        (
            lambda answerer: answerer.answer("x", "?", n=4),
            "n: found 4, expected a number from 1 to 3, how many answers the "
            "SavedModel gives",
        ),
        (
            lambda answerer: answerer.answer("x", "?", n=True),
            "n: found True, expected a number from 1 to 3, how many answers "
            "the SavedModel gives",
        ),
        (
            lambda answerer: answerer.answer_batch("x", ["?"]),
            "contexts: found str, expected a list of str",
        ),
        (
            lambda answerer: answerer.answer_batch(["x"], "?"),
            "questions: found str, expected a list of str",
        ),
        (
            lambda answerer: answerer.answer_batch(["x", "y"], ["?"]),
            "questions: found 1, expected 2, one for each context",
        ),
        (
            lambda answerer: answerer.answer_batch(["x", 1], ["?", "?"]),
            "contexts[1]: found int, expected str",
        ),
    ],
)
def test_wrong_arguments(answerer, call, message):
    with pytest.raises(InputError) as error:
        call(answerer)
    assert str(error.value) == message


class TestOtherFolders:
    def test_no_saved_model(self, tmp_path):
        with pytest.raises(InputError, match="not a SavedModel"):
            QuestionAnswerer(tmp_path)
        with pytest.raises(InputError, match="no such folder"):
            QuestionAnswerer(f"{tmp_path}/none")

    def test_without_the_signature(self, tmp_path):
        path = save(FirstCharacters(), tmp_path / "model", name="other")
        with pytest.raises(InputError) as error:
            QuestionAnswerer(path)
        assert str(error.value) == (
            f"{path}: not a SavedModel of question answering: expected a "
            "signature default, found the signatures other"
        )

    def test_other_arguments(self, tmp_path):
        class Other(tf.Module):
            @tf.function
            def __call__(self, strings):
                return {"tags": strings}

        strings = tf.TensorSpec([None], tf.string, name="strings")
        path = save(Other(), tmp_path / "model", strings=strings)
        with pytest.raises(InputError) as error:
            QuestionAnswerer(path)
        assert str(error.value) == (
            f"{path}: not a SavedModel of question answering: expected the "
            "arguments context, question of the signature default, found "
            "strings"
        )

    def test_other_outputs(self, tmp_path):
        class Other(tf.Module):
            @tf.function
            def __call__(self, context, question):
                return {"answer": context, "score": question}

        path = save(Other(), tmp_path / "model")
        with pytest.raises(
            InputError,
            match=re.escape(
                "expected the outputs answers, starts, ends, scores of the "
                "signature default, found answer, score"
            ),
        ):
            QuestionAnswerer(path)
