"""SQuAD's files: what is read, what is written, what is wrong with them."""

import copy
import gzip
import json

import pytest

from bidaf_tf import squad
from bidaf_tf.answer import Answer
from bidaf_tf.squad_answer import SquadAnswer
from bidaf_tf.squad_question import SquadQuestion
from elmo_tf.errors import InputError

CONTEXT = "A 😀 cat sat."
DATA = {
    "version": "1.1",
    "data": [
        {
            "title": "Cats",
            "paragraphs": [
                {
                    "context": CONTEXT,
                    "qas": [
                        {
                            "id": "q1",
                            "question": "What sat?",
                            "answers": [
                                {"text": "A 😀 cat", "answer_start": 0},
                                {"text": "cat", "answer_start": 4},
                            ],
                        },
                        {
                            "id": "q2",
                            "question": "What did it do?",
                            "answers": [{"text": "sat", "answer_start": 8}],
                        },
                    ],
                },
                {"context": "", "qas": []},
            ],
        },
        {
            "title": "Dogs",
            "paragraphs": [
                {
                    "context": "No dog.",
                    "qas": [
                        {
                            "id": "q3",
                            "question": "",
                            "answers": [{"text": "dog", "answer_start": 3}],
                            "more": None,
                        }
                    ],
                }
            ],
        },
    ],
}
QUESTIONS = (
    SquadQuestion(
        "q1",
        "Cats",
        CONTEXT,
        "What sat?",
        (SquadAnswer("A 😀 cat", 0), SquadAnswer("cat", 4)),
    ),
    SquadQuestion(
        "q2", "Cats", CONTEXT, "What did it do?", (SquadAnswer("sat", 8),)
    ),
    SquadQuestion("q3", "Dogs", "No dog.", "", (SquadAnswer("dog", 3),)),
)
# What SQuAD 2.0 adds.
IMPOSSIBLE = {
    "id": "q9",
    "question": "Which cow?",
    "answers": [],
    "plausible_answers": [{"text": "cat", "answer_start": 4}],
    "is_impossible": True,
}


def with_value(value, *keys):
    """A copy of `DATA` with another value somewhere; None: without one."""
    data = copy.deepcopy(DATA)
    place = data
    for key in keys[:-1]:
        place = place[key]
    if value is None:
        del place[keys[-1]]
    else:
        place[keys[-1]] = value
    return data


PARAGRAPH = ("data", 0, "paragraphs", 0)
QUESTION = (*PARAGRAPH, "qas", 1)
ANSWER = (*QUESTION, "answers", 0)


def with_questions(*questions):
    """A copy of `DATA` with more questions about the first paragraph."""
    data = copy.deepcopy(DATA)
    data["data"][0]["paragraphs"][0]["qas"] += questions
    return data


@pytest.fixture
def write(tmp_path):
    """A function that writes bytes, or JSON, to a file; returns the path."""

    def write_file(content, name="data.json"):
        path = tmp_path / name
        if not isinstance(content, bytes):
            content = json.dumps(content, ensure_ascii=False).encode()
        path.write_bytes(content)
        return path

    return write_file


def message_of(function, *args):
    """The message of the InputError that a call raises, one line."""
    with pytest.raises(InputError) as info:
        function(*args)
    message = str(info.value)
    assert "\n" not in message
    return message


class TestReadData:
    def test_all_there_is(self, write):
        assert squad.read_data(write(DATA)) == squad.SquadData(QUESTIONS, 0, 0)

    def test_gzip_and_byte_order_mark(self, write):
        content = b"\xef\xbb\xbf" + json.dumps(DATA).encode()
        path = write(gzip.compress(content), "data.json.gz")
        assert squad.read_data(path).questions == QUESTIONS

    def test_article_without_a_title(self, write):
        path = write(with_value(None, "data", 0, "title"))
        assert squad.read_data(path).questions[0].title == ""

    @pytest.mark.parametrize(
        "more",
        [
            IMPOSSIBLE,
            {"id": "q9", "question": "Which cow?", "is_impossible": True},
            {"id": "q9", "question": "Which cow?", "answers": []},
        ],
    )
    def test_unanswerable_questions(self, write, more):
        path = write(with_questions(more))
        expected = squad.SquadData(QUESTIONS, 1, 0)
        assert squad.read_data(path) == expected
        kept = squad.read_data(path, keep_unanswerable=True)
        added = SquadQuestion("q9", "Cats", CONTEXT, "Which cow?", (), False)
        assert kept == squad.SquadData(
            (*QUESTIONS[:2], added, QUESTIONS[2]), 1, 0
        )

    def test_blank_answers(self, write):
        blank = {"text": " ", "answer_start": 1}
        path = write(with_value([blank], *QUESTION, "answers"))
        assert squad.read_data(path) == squad.SquadData(
            (QUESTIONS[0], QUESTIONS[2]), 1, 0
        )

    def test_answer_that_is_impossible(self, write):
        path = write(with_value(True, *QUESTION, "is_impossible"))
        assert squad.read_data(path).n_unanswerable == 1
        path = write(with_value(False, *QUESTION, "is_impossible"))
        assert squad.read_data(path) == squad.SquadData(QUESTIONS, 0, 0)

    @pytest.mark.parametrize("start", [-1, 7, 9, 1000])
    def test_misplaced_answers(self, write, start):
        path = write(with_value(start, *ANSWER, "answer_start"))
        data = squad.read_data(path)
        assert data.n_misplaced_answers == 1
        assert data.questions[1].answers == (SquadAnswer("sat", start),)

    def test_misplaced_answer_of_a_question_left_out(self, write):
        answer = {"text": "cow", "answer_start": 0}
        path = write(with_questions({**IMPOSSIBLE, "answers": [answer]}))
        assert squad.read_data(path).n_misplaced_answers == 0
        assert squad.read_data(path, True).n_misplaced_answers == 1

    def test_lone_surrogates_keep_the_offsets(self, write):
        data = json.dumps(DATA).replace("A \\ud83d\\ude00", "A \\ud83d")
        data = data.replace("sat.", "sat\\udc00")
        questions = squad.read_data(write(data.encode())).questions
        assert questions[0].context == "A \ufffd cat sat\ufffd"
        assert questions[0].answers[0].text == "A \ufffd cat"

    @pytest.mark.parametrize(
        "content, message",
        [
            (b"", ": empty file, expected questions in SQuAD's JSON format"),
            (
                b'{"data":\n [}',
                ":2: found no valid JSON (Expecting value, character 3 of the "
                "line), expected questions in SQuAD's JSON format",
            ),
            (
                b'{"a": "\xff"}',
                ":1: byte 0xff at position 8 of the line is not UTF-8 (invalid "
                "start byte); expected UTF-8 text, plain or gzip",
            ),
            ([], ": found [], expected an object"),
            ({"version": "1.1"}, ": found no data, expected a list"),
            ({"data": {}}, ": found {} as data, expected a list"),
            ({"data": []}, ": found no question, expected at least one"),
            (
                {"data": [5]},
                ": article 1: found 5, expected an object",
            ),
            (
                with_value(["x"], "data", 1, "title"),
                ': article 2: found ["x"] as title, expected a text',
            ),
            (
                with_value(None, "data", 1, "paragraphs"),
                ": article 2: found no paragraphs, expected a list",
            ),
            (
                with_value("x" * 99, "data", 1, "paragraphs", 0),
                f': article 2, paragraph 1: found "{"x" * 59}…, expected an '
                "object",
            ),
            (
                with_value(None, *PARAGRAPH, "context"),
                ": article 1, paragraph 1: found no context, expected a text",
            ),
            (
                with_value(7, *PARAGRAPH, "context"),
                ": article 1, paragraph 1: found 7 as context, expected a text",
            ),
            (
                with_value(None, *PARAGRAPH, "qas"),
                ": article 1, paragraph 1: found no qas, expected a list",
            ),
            (
                with_value("é", *QUESTION),
                ': article 1, paragraph 1: found "é", expected an object',
            ),
            (
                with_value(None, *QUESTION, "id"),
                ": article 1, paragraph 1: found no id, expected a text",
            ),
            (
                with_value(2, *QUESTION, "id"),
                ": article 1, paragraph 1: found 2 as id, expected a text",
            ),
            (
                with_value("q1", *QUESTION, "id"),
                ": article 1, paragraph 1, question 'q1': found the id of an "
                "earlier question, expected one of its own",
            ),
            (
                with_questions(IMPOSSIBLE, IMPOSSIBLE),
                ": article 1, paragraph 1, question 'q9': found the id of an "
                "earlier question, expected one of its own",
            ),
            (
                with_value(None, *QUESTION, "question"),
                ": article 1, paragraph 1, question 'q2': found no question, "
                "expected a text",
            ),
            (
                with_value(None, *QUESTION, "answers"),
                ": article 1, paragraph 1, question 'q2': found no answers, "
                "expected a list",
            ),
            (
                with_value("sat", *QUESTION, "answers"),
                ": article 1, paragraph 1, question 'q2': found \"sat\" as "
                "answers, expected a list",
            ),
            (
                with_value(1, *QUESTION, "is_impossible"),
                ": article 1, paragraph 1, question 'q2': found 1 as "
                "is_impossible, expected true or false",
            ),
            (
                with_value("sat", *ANSWER),
                ": article 1, paragraph 1, question 'q2', answer 1: found "
                '"sat", expected an object',
            ),
            (
                with_value(None, *ANSWER, "text"),
                ": article 1, paragraph 1, question 'q2', answer 1: found no "
                "text, expected a text",
            ),
            (
                with_value("8", *ANSWER, "answer_start"),
                ": article 1, paragraph 1, question 'q2', answer 1: found "
                '"8" as answer_start, expected a whole number',
            ),
            (
                with_value(True, *ANSWER, "answer_start"),
                ": article 1, paragraph 1, question 'q2', answer 1: found "
                "true as answer_start, expected a whole number",
            ),
        ],
    )
    def test_mistakes(self, write, content, message):
        path = write(content)
        assert message_of(squad.read_data, path) == f"{path}{message}"

    def test_no_question_with_an_answer(self, write):
        paragraph = {"context": CONTEXT, "qas": [IMPOSSIBLE]}
        path = write({"data": [{"paragraphs": [paragraph]}]})
        assert message_of(squad.read_data, path) == (
            f"{path}: found no question with an answer (of 1 in all), expected "
            "at least one"
        )
        assert len(squad.read_data(path, True).questions) == 1

    def test_missing_file(self, tmp_path):
        path = tmp_path / "no.json"
        assert message_of(squad.read_data, path) == (
            f"{path}: cannot be read: No such file or directory"
        )

    def test_damaged_gzip(self, write):
        path = write(gzip.compress(json.dumps(DATA).encode())[:-20])
        assert message_of(squad.read_data, path).startswith(
            f"{path}:1: damaged gzip file ("
        )

    @pytest.mark.parametrize(
        "content", [b"[" * 100_000, b"[" + b"1" * 5000 + b"]"]
    )
    def test_json_that_python_cannot_hold(self, write, content):
        path = write(content)
        message = message_of(squad.read_data, path)
        assert message.startswith(f"{path}: found no valid JSON (")
        assert message.endswith("), expected questions in SQuAD's JSON format")


class TestReadQuestions:
    def test_answers_need_not_be_there(self, write):
        data = with_questions(IMPOSSIBLE)
        del data["data"][0]["paragraphs"][0]["qas"][1]["answers"]
        found = squad.read_questions(write(data))
        assert [question.id for question in found.questions] == [
            "q1",
            "q2",
            "q9",
            "q3",
        ]
        assert found.questions[0] == QUESTIONS[0]
        assert found.questions[1].answers == ()
        assert found.questions[1].is_answerable
        assert not found.questions[2].is_answerable
        assert found.n_unanswerable == 1

    def test_mistake(self, write):
        path = write(with_value(5, *QUESTION, "answers"))
        assert message_of(squad.read_questions, path) == (
            f"{path}: article 1, paragraph 1, question 'q2': found 5 as "
            "answers, expected a list"
        )


class TestWriteData:
    def test_what_is_in_it(self, tmp_path):
        path = tmp_path / "data.json"
        squad.write_data(path, QUESTIONS)
        expected = copy.deepcopy(DATA)
        del expected["data"][0]["paragraphs"][1]
        del expected["data"][1]["paragraphs"][0]["qas"][0]["more"]
        assert json.loads(path.read_bytes()) == expected
        assert squad.read_data(path).questions == QUESTIONS

    def test_same_context_in_two_articles(self, tmp_path):
        path = tmp_path / "data.json"
        questions = [
            SquadQuestion(str(i), title, "Yes.", "?", (SquadAnswer("Yes", 0),))
            for i, title in enumerate("aab")
        ]
        squad.write_data(path, questions)
        articles = json.loads(path.read_bytes())["data"]
        assert [
            [len(paragraph["qas"]) for paragraph in article["paragraphs"]]
            for article in articles
        ] == [[2], [1]]


class TestPredictions:
    def test_written_and_read(self, tmp_path):
        path = tmp_path / "predictions.json"
        predictions = {"q1": "😀 “cat”", "é": ""}
        squad.write_predictions(path, predictions)
        # As the official scorer reads it, whatever the computer's locale.
        assert json.loads(path.read_text(encoding="ascii")) == predictions
        assert squad.read_predictions(path) == predictions

    def test_gzip_and_lone_surrogate(self, write):
        path = write(gzip.compress(b'{"q": "a\\ud800"}'))
        assert squad.read_predictions(path) == {"q": "a\ufffd"}

    def test_a_file_is_whole_or_as_before(self, tmp_path):
        path = tmp_path / "predictions.json"
        squad.write_predictions(path, {"q1": "cat"})
        with pytest.raises(TypeError):
            squad.write_predictions(path, {"q1": "cat", "q2": b"dog"})
        assert squad.read_predictions(path) == {"q1": "cat"}
        assert list(tmp_path.iterdir()) == [path]

    @pytest.mark.parametrize(
        "content, message",
        [
            (
                b"",
                ": empty file, expected an object from question ids to answers",
            ),
            (
                b'{"q1": "cat",\n "q2"}',
                ":2: found no valid JSON (Expecting ':' delimiter, character 6 "
                "of the line), expected an object from question ids to answers",
            ),
            (["cat"], ': found ["cat"], expected an object'),
            (
                {"q1": "cat", "q2": ["dog"]},
                ": question 'q2': found [\"dog\"], expected a text",
            ),
            ({"q1": None}, ": question 'q1': found null, expected a text"),
        ],
    )
    def test_mistakes(self, write, content, message):
        path = write(content)
        assert message_of(squad.read_predictions, path) == f"{path}{message}"


RANKED = {
    "q1": [Answer("Zoë 😀", 2, 7, 0.75), Answer("", 0, 0, 0.0)],
    "": [Answer("cat", 4, 7, 1.0)],
}
FIELDS = {"text": "cat", "probability": 0.5, "start": 4, "end": 7}


class TestNBest:
    def test_there_and_back(self, tmp_path):
        path = tmp_path / "n_best.json"
        squad.write_n_best(str(path), RANKED)
        assert squad.read_n_best(str(path)) == RANKED
        content = json.loads(path.read_text("ascii"))
        assert content[""] == [
            {"text": "cat", "probability": 1.0, "start": 4, "end": 7}
        ]
        path.write_bytes(gzip.compress(path.read_bytes()))
        assert squad.read_n_best(str(path)) == RANKED

    def test_whole_numbers_and_lone_surrogates(self, write):
        fields = {"text": "\ud800x", "probability": 1, "start": 0, "end": 2}
        assert squad.read_n_best(
            write(json.dumps({"1": [fields]}).encode())
        ) == {"1": [Answer("\ufffdx", 0, 2, 1.0)]}

    @pytest.mark.parametrize(
        "content, message",
        [
            ([], ": found [], expected an object"),
            ({"1": "x"}, ": question '1': found \"x\", expected a list"),
            (
                {"1": []},
                ": question '1': found no answer, expected at least one",
            ),
            (
                {"1": ["x"]},
                ": question '1', answer 1: found \"x\", expected an object",
            ),
            (
                {"1": [FIELDS, FIELDS]},
                ": question '1', answer 2: found the place of an earlier "
                "answer, 4 to 7, expected another",
            ),
            *(
                (
                    {"1": [{**FIELDS, name: value}]},
                    f": question '1', answer 1: found {message}",
                )
                for name, value, message in (
                    ("text", 1, "1 as text, expected a text"),
                    ("start", "4", '"4" as start, expected a whole number'),
                    ("end", 7.0, "7.0 as end, expected a whole number"),
                    (
                        "probability",
                        True,
                        "true as probability, expected a number from 0 to 1",
                    ),
                    (
                        "probability",
                        1.5,
                        "1.5 as probability, expected a number from 0 to 1",
                    ),
                    (
                        "probability",
                        float("nan"),
                        "nan as probability, expected a number from 0 to 1",
                    ),
                    (
                        "start",
                        5,
                        "5 and 7 as start and end, expected offsets 3 "
                        "characters apart, as the text is long",
                    ),
                    (
                        "start",
                        -4,
                        "-4 and 7 as start and end, expected offsets 3 "
                        "characters apart, as the text is long",
                    ),
                )
            ),
            # As BERT writes them.
            (
                {"1": [{"text": "cat", "probability": 0.5, "start_logit": 1}]},
                ": question '1', answer 1: found no start, expected a whole "
                "number",
            ),
        ],
    )
    def test_mistakes(self, write, content, message):
        path = write(content)
        assert message_of(squad.read_n_best, path) == f"{path}{message}"
