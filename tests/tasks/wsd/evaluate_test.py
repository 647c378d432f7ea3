"""The binary, run as a user runs it, on a tiny biLM and a tiny WordNet."""

import datetime
import json
import os
import shlex

import pytest

from elmo_tf.exporting import export
from tasks.wsd.key_file import read_keys
from tasks.wsd.metrics import score
from tests import binaries
from tests.tasks.wsd import tiny_corpus
from tests.tasks.wsd.tiny_sentences import BANK

OLD = ["old", ("bank", "bank", "n", BANK[0])]
RICH = ["rich", ("bank", "bank", "n", BANK[1])]
MAN = ["a", ("man", "man", "n", "man%1:04:00::")]
LOST = ["so", ("big", "big", "a", "big%5:00:00:bigger:01")]
SYSTEMS = ["first_sense", "layer_0", "layer_1", "layer_2", "mean"]


def run(*arguments):
    return binaries.run("tasks.wsd.evaluate", *arguments)


@pytest.fixture
def options(saved_model, wordnet_folder, tmp_path):
    """Training data and two test sets."""
    tiny_corpus.write(tmp_path, "train", [OLD, RICH, LOST])
    tests = tmp_path / "tests"
    tests.mkdir()
    tiny_corpus.write(tests, "senseval2", [OLD, RICH])
    tiny_corpus.write(tests, "ALL", [OLD, RICH, MAN, LOST])
    return {
        "saved_model": saved_model,
        "train_data": tmp_path / "train.data.xml",
        "test_data": f"{tests}/*.data.xml",
        "wordnet": wordnet_folder,
        "output": tmp_path / "output",
    }


def flags(options):
    return [f"--{name}={value}" for name, value in options.items()]


def test_all_of_it(options, tmp_path):
    result = run(*flags(options))
    assert result.returncode == 0, result.stderr
    *tables, line = result.stdout.splitlines()
    assert tables[0].split() == "| F1, in % | senseval2 | ALL |".split()
    results = json.loads(line)
    output = options["output"]
    assert json.loads((output / "results.json").read_text()) == results
    assert results["task"] == "wsd"
    assert shlex.split(results["command"]) == [
        *("python", "-m", "tasks.wsd.evaluate"),
        *flags(options),
    ]
    assert results["saved_model"] == options["saved_model"]
    date = datetime.datetime.fromisoformat(results["date"])
    age = datetime.datetime.now(datetime.UTC) - date
    assert abs(age) < datetime.timedelta(hours=1)
    assert results["senses"] == 2
    assert results["train"] == {
        "sentences": 3,
        "tokens": 6,
        "instances": 3,
        "keys_not_in_wordnet": 1,
    }
    assert results["wordnet"] == {
        "folder": str(options["wordnet"]),
        "version": "3.0",
    }
    assert results["versions"].keys() == {"tensorflow", "numpy", "nltk"}
    assert results["machine"]["cores"] > 0
    test = results["test"]
    assert list(test) == ["senseval2", "ALL"]
    assert test["ALL"]["fallback"] == 2
    assert test["ALL"]["gold_keys_not_in_wordnet"] == 1
    # Banks are alike in the token layer, and each is itself in the others.
    for system, n_right in zip(SYSTEMS, (1, 1, 2, 2, 2), strict=True):
        name = f"senseval2.{system}.key.txt"
        predicted = read_keys(output / "predictions" / name)
        gold = read_keys(tmp_path / "tests" / "senseval2.gold.key.txt")
        scores = dict(test["senseval2"]["systems"][system])
        assert scores.pop("parts_of_speech") == {"nouns": scores}
        assert scores == score(gold, predicted)
        assert scores["correct"] == n_right
        assert test["ALL"]["systems"][system]["correct"] == n_right + 1
    warnings = [
        line for line in result.stderr.splitlines() if "warning" in line
    ]
    assert warnings == [
        f"warning: {options['train_data']}: 1 sense keys that WordNet does not "
        "know were left out; is this WordNet's version?",
        "warning: ALL: 1 sense keys that WordNet does not know can never be "
        "predicted",
    ]
    assert "training data: 2 sentences, 4 tokens\n" in result.stderr
    assert "sentence 2/2 | " in result.stderr
    # Again, with what has been averaged.
    del options["train_data"]
    options["sense_vectors"] = output / "sense_vectors.npz"
    options["output"] = tmp_path / "again"
    again = run(*flags(options))
    assert again.returncode == 0, again.stderr
    assert "training data" not in again.stderr
    repeated = json.loads(again.stdout.splitlines()[-1])
    assert repeated["test"] == test
    assert repeated["train"] is None
    assert not (tmp_path / "again" / "sense_vectors.npz").exists()


def test_mistakes(options, tmp_path):
    def check(message, **changes):
        given = {**options, **changes}
        result = run(*flags({k: v for k, v in given.items() if v is not None}))
        binaries.check_mistake(result, "evaluate", message)
        assert not os.path.exists(options["output"])

    check("give either --train_data or --sense_vectors", train_data=None)
    check("give either --train_data or --sense_vectors", sense_vectors="x")
    check("/nowhere: no such folder, expected WordNet", wordnet="/nowhere")
    check(f"{tmp_path}/none: no such file", train_data=tmp_path / "none")
    check("none: no such folder, nor a pre-trained", saved_model="none")
    gold = tmp_path / "tests" / "ALL.gold.key.txt"
    gold.rename(tmp_path / "elsewhere")
    path = tmp_path / "tests" / "ALL.data.xml"
    check(f"{path}: found no keys beside it, expected {gold} or {gold}.gz")


def test_training_data_of_another_wordnet(options, tmp_path):
    path = tiny_corpus.write(tmp_path, "train", [LOST])
    result = run(*flags(options))
    assert result.returncode == 2
    assert result.stderr.splitlines()[-1] == (
        f"evaluate.py: error: {path}: found no sense key that WordNet in "
        f"{options['wordnet']} knows"
    )


@pytest.mark.slow
def test_with_official_files(options, tiny_bilm_golden, tmp_path):
    """A biLM that comes as options.json and HDF5."""
    folder = str(tmp_path / "imported")
    export(
        folder,
        options_file=str(tiny_bilm_golden / "options.json"),
        weights_file=str(tiny_bilm_golden / "weights.hdf5"),
    )
    result = run(*flags({**options, "saved_model": folder}))
    assert result.returncode == 0, result.stderr
    systems = json.loads(result.stdout.splitlines()[-1])["test"]["ALL"][
        "systems"
    ]
    assert list(systems) == SYSTEMS
    assert systems["layer_1"]["correct"] == systems["layer_2"]["correct"] == 3
