"""Answers are recovered from their tokens, those of real data too."""

import collections
import json

import pytest

from bidaf_tf import check_answers
from bidaf_tf import squad
from bidaf_tf.squad_answer import SquadAnswer
from bidaf_tf.squad_question import SquadQuestion
from tests import binaries

CONTEXT = "The 😀team's U.S. (well-known) stars."


def make_questions():
    texts = ["The 😀", "team", "'s", "U.S", "well", " stars", "s."]
    answers = [SquadAnswer(text, CONTEXT.index(text)) for text in texts]
    answers += [SquadAnswer("cat", 0), SquadAnswer(" ", 3)]
    return [
        SquadQuestion("1", "", CONTEXT, "?", tuple(answers)),
        SquadQuestion("2", "", "No.", "?", (SquadAnswer("No", 0),)),
    ]


def test_align_answers():
    questions = make_questions()
    found = list(check_answers.align_answers(questions))
    assert [question.id for question, *_ in found] == ["1"] * 9 + ["2"]
    assert [answer for _, answer, _, _ in found] == [
        answer for question in questions for answer in question.answers
    ]
    assert [(alignment.outcome, text) for _, _, alignment, text in found] == [
        ("exact", "The 😀"),
        ("exact", "team"),
        ("exact", "'s"),
        ("inside_token", "U.S."),
        ("exact", "well"),
        ("spaces", "stars"),
        ("inside_token", "stars."),
        ("misplaced", None),
        ("no_token", None),
        ("exact", "No"),
    ]


def test_binary(tmp_path):
    path = tmp_path / "data.json"
    squad.write_data(path, make_questions())
    result = binaries.run("bidaf_tf.check_answers", path)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.count("\n") == 1
    counts = {
        "questions": 2,
        "recovered_questions": 2,
        "unanswerable": 0,
        "answers": 10,
        "exact": 5,
        "spaces": 1,
        "inside_token": 2,
        "no_token": 1,
        "misplaced": 1,
    }
    assert json.loads(result.stdout) == counts
    result = binaries.run("bidaf_tf.check_answers", "--list_others", path)
    assert json.loads(result.stdout) == counts
    assert result.stderr.splitlines() == [
        '1 inside_token ["U.S", "U.S."]',
        '1 spaces [" stars", "stars"]',
        '1 inside_token ["s.", "stars."]',
        '1 misplaced ["cat", null]',
        '1 no_token [" ", null]',
    ]


def test_mistake():
    result = binaries.run("bidaf_tf.check_answers")
    binaries.check_mistake(
        result, "check_answers", "missing argument DATA.json; --help tells more"
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "name, n_questions, n_recovered, expected",
    [
        (
            "squad1.1-dev-reconstructed/dev-v1.1.reconstructed.json.gz",
            10570,
            10561,
            {"exact": 34555, "inside_token": 171},
        ),
        ("xquad/xquad.en.json", 1190, 1188, {"exact": 1188, "inside_token": 2}),
    ],
)
def test_real_data(shared_data, name, n_questions, n_recovered, expected):
    path = shared_data / "data" / "squad" / name
    if not path.exists():
        pytest.skip(f"no file {path}")
    data = squad.read_data(path)
    assert len(data.questions) == n_questions
    assert (data.n_unanswerable, data.n_misplaced_answers) == (0, 0)
    outcomes = collections.Counter()
    recovered = set()
    for question, answer, alignment, text in check_answers.align_answers(
        data.questions
    ):
        outcomes[alignment.outcome] += 1
        assert (text == answer.text) == (alignment.outcome == "exact")
        # What begins or ends inside a token loses nothing.
        assert answer.text in text
        if text == answer.text:
            recovered.add(question.id)
    print(f"{name}: {dict(outcomes)}, {len(recovered)} questions recovered")
    assert outcomes == expected
    assert len(recovered) == n_recovered
