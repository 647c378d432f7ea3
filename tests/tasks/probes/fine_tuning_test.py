"""Fine-tuning on the text of tasks, from the flags to the table."""

import json
import os

import pytest

from elmo_tf.embedder import Elmo
from elmo_tf.exporting import export
from tests import binaries
from tests.tasks import tiny_ner
from tests.tasks.probes import tiny_pretrained

SMALL = (
    "task.train_data.global_batch_size=2,task.train_data.unroll_steps=3,"
    "task.n_negative_samples_batch=4,task.learning_rate=0.5,"
    "trainer.progress_seconds=1000"
)
TRAIN_TEXT = """\
EU rejects German call .
Ann Lee met Bo Ek in Oslo
Oslo Bergen won
Nothing
"""


@pytest.fixture
def data(tmp_path):
    tiny_ner.write_data(tmp_path)
    pairs = "neutral\tAnn won\tOslo won\nneutral\tAnn won\tBergen won\n"
    (tmp_path / "pairs.tsv").write_text(pairs)
    return tmp_path


def flags(folder, model="pretraining", override=SMALL):
    return [
        f"--model_dir={folder}/{model}",
        f"--output={folder}/tuned",
        f"--params_override={override}",
        f"--corpus=ner:ner/conll2003:{folder}/train.txt:{folder}/test.txt",
        f"--corpus=snli:snli/snli:{folder}/pairs.tsv:{folder}/pairs.tsv",
    ]


def run(*arguments):
    return binaries.run("tasks.probes.fine_tuning", *arguments)


@pytest.mark.slow
def test_two_tasks(data):
    model_dir = tiny_pretrained.write(data / "pretraining")
    result = run(*flags(data))
    assert result.returncode == 0, result.stderr
    *table, line = result.stdout.splitlines()
    found = json.loads(line)
    folder = data / "tuned"
    assert json.loads((folder / "results.json").read_text()) == found
    assert found["probe"] == "fine_tuning"
    assert found["model_dir"] == str(model_dir)
    assert sorted(os.listdir(folder)) == [
        *("ner", "results.json", "snli", "table.md"),
    ]
    assert (folder / "ner" / "train.txt").read_text() == TRAIN_TEXT
    assert (folder / "snli" / "train.txt").read_text() == (
        "Ann won\nOslo won\nBergen won\n"
    )
    assert list(found["corpora"]) == ["ner", "snli"]
    for name, figures in found["corpora"].items():
        for when, source in (
            ("before", model_dir),
            ("after", folder / name / "model"),
        ):
            evaluated = binaries.run(
                "elmo_tf.evaluate",
                f"--model_dir={source}",
                f"--input_path={folder}/{name}/validation.txt",
            )
            assert figures[when] == pytest.approx(
                json.loads(evaluated.stdout), rel=1e-5
            )
        assert Elmo(figures["saved_model"]).n_layers == 2
    ner = found["corpora"]["ner"]
    assert (ner["train_sentences"], ner["train_tokens"]) == (4, 16)
    assert (ner["validation_sentences"], ner["validation_tokens"]) == (3, 10)
    # 16 tokens and 4 boundaries, 2 * 3 of them a step.
    assert ner["steps"] == 3
    after = ner["after"]["average_perplexity"]
    assert after < ner["before"]["average_perplexity"]
    assert table[0].startswith("| perplexity | before | after |")
    assert [row.split("|")[1].strip() for row in table[2:]] == ["ner", "snli"]
    assert "\n".join(table) in (folder / "table.md").read_text()

    # What has ended is left alone; what has not, goes on.
    (folder / "snli" / "results.json").unlink()
    again = run(*flags(data))
    assert again.returncode == 0, again.stderr
    assert again.stdout.splitlines()[:-1] == table
    assert "ner: training" not in again.stderr
    assert "snli: training" in again.stderr
    other = run(*flags(data, override=f"{SMALL},task.learning_rate=0.4"))
    assert other.returncode == 2
    assert f"{folder}/ner/settings.json: found config=" in other.stderr
    assert other.stderr.endswith("; use another --output\n")


@pytest.mark.slow
def test_official_files(data):
    tiny_pretrained.write(data / "pretraining")
    export(f"{data}/hdf5", "hdf5", model_dir=f"{data}/pretraining")
    result = run(*flags(data, "hdf5/weights.hdf5")[:-1])
    assert result.returncode == 0, result.stderr
    (figures,) = json.loads(result.stdout.splitlines()[-1])["corpora"].values()
    before, after = (
        figures[when]["average_perplexity"] for when in ("before", "after")
    )
    assert after < before


@pytest.mark.slow
def test_a_mistake_that_the_training_finds(data):
    tiny_pretrained.write(data / "pretraining")
    result = run(*flags(data, override="task.n_negative_samples_batch=99"))
    assert result.returncode == 2
    assert result.stderr.splitlines()[-1].startswith(
        "fine_tuning.py: error: ner: elmo_tf.train ended with exit code 2: "
        "train.py: error: task.n_negative_samples_batch is 99, but the "
    )


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--corpus=a:b:c"], "--corpus: found 'a:b:c', expected NAME:EXPERI"),
        (["--corpus=/a:b:c:d"], "--corpus: found the name '/a', expected let"),
        (
            ["--corpus=a:sst/sst5:c:d", "--corpus=a:sst/sst5:c:d"],
            "--corpus: found a twice",
        ),
        (
            ["--corpus=a:elmo/mini:c:d"],
            "--corpus: found the experiment 'elmo/mini', expected one of cl",
        ),
        (["--model_dir=mini"], "mini: the package has it without its softmax"),
        (["--model_dir=none"], "none: no such file or folder"),
        (
            ["--params_override=task.model.lstm.dim=3"],
            "--params_override: found task.model.lstm.dim, but --model_dir say",
        ),
        (
            ["--params_override=task.train_data.input_path=x"],
            "--params_override: found task.train_data.input_path, but --corpus",
        ),
        (
            ["--params_override=x.yaml"],
            "--params_override: found 'x.yaml', expected a.b=1,c.d=2",
        ),
        (
            ["--params_override=task.speed=1"],
            "--params_override: unknown option task.speed",
        ),
        (
            ["--corpus=a:sst/sst5:none.txt:d"],
            "none.txt: cannot be read: No such",
        ),
        (["--experiment=elmo/x"], "--experiment: unknown experiment 'elmo/x'"),
    ],
)
def test_mistakes(arguments, message, tmp_path):
    tiny_pretrained.write(tmp_path / "pretraining")
    corpus = ["--corpus=sst:sst/sst5:none.txt:none.txt"]
    if arguments[0].startswith("--corpus"):
        corpus = []
    result = run(
        f"--model_dir={tmp_path}/pretraining",
        f"--output={tmp_path}/tuned",
        *corpus,
        *arguments,
    )
    binaries.check_mistake(result, "fine_tuning", message)
    assert not (tmp_path / "tuned").exists()


def test_help_lists_every_flag():
    result = run("--help")
    for name in ("model_dir", "corpus", "output", "experiment", "tokenizer"):
        assert f"--{name}" in result.stdout or f"--[no]{name}" in result.stdout
