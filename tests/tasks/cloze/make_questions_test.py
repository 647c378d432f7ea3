import json

import pytest

from bidaf_tf.cloze_data import read_questions
from tests import binaries

_ARTICLE = """\
Dr. Lee of {0} met Bo in Oslo. Then Bo left for {0} with Lee.

People of Oslo saw how Lee and Bo came
back from {0}.
"""


@pytest.fixture
def articles(tmp_path):
    (tmp_path / "articles").mkdir()
    for number in range(10):
        (tmp_path / "articles" / f"{number}.txt").write_text(
            _ARTICLE.format(f"City{number}")
        )
    return f"{tmp_path}/articles/*.txt"


def make(articles, output, *arguments):
    return binaries.run(
        "tasks.cloze.make_questions",
        f"--input_path={articles}",
        f"--output_dir={output}",
        *arguments,
    )


def test_makes_questions(articles, tmp_path):
    result = make(articles, tmp_path / "questions", "--test_fraction=0.3")
    assert result.returncode == 0, result.stderr
    counts = json.loads(result.stdout.splitlines()[-1])
    assert counts.pop("articles") == 10
    urls = {}
    for split, n in counts.items():
        questions = read_questions(tmp_path / "questions" / split)
        assert len(questions) == n
        urls[split] = {question.url.split("#")[0] for question in questions}
        for question in questions:
            text = question.context + question.question
            assert "dr. @" in text and "people of @" in text
    assert {split: len(found) for split, found in urls.items()} == {
        "training": 6,
        "validation": 1,
        "test": 3,
    }
    # No article is in two of them.
    assert len(set.union(*urls.values())) == 10
    again = make(articles, tmp_path / "again", "--test_fraction=0.3")
    assert again.stdout == result.stdout
    for split in urls:
        assert read_questions(tmp_path / "again" / split) == read_questions(
            tmp_path / "questions" / split
        )
    other = make(articles, tmp_path / "other", "--seed=2")
    assert other.returncode == 0
    assert read_questions(tmp_path / "other" / "test") != read_questions(
        tmp_path / "questions" / "test"
    )


def test_mistakes(articles, tmp_path):
    (tmp_path / "empty.txt").write_text("nothing with a name.\n")
    cases = [
        (
            (articles, tmp_path / "x", "--test_fraction=0.9"),
            "found 10 articles, expected more than the 1 for validation and "
            "the 9 to test on",
        ),
        (
            (tmp_path / "empty.txt", tmp_path / "x"),
            f"--input_path={tmp_path}/empty.txt: found nothing to ask about in "
            "the 1 articles for training",
        ),
        (
            (articles, tmp_path / "articles"),
            f"{tmp_path}/articles: exists already; remove it first",
        ),
    ]
    for arguments, message in cases:
        binaries.check_mistake(make(*arguments), "make_questions", message)
    assert not (tmp_path / "x").exists()
