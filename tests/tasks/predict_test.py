"""The binary that writes predictions, run as a user runs it."""

import json
import os

import pytest

from tasks.ner.metrics import score_file
from tests import binaries
from tests.tasks import tiny_ner


def run(*arguments):
    return binaries.run("tasks.predict", *arguments)


def predict(training, input_path, output, *arguments):
    """Returns the lines of the output."""
    result = run(
        f"--model_dir={training.model_dir}",
        f"--input_path={input_path}",
        f"--output={output}",
        *arguments,
    )
    assert result.returncode == 0, result.stderr
    # One line and nothing else.
    assert list(json.loads(result.stdout)) == ["examples"]
    return output.read_text(encoding="utf-8").splitlines()


@pytest.fixture(scope="module")
def predicted(training, tmp_path_factory):
    """The predictions for the test data."""
    output = tmp_path_factory.mktemp("predicted") / "output.txt"
    predict(training, training.test, output)
    return output


@pytest.mark.slow
def test_the_file_and_a_column(predicted):
    lines = predicted.read_text(encoding="utf-8").splitlines()
    found = [line.rpartition(" ")[0] for line in lines]
    # Without the line that begins the document.
    assert found == [*tiny_ner.TEST.splitlines()[2:], ""]


@pytest.mark.slow
def test_scores_like_the_validation(training, predicted):
    results = json.loads((training.model_dir / "results.json").read_text())
    found = score_file(str(predicted))
    for name in ("precision", "recall", "f1", "found", "correct", "tokens"):
        assert found[name] == results["validation"][name]


@pytest.mark.slow
def test_words_alone(training, predicted, tmp_path):
    """The same tags in BIO, beside the words."""
    path = tmp_path / "words.txt"
    path.write_text(
        "\n\n".join("\n".join(tokens) for tokens in tiny_ner.TEST_TOKENS),
        encoding="utf-8",
    )
    lines = predict(training, path, tmp_path / "output.txt", "--batch_size=1")
    rows = [line.split(" ") for line in lines if line]
    assert {len(row) for row in rows} == {2}
    assert [row[0] for row in rows] == sum(tiny_ner.TEST_TOKENS, [])
    (tmp_path / "both.txt").write_text(
        "\n".join(
            f"{line and line + ' '}{other.rpartition(' ')[2]}"
            for line, other in zip(
                lines,
                predicted.read_text(encoding="utf-8").splitlines(),
                strict=True,
            )
        ),
        encoding="utf-8",
    )
    # Its other column is in IOB1.
    assert score_file(str(tmp_path / "both.txt"))["f1"] == 1.0


@pytest.mark.slow
def test_what_was_there_is_replaced(training, predicted, tmp_path):
    output = tmp_path / "output.txt"
    output.write_text("old")
    predict(training, training.test, output)
    assert output.read_text("utf-8") == predicted.read_text("utf-8")
    assert os.listdir(tmp_path) == ["output.txt"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "text, message",
    [
        ("a O\nb\n", "input.txt:2: found 1 column, expected 2 as in line 1"),
        ("\n", "input.txt: found no token, expected one token a line "),
        (None, "input.txt: cannot be read: No such file or directory"),
    ],
)
def test_a_mistake_in_the_data(training, tmp_path, monkeypatch, text, message):
    monkeypatch.chdir(tmp_path)
    if text is not None:
        (tmp_path / "input.txt").write_text(text)
    before = os.listdir(tmp_path)
    result = run(
        f"--model_dir={training.model_dir}",
        "--input_path=input.txt",
        "--output=output.txt",
    )
    binaries.check_mistake(result, "predict", message)
    assert os.listdir(tmp_path) == before


@pytest.mark.slow
def test_a_task_without_n_best_answers(training, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run(
        f"--model_dir={training.model_dir}",
        # Not looked at before.
        "--input_path=none",
        "--output=output.txt",
        "--n_best_output=best.json",
    )
    binaries.check_mistake(
        result,
        "predict",
        f"--n_best_output: {training.model_dir} is of the task ner, which has "
        "no n best answers",
    )
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--model_dir=."], ".: not the folder of a task's training"),
        (
            ["--output=none/output.txt"],
            "--output=none/output.txt: expected a file in an existing folder",
        ),
        (["--output=."], "--output=.: expected a file in an existing folder"),
        (
            ["--output=input.txt"],
            "--output=input.txt: is one of the input files",
        ),
        (["--batch_size=0"], "flag --batch_size=0: "),
        (
            ["--n_best_output=./output.txt"],
            "--n_best_output=./output.txt: expected another file than in "
            "--output=output.txt",
        ),
        (["--n_best=3"], "--n_best: expected with --n_best_output only"),
        (["--n_best=0"], "flag --n_best=0: "),
        (["extra"], "unexpected argument 'extra'; every option is a flag"),
    ],
)
def test_wrong_flags(tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "input.txt").write_text("a O\n")
    result = run(
        "--model_dir=none",
        "--input_path=input.txt",
        "--output=output.txt",
        *arguments,
    )
    binaries.check_mistake(result, "predict", message)
    assert os.listdir(tmp_path) == ["input.txt"]
    assert (tmp_path / "input.txt").read_text() == "a O\n"


def test_missing_flags():
    result = run("--model_dir=none", "--input_path=x")
    binaries.check_mistake(
        result, "predict", "flag --output=None: Flag --output must have a value"
    )
