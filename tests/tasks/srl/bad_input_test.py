"""Files that are wrong, or that hold very little, in every binary."""

import itertools
import json
import shutil

import pytest
import tensorflow as tf

from tasks.srl import data
from tasks.srl.file_layout import LAYOUTS
from tests import binaries
from tests.tasks.srl import tiny_srl

OPTIONS = {
    "task.n_layers": 1,
    "task.units": 4,
    "task.predicate_dim": 2,
    "task.word_vectors.dim": 4,
    "task.elmo.location": "none",
    "trainer.train_epochs": 1,
}
GOOD = "Go go (V*)\n\nHe - (A0*)\ncame come (V*)\n"
NO_PREDICATE = "Hello - \n\nGood -\nmorning -\n"
# What is wrong, and what is said behind the file's name.
BAD = {
    "an open bracket": (
        "He - (A0*\ncame come (V*)\n",
        ":1: found (A0 in column 3, expected a closing bracket before the "
        "sentence ends",
    ),
    "a closing bracket": (
        "He - (A0*)\ncame come (V*))\n",
        ":2: found '(V*))' in column 3, expected no closing bracket, as none "
        "is open",
    ),
    "the end of another role": (
        "He - (A0*A1)\ncame come (V*)\n",
        ":1: found '(A0*A1)' in column 3, expected the end of (A0",
    ),
    "columns that are not as many": (
        "He - (A0*)\ncame come\n",
        ":2: found 2 columns, expected 3 as in line 1, with spaces or tabs "
        "between them",
    ),
    "a predicate without a column": (
        "He - (A0*)\ncame come (V*)\n\nGo go\n",
        ":4: found 0 columns of arguments, expected 1, one for each predicate "
        "in column 2",
    ),
    "a column without a predicate": (
        "He - (A0*)\ncame - (V*)\n",
        ":1: found 1 column of arguments, expected 0, one for each predicate "
        "in column 2",
    ),
    "an argument that is outside": (
        "# global.columns = ID FORM UP:PRED UP:ARGSPANS\n"
        "1\tHe\t_\t_\n2\tcame\tcome.01\tA0:1-3\n",
        ":3: found 'A0:1-3' among the arguments, expected a role and words "
        "from 1 to 2, such as A0:1-2",
    ),
    "heads alone": (
        "# global.columns = ID FORM UP:PRED UP:ARGHEADS\n"
        "1\tHe\t_\t_\n2\tcame\tcome.01\tA0:1\n",
        ":1: found the columns ID, FORM, UP:PRED, UP:ARGHEADS, expected each "
        "once, and ID, UP:PRED, UP:ARGSPANS among them; a head does not tell "
        "its span",
    ),
    "nothing": (
        "\n",
        ": found no token, expected one token a line and blank lines between "
        "sentences",
    ),
}
NO_WORDS = (
    "- (A0*)\ncome (V*)\n",
    ":1: found no words, expected a file with a column of them; "
    "tasks.srl.convert --words=FILE makes one",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a tagger that has been trained for a step."""
    folder = tmp_path_factory.mktemp("srl")
    (folder / "good").write_text(GOOD)
    result = train(folder, "model", folder / "good", folder / "good")
    assert result.returncode == 0, result.stderr
    shutil.copytree(folder / "model", folder / "other")
    return folder


def train(folder, name, training_data, validation_data):
    options = {
        **OPTIONS,
        "task.train_data": {"input_path": str(training_data), "batch_size": 2},
        "task.validation_data.input_path": str(validation_data),
    }
    return binaries.run(
        "tasks.train",
        "--experiment=srl/conll2012",
        f"--model_dir={folder / name}",
        f"--params_override={json.dumps(options)}",
    )


def evaluate(folder, path):
    return binaries.run(
        "tasks.evaluate",
        f"--model_dir={folder / 'model'}",
        f"--input_path={path}",
    )


def predict(folder, path):
    return binaries.run(
        "tasks.predict",
        f"--model_dir={folder / 'model'}",
        f"--input_path={path}",
        f"--output={folder / 'predicted'}",
    )


def ensemble(folder, path):
    return binaries.run(
        "tasks.ensemble",
        *(f"--model_dir={folder / name}" for name in ("model", "other")),
        f"--input_path={path}",
    )


WITH_WORDS = {
    "train": lambda folder, path: train(folder, "none", path, folder / "good"),
    "train (validation)": lambda folder, path: train(
        folder, "validated", folder / "good", path
    ),
    "evaluate": evaluate,
    "predict": predict,
    "ensemble": ensemble,
}
WITHOUT_A_MODEL = {
    "convert": lambda folder, path: binaries.run(
        "tasks.srl.convert",
        path,
        *("--layout=props", f"--output={folder / 'converted'}"),
    ),
    "metrics": lambda folder, path: binaries.run(
        "tasks.srl.metrics", path, folder / "good"
    ),
    "metrics (predicted)": lambda folder, path: binaries.run(
        "tasks.srl.metrics", folder / "good", path
    ),
    "position_baseline": lambda folder, path: binaries.run(
        "tasks.srl.position_baseline",
        *(f"--train_data={path}", f"--test_data={folder / 'good'}"),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "binary, what",
    [
        *itertools.product(WITHOUT_A_MODEL, BAD),
        # One mistake of each reader is enough where a model is loaded first.
        *itertools.product(WITH_WORDS, ["an open bracket", "heads alone"]),
    ],
)
def test_mistakes(folder, tmp_path, binary, what):
    text, message = BAD[what]
    path = tmp_path / "bad"
    path.write_text(text)
    result = {**WITH_WORDS, **WITHOUT_A_MODEL}[binary](folder, path)
    binaries.check_mistake(result, binary.split(" ")[0], f"{path}{message}\n")


@pytest.mark.slow
@pytest.mark.parametrize("binary", WITH_WORDS)
def test_no_words(folder, tmp_path, binary):
    text, message = NO_WORDS
    path = tmp_path / "bad"
    path.write_text(text)
    result = WITH_WORDS[binary](folder, path)
    binaries.check_mistake(result, binary.split(" ")[0], f"{path}{message}\n")


@pytest.mark.slow
def test_words_of_other_sentences(folder, tmp_path):
    path, words = tmp_path / "props", tmp_path / "words"
    path.write_text(NO_WORDS[0])
    for text, message in (
        (
            "He\ncame\nin\n",
            ":1: found a sentence of 3 words, expected 2 as in ",
        ),
        ("He\ncame\n\nGo\n", ": found 2 sentences, expected 1 as in "),
    ):
        words.write_text(text)
        result = binaries.run(
            "tasks.srl.convert",
            path,
            *("--layout=conll2005", f"--output={tmp_path / 'output'}"),
            f"--words={words}",
        )
        binaries.check_mistake(result, "convert", f"{words}{message}{path}")
        assert not (tmp_path / "output").exists()


@pytest.mark.slow
def test_training_without_a_predicate(folder, tmp_path):
    path = tmp_path / "data"
    path.write_text(NO_PREDICATE)
    result = WITH_WORDS["train"](folder, path)
    binaries.check_mistake(
        result,
        "train",
        f"{path}: found no predicate, expected some to learn from\n",
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "binary", ["train (validation)", "evaluate", "ensemble"]
)
def test_measuring_without_a_predicate(folder, tmp_path, binary):
    """Nothing is there to find, and nothing is found."""
    path = tmp_path / "data"
    path.write_text(NO_PREDICATE)
    result = WITH_WORDS[binary](folder, path)
    assert result.returncode == 0, result.stderr
    found = json.loads(result.stdout.splitlines()[-1])
    found = found.get("validation", found)
    assert (found["f1"], found["sentences"], found["propositions"]) == (0, 2, 0)
    assert found["excess"] == found["missed"] == 0


@pytest.mark.slow
@pytest.mark.parametrize("layout", ["words_and_props", "universal_propbank"])
def test_predictions_without_a_predicate(folder, tmp_path, layout):
    path, source = tmp_path / "data", tmp_path / "source"
    source.write_text(NO_PREDICATE)
    sentences = data.read_sentences(source)
    with open(path, "w") as file:
        data.write_sentences(sentences, file, layout)
    result = predict(folder, path)
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout) == {"examples": 2}
    assert (folder / "predicted").read_text() == (
        "Hello\t-\n\nGood\t-\nmorning\t-\n\n"
    )


@pytest.mark.slow
@pytest.mark.parametrize("layout", LAYOUTS)
def test_converting_without_a_predicate(tmp_path, layout):
    path, output = tmp_path / "data", tmp_path / "output"
    path.write_text(NO_PREDICATE)
    flags = f"--layout={layout}", f"--output={output}"
    result = binaries.run("tasks.srl.convert", path, *flags)
    assert json.loads(result.stdout) == {
        **{"sentences": 2, "tokens": 3},
        **{"propositions": 0, "arguments": 0},
    }
    found = data.read_sentences(output)
    assert [sentence.propositions for sentence in found] == [(), ()]
    assert found[1].tokens == (
        None if layout == "props" else ("Good", "morning")
    )
    result = binaries.run("tasks.srl.metrics", path, output)
    assert json.loads(result.stdout)["propositions"] == 0


@pytest.mark.slow
def test_sentences_of_one_token(folder, tmp_path):
    """From training to the exported model, with nothing else in a batch."""
    path = tmp_path / "data"
    path.write_text("Go go (V*)\n\nOh -\n\nCome come (V*)\n")
    result = train(tmp_path, "model", path, path)
    assert result.returncode == 0, result.stderr
    result = predict(tmp_path, path)
    assert json.loads(result.stdout) == {"examples": 3}, result.stderr
    assert (tmp_path / "predicted").read_text() == (
        "Go\tgo\t(V*)\n\nOh\t-\n\nCome\tcome\t(V*)\n\n"
    )
    result = binaries.run(
        "tasks.export",
        f"--model_dir={tmp_path / 'model'}",
        f"--output={tmp_path / 'saved_model'}",
    )
    assert result.returncode == 0, result.stderr
    loaded = tf.saved_model.load(tmp_path / "saved_model")
    found = loaded.signatures["tokens"](
        tokens=tf.constant([["Go"], ["Oh"]]),
        sequence_len=tf.constant([1, 1]),
        predicate=tf.constant([0, -1]),
    )
    assert found["tags"].shape == (2, 1)
    assert found["tags"][1].numpy().tolist() == [b"O"]


@pytest.mark.slow
def test_training_on_universal_propbank(folder, tmp_path):
    """The layout is told wherever a file is read."""
    path = tmp_path / "data.conllup"
    path.write_text(tiny_srl.TEXTS["universal_propbank"])
    result = train(tmp_path, "model", path, path)
    assert result.returncode == 0, result.stderr
    for function in (evaluate, predict):
        result = function(tmp_path, path)
        assert result.returncode == 0, result.stderr
    found = data.read_sentences(tmp_path / "predicted")
    assert [sentence.tokens for sentence in found] == tiny_srl.WORDS
    predicates = [
        (proposition.predicate, proposition.lemma)
        for proposition in found[0].propositions
    ]
    assert predicates == [(4, "come"), (5, "say")]
    result = binaries.run("tasks.srl.metrics", path, tmp_path / "predicted")
    scores = json.loads(result.stdout)
    assert (scores["propositions"], scores["missing_predicates"]) == (2, 0)
