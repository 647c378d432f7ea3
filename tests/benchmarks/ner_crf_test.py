"""The comparison with a CRF, run as a user runs it, over a tiny tagger."""

import json

import pytest

from tests import binaries
from tests.tasks import tiny_ner


def run(folder, *arguments):
    return binaries.run(
        "benchmarks.ner_crf",
        f"--train={folder}/train.txt",
        f"--test={folder}/test.txt",
        *arguments,
    )


@pytest.fixture
def data(tmp_path):
    tiny_ner.write_data(tmp_path)
    return tmp_path


def test_the_crf_alone(data):
    result = run(data, f"--validation={data}/train.txt")
    assert result.returncode == 0, result.stderr
    header, _, row, line = result.stdout.splitlines()
    assert header.startswith("| Entities, in %          | validation P |")
    found = json.loads(line)["taggers"]["CRF of sklearn-crfsuite"]
    # Learnt by heart: four sentences' entities.
    assert found["validation"]["phrases"]["mean"] == 7
    assert found["validation"]["f1"]["mean"] == 1.0
    # IOB1 in this file, BIO in the other.
    assert found["test"]["phrases"]["mean"] == 6
    rates = [found["test"][name]["mean"] for name in ("precision", "recall")]
    correct = found["test"]["correct"]["mean"]
    assert 0 < correct < 6
    assert rates == [correct / found["test"]["found"]["mean"], correct / 6]
    assert row.split()[5:11:2] == ["100.00"] * 3
    assert f"{100 * rates[1]:.2f}" in row


def test_parts_of_speech_and_no_validation(data):
    """Where nothing else tells the words apart."""
    (data / "train.txt").write_text("a NN O\n\na NNP B-X\n\n" * 3)
    (data / "test.txt").write_text("a NNP B-X\n\na NN O\n")
    for flags, recall in (([], 0.0), (["--pos_column=1"], 1.0)):
        result = run(data, *flags)
        assert result.returncode == 0, result.stderr
        *_, line = result.stdout.splitlines()
        (found,) = json.loads(line)["taggers"].values()
        assert found["test"]["recall"]["mean"] == recall
        assert found["validation"] is None


def test_other_columns(data):
    (data / "train.txt").write_text("1 B-X Oslo -\n2 O in -\n")
    (data / "test.txt").write_text("1 B-X Oslo -\n2 O in -\n")
    result = run(data, "--token_column=2", "--tag_column=1")
    assert result.returncode == 0, result.stderr
    *_, line = result.stdout.splitlines()
    (found,) = json.loads(line)["taggers"].values()
    assert found["test"]["f1"]["mean"] == 1.0


@pytest.mark.slow
def test_trained_taggers(tmp_path):
    training = tiny_ner.train(tmp_path, "seeds=[1,2]")
    assert training.result.returncode == 0, training.result.stderr
    single = training.model_dir / "seed_2"
    result = run(
        tmp_path,
        f"--validation={training.test}",
        f"--model_dir={training.model_dir}",
        f"--model_dir={single}",
    )
    assert result.returncode == 0, result.stderr
    *table, line = result.stdout.splitlines()
    assert len(table) == 2 + 3
    taggers = json.loads(line)["taggers"]
    assert list(taggers)[1:] == [str(training.model_dir), str(single)]
    both, second = list(taggers.values())[1:]
    recorded = json.loads((training.model_dir / "results.json").read_text())
    del recorded["validation"]["step"]
    assert both["seeds"] == [1, 2]
    assert both["validation"] == both["test"] == recorded["validation"]
    assert second["seeds"] == [2]
    assert second["test"]["f1"]["values"] == both["test"]["f1"]["values"][1:]
    assert " ± " in table[3] and " ± " not in table[4]


def test_help_lists_every_flag():
    result = binaries.run("benchmarks.ner_crf", "--help")
    for flag in ("train", "validation", "test", "model_dir", "pos_column"):
        assert f"--{flag}:" in result.stdout


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--train=none.txt"], "none.txt: cannot be read: No such file or "),
        (["--model_dir=none"], "none: has no results.json, expected the fold"),
        (["--pos_column=9"], "{folder}/train.txt:3: found 4 columns, expected"),
        (
            ["--validation={folder}/other.txt"],
            "{folder}/other.txt:1: found an entity of the class CITY, expected",
        ),
    ],
)
def test_a_mistake_is_one_line(data, arguments, message):
    (data / "other.txt").write_text("Rio NNP - B-CITY\n")
    result = run(data, *(text.format(folder=data) for text in arguments))
    binaries.check_mistake(result, "ner_crf", message.format(folder=data))


@pytest.mark.parametrize("flag", ["train", "test"])
def test_missing_flags(flag):
    other = {"train": "test", "test": "train"}[flag]
    result = binaries.run("benchmarks.ner_crf", f"--{other}=none.txt")
    binaries.check_mistake(
        result, "ner_crf", f"flag --{flag}=None: Flag --{flag} must have a"
    )
