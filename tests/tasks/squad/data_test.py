"""From questions to examples: windows, and what training leaves out."""

import pytest

from bidaf_tf import squad
from bidaf_tf.squad_answer import SquadAnswer
from bidaf_tf.squad_question import SquadQuestion
from elmo_tf.errors import InputError
from tasks.squad.data import read_examples
from tasks.squad.data import read_examples_to_predict
from tasks.squad.data import read_training_examples

CONTEXT = "Anna met  Bob in Oslo. They left."
TOKENS = ("Anna", "met", "Bob", "in", "Oslo", ".", "They", "left", ".")


def question(number, *answers, context=CONTEXT, text="Who left?"):
    return SquadQuestion(
        id=str(number),
        title="T",
        context=context,
        question=text,
        answers=tuple(
            SquadAnswer(answer, context.index(answer)) for answer in answers
        ),
    )


@pytest.fixture
def write(tmp_path):
    def write_questions(*questions):
        path = tmp_path / "data.json"
        squad.write_data(str(path), questions)
        return str(path)

    return write_questions


def test_an_example(write):
    (example,) = read_examples(write(question(1, "Bob in")), 100, 50)
    assert example.context_tokens == TOKENS
    assert example.question_tokens == ("Who", "left", "?")
    assert example.answer is None
    assert example.question.answers == (SquadAnswer("Bob in", 10),)
    # The original's spaces.
    assert example.text(1, 2) == "met  Bob"


@pytest.mark.parametrize(
    "length, stride, expected",
    [
        (9, 1, [(0, 9)]),
        (8, 3, [(0, 8), (1, 9)]),
        (4, 2, [(0, 4), (2, 6), (4, 8), (5, 9)]),
        (4, 4, [(0, 4), (4, 8), (5, 9)]),
        (3, 3, [(0, 3), (3, 6), (6, 9)]),
    ],
)
def test_windows(write, length, stride, expected):
    examples = read_examples(write(question(1, "Bob")), length, stride)
    found = [example.context_tokens for example in examples]
    assert found == [TOKENS[first:last] for first, last in expected]
    for example in examples:
        places = range(len(example.context_tokens))
        assert tuple(example.text(n, n) for n in places) == (
            example.context_tokens
        )


def test_nothing_to_read(write):
    examples = read_examples_to_predict(
        write(
            question(1, context="  ", text="Who?"),
            question(2, context="One.", text=""),
        ),
        10,
        5,
    )
    assert [e.context_tokens for e in examples] == [("",), ("One", ".")]
    assert [e.question_tokens for e in examples] == [("Who", "?"), ("",)]
    assert examples[0].text(0, 0) == ""


def test_answers_to_learn(write):
    path = write(
        question(1, "Bob in"),
        # What most people said; of equals the first.
        question(2, "Bob", "Anna", "Anna"),
        question(3, "Oslo", "Anna"),
        # Part of a token.
        question(4, "eft"),
    )
    examples = read_training_examples(path, 100, 10)
    assert [example.answer for example in examples] == [
        (2, 3),
        (0, 0),
        (4, 4),
        (7, 7),
    ]


def test_what_training_leaves_out(write, capsys):
    misplaced = SquadQuestion(
        "3", "T", CONTEXT, "Who?", (SquadAnswer("Bob", 0),)
    )
    path = write(
        question(1, "Bob"),
        question(2, "left"),
        misplaced,
        question(4, "Bob", text="Who was it that met somebody there?"),
    )
    (example,) = read_training_examples(path, 6, 5)
    assert example.context_tokens == TOKENS[:6]
    assert example.answer == (2, 2)
    assert capsys.readouterr().err.splitlines() == [
        f"{path}: left out 1 questions answered after token 6",
        f"{path}: left out 1 questions whose answer is not in its place",
        f"{path}: left out 1 questions longer than 5 tokens",
    ]


def test_nothing_left_to_learn(write):
    path = write(question(1, "left"))
    with pytest.raises(
        InputError, match="found no question that can be learnt from"
    ):
        read_training_examples(path, 3, 10)


def test_questions_without_answer(tmp_path, capsys):
    path = tmp_path / "data.json"
    path.write_text(
        '{"data": [{"title": "T", "paragraphs": [{"context": "Bob left.", '
        '"qas": [{"id": "1", "question": "Who?", "answers": [{"text": "Bob", '
        '"answer_start": 0}]}, {"id": "2", "question": "Why?", "answers": [], '
        '"is_impossible": true}]}]}]}'
    )
    assert len(read_examples(str(path), 10, 5)) == 1
    assert "left out 1 questions without answer" in capsys.readouterr().err
    assert len(read_training_examples(str(path), 10, 5)) == 1
    assert "left out 1 questions without answer" in capsys.readouterr().err
    assert len(read_examples_to_predict(str(path), 10, 5)) == 2
    assert capsys.readouterr().err == (
        f"{path}: answering 1 questions without answer too, of 2 in all\n"
    )
