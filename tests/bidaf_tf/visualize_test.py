"""The report as the binary writes it, of a tiny exported model."""

import dataclasses
import html.parser
import json
import re

import pytest
import tensorflow as tf

from bidaf_tf import squad
from bidaf_tf import squad_metrics
from bidaf_tf.squad_answer import SquadAnswer
from bidaf_tf.squad_question import SquadQuestion
from tests import binaries
from tests.tasks.squad import tiny_squad

ATTACK = '<script>alert("x")</script><img src="https://example.org/a.png">'
HEBREW = "בירת צרפת היא פריז ."
MONTHS = (
    "In January, in February, in March, in April and in May it rained. Then, "
    "in June and in July, in August, in September and in October, it did not."
)


def make_questions():
    questions = []
    for number, (context, asked, answer) in enumerate(
        [
            (f"Ann met Bob in Oslo. {ATTACK} & so on.", "Who met Bob?", "Ann"),
            (f"Ann met Bob in Oslo. {ATTACK} & so on.", ATTACK, "Oslo"),
            (HEBREW, "מה בירת צרפת?", "פריז"),
            (MONTHS, "When did it rain?", "In January"),
            (MONTHS, "Who did it?", "it"),
            (MONTHS, "", "May"),
            ("Zoë 😀 met her.", "Who was met?", "her"),
        ]
    ):
        questions.append(
            SquadQuestion(
                f"q{number}",
                "T",
                context,
                asked,
                (SquadAnswer(answer, context.index(answer)),),
            )
        )
    return questions


class Page(html.parser.HTMLParser):
    """Checks that elements are closed, and collects them and their texts."""

    EMPTY = {"meta", "input"}

    def __init__(self, text):
        super().__init__()
        self.elements, self.texts = [], {}
        self._open = []
        self.feed(text)
        assert self._open == []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in self.EMPTY:
            self._open.append(tag)

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_data(self, data):
        if self._open:
            self.texts.setdefault(self._open[-1], []).append(data)

    def attributes(self, tag):
        return [found for name, found in self.elements if name == tag]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("visualize")
    questions = make_questions()
    squad.write_data(str(folder / "data.json"), questions)
    words = ["who", "met", "ann", "bob", "in", "january", "march", "may"]
    words += ["february", "april", "june"]
    task_model = tiny_squad.make_task_model(folder / "vocab.txt", words)
    tiny_squad.export(folder / "model", task_model)
    # Every other answer is right.
    squad.write_predictions(
        str(folder / "other.json"),
        {
            question.id: question.answers[0].text if number % 2 else "no"
            for number, question in enumerate(questions)
        },
    )
    return folder


def visualize(folder, *arguments, output="report.html"):
    return binaries.run(
        "bidaf_tf.visualize",
        f"--saved_model={folder}/model",
        f"--input_path={folder}/data.json",
        f"--output={folder}/{output}",
        *arguments,
    )


def read_report(folder, *arguments):
    result = visualize(folder, *arguments)
    assert result.returncode == 0, result.stderr
    text = (folder / "report.html").read_text(encoding="utf-8")
    return json.loads(result.stdout), text, result


@pytest.fixture(scope="module")
def report(folder):
    """The numbers, the text and the run of a report with all its parts."""
    other = f"--other_predictions={folder}/other.json"
    return read_report(folder, other, "--n_questions=7")


def sections(text):
    return re.findall(r'<section id="([\w-]+)"', text)


@pytest.mark.slow
def test_numbers(folder, report):
    found, text, result = report
    answer = tf.saved_model.load(f"{folder}/model").signatures["default"]
    questions = make_questions()
    predictions = {}
    for question in questions:
        outputs = answer(
            context=tf.constant([question.context]),
            question=tf.constant([question.question]),
        )
        predictions[question.id] = outputs["answer"].numpy()[0].decode()
    scores = squad_metrics.score(questions, predictions)
    n_right = round(scores["exact_match"] * 7 / 100)
    assert found == {"questions": 7, **scores, "wrong": 7 - n_right}
    for scored in (
        scores,
        squad_metrics.score(
            questions, squad.read_predictions(f"{folder}/other.json")
        ),
    ):
        assert f"EM {scored['exact_match']:.2f}, F1 {scored['f1']:.2f}" in text
    assert "7 questions about 4 contexts" in text
    assert "question 7/7" in result.stderr


@pytest.mark.slow
def test_the_page_is_whole_and_loads_nothing(report):
    _, text, _ = report
    page = Page(text)
    assert sections(text) == [
        "attention",
        "nearest-words",
        "months",
        "first-words",
        "agreement",
        "errors",
    ]
    ids = [found.get("id") for _, found in page.elements if found.get("id")]
    assert len(ids) == len(set(ids))
    for tag, attributes in page.elements:
        assert tag not in {"img", "link", "iframe", "object", "embed", "base"}
        assert attributes.get("href", "#").startswith("#")
        assert not {"src", "srcset", "style", "onload"} & attributes.keys()
        # A picture is named, unless what it shows stands beside it.
        if tag == "svg":
            assert attributes.get("aria-hidden") or attributes["aria-label"]
    assert "url(" not in "".join(page.texts["style"])
    assert "import" not in "".join(page.texts["style"])
    assert {f"#{name}" for name in sections(text)} == {
        found["href"] for found in page.attributes("a")
    }


@pytest.mark.slow
def test_texts_stay_texts(report):
    _, text, _ = report
    page = Page(text)
    assert len(page.attributes("script")) == 1
    assert "alert(" not in "".join(page.texts["script"])
    assert "&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;" in text
    contexts = [
        found
        for found in page.attributes("p")
        if found.get("class") == "context"
    ]
    assert {found["dir"] for found in contexts} == {"auto"}
    assert "בירת צרפת היא" in "".join(page.texts["p"])


@pytest.mark.slow
def test_the_same_again(folder, report):
    other = f"--other_predictions={folder}/other.json"
    _, again, _ = read_report(folder, other, "--n_questions=7")
    assert again == report[1]
    # Batches make no difference to what is drawn or right.
    _, smaller, _ = read_report(
        folder, other, "--n_questions=7", "--batch_size=2"
    )
    ids = re.compile('data-id="(.*?)"')
    assert ids.findall(smaller) == ids.findall(again)
    _, another, _ = read_report(folder, other, "--seed=1", "--n_questions=7")
    assert ids.findall(another) != ids.findall(again)


@pytest.mark.slow
def test_options(folder):
    predictions = {q.id: q.answers[0].text for q in make_questions()}
    predictions |= {"q2": "nowhere", "q6": "met"}
    path = folder / "predictions.json"
    squad.write_predictions(str(path), predictions)
    found, text, result = read_report(
        folder,
        f"--predictions={path}",
        "--questions=q3,q6",
        "--words=Who,Bob,Nobody",
        "--n_errors=1",
        "--context_words=1",
        "--attention_threshold=1",
    )
    assert found["wrong"] == 2
    assert found["exact_match"] == pytest.approx(500 / 7)
    assert "question 7/7" not in result.stderr
    assert "agreement" not in sections(text)
    assert re.findall(r"Question (\w+): ", text) == ["q3", "q6"]
    assert text.count('class="error"') == 1
    assert "In no question: Nobody." in text
    assert re.findall(r'scope="rowgroup"[^>]*>(\w+)<', text) == ["Who", "Bob"]
    assert "those of 1 of the 4 contexts" in text
    assert "of a share of 1 or more" in text
    assert text.count('<mark class="predicted">met</mark>') >= 1
    _, text, _ = read_report(
        folder, f"--predictions={path}", "--n_questions=0", "--n_errors=0"
    )
    assert "data-id" not in text and "Question q" not in text


@pytest.mark.slow
def test_predictions_that_lack_questions(folder, tmp_path):
    """As in the official script, what is not answered is wrong."""
    path = tmp_path / "few.json"
    questions = make_questions()
    squad.write_predictions(
        str(path), {q.id: q.answers[0].text for q in questions[:3]}
    )
    found, text, result = read_report(
        folder, f"--predictions={path}", f"--other_predictions={path}"
    )
    assert found["exact_match"] == pytest.approx(300 / 7)
    assert found["wrong"] == 4
    message = "; 4 questions have no answer there and count 0"
    assert text.count(message) == 2
    assert "Unanswered question q3 will receive score 0." in result.stderr
    assert ids_of_errors(text) == {"q3", "q4", "q5", "q6"}
    rows = re.findall(r"<tr><th[^>]*>(.*?)</th><td[^>]*>(\d)</td>", text)
    assert ("both", "3") in rows and ("neither", "4") in rows


def ids_of_errors(text):
    return set(re.findall('data-id="(.*?)"', text))


@pytest.mark.slow
def test_mistakes(folder, tmp_path):
    def check(message, *arguments):
        binaries.check_mistake(
            visualize(folder, *arguments, output="none.html"),
            "visualize",
            message,
        )
        assert not (folder / "none.html").exists()

    check(
        "--questions: found 'q9', expected the id of a question with an answer "
        f"in {folder}/data.json",
        "--questions=q1,q9",
    )
    check(
        "--questions, --n_questions: found both, expected at most one",
        "--questions=q1",
        "--n_questions=1",
    )
    few = tmp_path / "few.json"
    squad.write_predictions(str(few), {"q10": "a", "q13": "b"})
    for name in ("predictions", "other_predictions"):
        check(
            f"{few}: found answers to none of the 7 questions of "
            f"{folder}/data.json, expected one to each",
            f"--{name}={few}",
        )
    check(f"{tmp_path}/none: no such folder", f"--saved_model={tmp_path}/none")
    check(f"{tmp_path}: not a SavedModel", f"--saved_model={tmp_path}")
    check(f"{few}: found no data, expected a list", f"--input_path={few}")
    check(
        f"--output={tmp_path}/no/x.html: expected a file in an existing folder",
        f"--output={tmp_path}/no/x.html",
    )
    check(
        f"--output={few}: is one of the input files",
        f"--output={few}",
        f"--other_predictions={few}",
    )


@pytest.mark.slow
def test_models_that_cannot_be_looked_into(folder, tmp_path):
    functions = tiny_squad.make_functions(
        tiny_squad.make_task_model(tmp_path / "vocab.txt", ["a"])
    )
    signatures = functions.signatures()
    del signatures["inspect"]
    tf.saved_model.save(functions, f"{tmp_path}/model", signatures=signatures)
    result = visualize(folder, f"--saved_model={tmp_path}/model")
    binaries.check_mistake(
        result,
        "visualize",
        f"{tmp_path}/model: found the signatures default, tokens, expected "
        "inspect too: export the model anew",
    )
    squad.write_data(
        str(tmp_path / "unanswered.json"),
        [
            dataclasses.replace(question, answers=())
            for question in make_questions()
        ],
    )
    result = visualize(folder, f"--input_path={tmp_path}/unanswered.json")
    binaries.check_mistake(
        result, "visualize", f"{tmp_path}/unanswered.json: found no question"
    )
