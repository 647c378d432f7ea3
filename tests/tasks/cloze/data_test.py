"""Cloze questions as examples: ids, what is left out, what is named most."""

import dataclasses

import numpy as np
import pytest

from elmo_tf.errors import InputError
from tasks.cloze.data import read_examples
from tasks.cloze.data import read_examples_to_predict
from tasks.cloze.data import read_training_examples
from tasks.cloze.data import shuffled
from tests.tasks.cloze import tiny_cloze


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tiny_cloze.write(tmp_path_factory.mktemp("data") / "questions")


def test_training_examples(folder, capsys):
    examples = read_training_examples(folder)
    # The last one's answer is not in its context.
    assert [example.question for example in examples] == list(
        tiny_cloze.QUESTIONS[:3]
    )
    assert capsys.readouterr().err == (
        f"{folder}: left out 1 questions whose answer is not in the context\n"
    )
    example = examples[0]
    # In the order of their occurrences, that of the question at the end.
    assert example.entities == (
        "@entity7",
        "@entity2",
        "@entity5",
        "@entity3",
    )
    assert example.ids == (0, 1, 2, 3)
    assert example.answer == 2
    assert " ".join(example.context_tokens) == (
        "@entity0 met @entity1 in the rain . @entity2 saw @entity0 ."
    )
    assert " ".join(example.question_tokens) == (
        "@placeholder saw @entity0 in @entity3"
    )


def test_examples_to_measure_on(folder, capsys):
    examples = read_examples(folder)
    assert [example.question for example in examples] == list(
        tiny_cloze.QUESTIONS
    )
    assert [example.answer for example in examples] == [2, 0, 1, None]
    assert capsys.readouterr().err == (
        f"{folder}: 1 questions whose answer is not in the context count as "
        "wrong\n"
    )
    for example in examples:
        assert sorted(example.ids) == list(range(len(example.entities)))
    assert any(
        example.ids != tuple(sorted(example.ids)) for example in examples
    )


def test_examples_to_predict(folder):
    examples = read_examples_to_predict(folder)
    measured = read_examples(folder)
    assert [(e.entities, e.ids) for e in examples] == [
        (e.entities, e.ids) for e in measured
    ]


def renamed(question, names):
    def rename(text):
        return " ".join(names.get(token, token) for token in text.split(" "))

    return dataclasses.replace(
        question,
        context=rename(question.context),
        question=rename(question.question),
        answer=rename(question.answer),
    )


def test_the_models_text_depends_on_no_name(folder, tmp_path):
    """Neither on an entity's nor on a file's, nor on what stands beside it."""
    names = {
        f"@entity{n}": f"@entity{(n * 7 + 3) % 10 + 50}" for n in range(10)
    }
    other = tiny_cloze.write(
        tmp_path / "renamed",
        [
            dataclasses.replace(
                renamed(question, names), id=f"x{4 - number}.question"
            )
            for number, question in enumerate(tiny_cloze.QUESTIONS[:3])
        ],
    )
    expected = read_examples(folder)[:3]
    found = read_examples(other)[::-1]
    for example, same in zip(expected, found, strict=True):
        assert example.context_tokens == same.context_tokens
        assert example.question_tokens == same.question_tokens
        assert example.answer == same.answer
        assert [names[entity] for entity in example.entities] == list(
            same.entities
        )


def test_shuffled(folder):
    example = read_training_examples(folder)[0]
    generator = np.random.default_rng(0)
    views = [shuffled(example, generator) for _ in range(200)]
    assert {view.ids for view in views} > {(0, 1, 2, 3), (3, 2, 1, 0)}
    for view in views[:20]:
        assert sorted(view.ids) == [0, 1, 2, 3]
        assert view.answer == 2
        # Each entity is called alike wherever it stands.
        first, second = view.context_tokens[0], view.context_tokens[9]
        assert first == second == view.question_tokens[2]
        assert first == f"@entity{view.ids[0]}"
    again = shuffled(example, np.random.default_rng(0))
    assert again == views[0]


@pytest.mark.parametrize(
    "context, question, most, exclusive",
    [
        ("@entity1 @entity2 @entity2", "@placeholder", 2, 2),
        ("@entity2 @entity1 @entity1 @entity2", "@placeholder", 2, 2),
        ("@entity2 @entity1 @entity2", "@placeholder @entity2", 2, 1),
        ("@entity3 @entity2 @entity1 @entity2", "@placeholder @entity2", 2, 3),
        ("@entity2 @entity1", "@entity1 @placeholder @entity2", 2, 2),
    ],
)
def test_most_frequent(tmp_path, context, question, most, exclusive):
    folder = tiny_cloze.write(
        tmp_path / "questions",
        [
            dataclasses.replace(
                tiny_cloze.QUESTIONS[0],
                context=context,
                question=question,
                answer="@entity1",
            )
        ],
    )
    (example,) = read_examples(folder)
    assert example.most_frequent() == f"@entity{most}"
    assert example.most_frequent(without_question=True) == f"@entity{exclusive}"


def test_nothing_to_learn(tmp_path):
    folder = tiny_cloze.write(tmp_path / "questions", tiny_cloze.QUESTIONS[-1:])
    with pytest.raises(
        InputError, match="found no question that can be learnt from"
    ):
        read_training_examples(folder)
