"""The figures are those of the official script of SQuAD v1.1."""

import gzip
import json
import random

import pytest

from bidaf_tf import squad
from bidaf_tf import squad_metrics
from bidaf_tf.squad_answer import SquadAnswer
from bidaf_tf.squad_question import SquadQuestion
from tests import binaries
from tests.reference import squad_scores


def make_question(question_id, *answers):
    return SquadQuestion(
        id=question_id,
        title="",
        context="",
        question="",
        answers=tuple(SquadAnswer(text, 0) for text in answers),
    )


def write_files(folder, predictions, *questions):
    """Writes both files; returns their paths."""
    data = {"version": "1.1", "data": [{"title": "T", "paragraphs": []}]}
    paragraph = {"context": "The cat sat on a mat.", "qas": list(questions)}
    data["data"][0]["paragraphs"].append(paragraph)
    paths = folder / "data.json", folder / "predictions.json"
    for path, content in zip(paths, (data, predictions), strict=True):
        path.write_text(json.dumps(content))
    return paths


def question_fields(question_id, *answers, **more):
    return {
        "id": question_id,
        "question": "Who?",
        "answers": [{"text": text, "answer_start": 0} for text in answers],
        **more,
    }


class TestNormalizeAnswer:
    @pytest.mark.parametrize(
        "text, expected",
        [
            ("The  Cat's\tmat.", "cats mat"),
            ("a cat an egg the end", "cat egg end"),
            ("theme another, An", "theme another"),
            # Punctuation goes before the articles are looked for.
            ("t.h.e cat", "cat"),
            ("a-cat", "acat"),
            ("the—cat “a”", "—cat “ ”"),
            ("the_cat", "thecat"),
            ("$5,000", "5000"),
            ("a\u00a0b\u3000c", "b c"),
            ("ÉCOLE", "école"),
            ("the", ""),
            ("", ""),
        ],
    )
    def test_what_is_left(self, text, expected):
        assert squad_metrics.normalize_answer(text) == expected


class TestF1Score:
    @pytest.mark.parametrize(
        "prediction, answer, expected",
        [
            ("the cat", "A cat!", 1),
            ("black cat", "cat", 2 / 3),
            ("cat cat", "cat", 2 / 3),
            ("cat cat dog", "cat cat cat", 2 / 3),
            ("dog", "cat", 0),
            ("", "cat", 0),
            # In version 2.0 of the script it is 1.
            ("the", "a", 0),
        ],
    )
    def test_by_hand(self, prediction, answer, expected):
        found = squad_metrics.f1_score(prediction, answer)
        assert found == pytest.approx(expected, abs=1e-15)


class TestScore:
    def test_best_of_all_answers(self):
        questions = [
            make_question("1", "cat", "black cat"),
            make_question("2", "dog"),
            make_question("3", "fish", "a grey fish"),
        ]
        predictions = {"1": "The black cat", "2": "cat", "3": "grey fish soup"}
        assert squad_metrics.score(questions, predictions) == {
            "exact_match": pytest.approx(100 / 3),
            "f1": pytest.approx(100 * (1 + 0.8) / 3),
        }

    def test_missing_prediction(self, capsys):
        questions = [make_question("1", "cat"), make_question("2", "dog")]
        scores = squad_metrics.score(questions, {"2": "dog", "9": "cow"})
        assert scores == {"exact_match": 50.0, "f1": 50.0}
        assert capsys.readouterr() == (
            "",
            "Unanswered question 1 will receive score 0.\n",
        )

    def test_empty_when_normalised(self):
        """An exact match with an F1 of 0, as in the script."""
        scores = squad_metrics.score([make_question("1", "the")], {"1": ""})
        assert scores == {"exact_match": 100.0, "f1": 0.0}

    def test_equals_the_reference(self):
        generator = random.Random(0)
        pieces = "a an the cat The dog — “ ” - . , ' _ é 5 ² ا \u0301 \n".split(
            " "
        )

        def text():
            return "".join(
                generator.choice(pieces) + generator.choice(["", " "])
                for _ in range(generator.randint(0, 6))
            )

        answers = {
            str(i): [text() for _ in range(generator.randint(1, 3))]
            for i in range(2000)
        }
        predictions = {question_id: text() for question_id in answers}
        questions = [
            make_question(question_id, *texts)
            for question_id, texts in answers.items()
        ]
        expected = squad_scores.scores(answers, predictions)
        assert 5 < expected["exact_match"] < 95
        assert 5 < expected["f1"] < 95
        assert squad_metrics.score(questions, predictions) == pytest.approx(
            expected, rel=1e-12
        )
        for texts in answers.values():
            for text_ in texts:
                assert squad_metrics.normalize_answer(text_) == " ".join(
                    squad_scores.words(text_)
                )


class TestBinary:
    def test_one_line(self, tmp_path):
        paths = write_files(
            tmp_path,
            {"1": "the cat!"},
            question_fields("1", "dog", "cat"),
            question_fields("2", "The cat"),
            question_fields("3", is_impossible=True),
        )
        result = binaries.run("bidaf_tf.squad_metrics", *paths)
        assert result.returncode == 0
        assert result.stdout == '{"exact_match": 50.0, "f1": 50.0}\n'
        assert result.stderr == (
            "Questions without an answer, left out: 1\n"
            "Unanswered question 2 will receive score 0.\n"
        )

    @pytest.mark.parametrize(
        "arguments, message",
        [
            ([], "missing argument DATA.json; --help tells more"),
            (["a"], "missing argument PREDICTIONS.json; --help tells more"),
            (["a", "b"], "a: cannot be read: No such file or directory"),
        ],
    )
    def test_mistakes(self, arguments, message):
        result = binaries.run("bidaf_tf.squad_metrics", *arguments)
        binaries.check_mistake(result, "squad_metrics", message)

    def test_mistake_in_predictions(self, tmp_path):
        paths = write_files(tmp_path, {"1": 5}, question_fields("1", "cat"))
        result = binaries.run("bidaf_tf.squad_metrics", *paths)
        binaries.check_mistake(
            result,
            "squad_metrics",
            f"{paths[1]}: question '1': found 5, expected a text",
        )


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "BERT__ensemble___Google_AI_Language_.json",
        "Logistic_Regression_Baseline__Stanford_University_.json",
        "Match_LSTM_with_Ans_Ptr__Boundary+Ensemble___Singapore_Management_"
        "University_.json",
    ],
)
def test_the_official_figures(shared_data, name):
    """To every digit, for predictions that were submitted."""
    folder = shared_data / "data" / "squad"
    if not folder.is_dir():
        pytest.skip(f"no folder {folder}")
    data = squad.read_data(
        folder / "squad1.1-dev-reconstructed/dev-v1.1.reconstructed.json.gz"
    )
    predictions = folder / "squad1.1-dev-official-predictions" / f"{name}.gz"
    lines = (folder / "expected-em-f1.tsv").read_text().splitlines()
    expected = dict(line.split("\t") for line in lines)
    scores = squad_metrics.score(
        data.questions, squad.read_predictions(predictions)
    )
    assert len(data.questions) == 10570
    assert (
        json.dumps(scores)
        == expected[f"squad1.1-dev-official-predictions/{name}"]
    )
    # The reference on real text, up to the order of its operations.
    answers = {
        question.id: [answer.text for answer in question.answers]
        for question in data.questions
    }
    with gzip.open(predictions, "rt", encoding="utf-8") as file:
        reference = squad_scores.scores(answers, json.load(file))
    assert reference == pytest.approx(scores, rel=1e-12)
