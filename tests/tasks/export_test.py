"""The binary that exports a task model, and what a bare process makes of it."""

import json
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest
import tensorflow as tf

from tasks.text.tags import convert
from tests import binaries
from tests.tasks import tiny_ner

# Knows nothing of the package.
SCRIPT = """
import json
import sys

import numpy as np
import tensorflow as tf

saved_model, inputs, outputs = sys.argv[1:]
with open(inputs) as file:
    sentences = json.load(file)
signatures = tf.saved_model.load(saved_model).signatures
results = {"signatures": sorted(signatures)}
time = max(map(len, sentences)) + 2

def keep(name, found):
    results[name] = {
        key: np.char.decode(value.numpy().astype(bytes), "utf-8").tolist()
        if value.dtype == tf.string else value.numpy().tolist()
        for key, value in found.items()
    }

keep("tokens", signatures["tokens"](
    tokens=tf.constant(
        [tokens + ["Oslo"] * (time - len(tokens)) for tokens in sentences]),
    sequence_len=tf.constant([len(tokens) for tokens in sentences])))
for i, tokens in enumerate(sentences):
    keep(f"tokens/{i}", signatures["tokens"](
        tokens=tf.constant([tokens], tf.string, [1, len(tokens)]),
        sequence_len=tf.constant([len(tokens)])))
keep("default", signatures["default"](
    strings=tf.constant([" ".join(tokens) for tokens in sentences])))
keep("none", signatures["default"](strings=tf.constant(["", " "])))
results["modules"] = [
    name for name in sys.modules
    if name.startswith(("elmo_tf", "tasks", "tensorflow_text"))]
with open(outputs, "w") as file:
    json.dump(results, file)
"""
SENTENCES = [*tiny_ner.TEST_TOKENS, []]


def run(*arguments):
    return binaries.run("tasks.export", *arguments)


@pytest.fixture(scope="module")
def exported(training, tmp_path_factory):
    """The SavedModel, moved; what it was made of is hidden meanwhile."""
    folder = tmp_path_factory.mktemp("exported")
    result = run(f"--model_dir={training.model_dir}", f"--output={folder}/made")
    assert result.returncode == 0, result.stderr
    return shutil.move(folder / "made", folder / "moved")


@pytest.fixture(scope="module")
def bare(exported, training, tmp_path_factory):
    """What a bare TensorFlow process computes."""
    folder = tmp_path_factory.mktemp("bare")
    (folder / "script.py").write_text(SCRIPT)
    (folder / "inputs.json").write_text(json.dumps(SENTENCES))
    hidden = training.folder.with_name("hidden")
    training.folder.rename(hidden)
    try:
        result = subprocess.run(
            [
                *(sys.executable, folder / "script.py", exported),
                *(folder / "inputs.json", folder / "results.json"),
            ],
            cwd=folder,
            env={
                **{
                    name: value
                    for name, value in os.environ.items()
                    if name != "PYTHONPATH"
                },
                "TF_CPP_MIN_LOG_LEVEL": "3",
            },
            capture_output=True,
            text=True,
        )
    finally:
        hidden.rename(training.folder)
    assert result.returncode == 0, result.stderr
    # TensorFlow has nothing to complain about.
    assert result.stderr == ""
    return json.loads((folder / "results.json").read_text())


@pytest.fixture(scope="module")
def predicted(training, tmp_path_factory):
    """The tags that `tasks.predict` writes, a list a sentence."""
    folder = tmp_path_factory.mktemp("predicted")
    # The test data's own tags would have it write IOB1.
    (folder / "input.txt").write_text(
        "\n\n".join("\n".join(tokens) for tokens in tiny_ner.TEST_TOKENS),
        encoding="utf-8",
    )
    result = binaries.run(
        "tasks.predict",
        f"--model_dir={training.model_dir}",
        f"--input_path={folder}/input.txt",
        f"--output={folder}/output.txt",
    )
    assert result.returncode == 0, result.stderr
    text = (folder / "output.txt").read_text(encoding="utf-8")
    return [
        [line.split(" ")[1] for line in sentence.splitlines()]
        for sentence in text.strip().split("\n\n")
    ]


def in_bio(tags):
    return convert(tags, "BIOUL", "BIO")


@pytest.mark.slow
class TestBareTensorFlow:
    def test_nothing_of_ours_is_needed(self, bare):
        assert bare["modules"] == []
        assert bare["signatures"] == ["default", "tokens"]

    @pytest.mark.parametrize("signature", ["tokens", "default"])
    def test_the_same_tags(self, bare, predicted, signature):
        for row, expected in enumerate([*predicted, []]):
            tags = bare[signature]["tags"][row]
            n = len(expected)
            assert in_bio(tags[:n]) == expected
            assert set(tags[n:]) <= {""}
        # They tell the sentences apart.
        assert len(set(map(tuple, predicted))) == 3

    def test_outputs(self, bare):
        names = ["probability", "tag_probabilities", "tags"]
        assert sorted(bare["tokens"]) == names
        assert sorted(bare["default"]) == [*names, "tokens"]
        found = bare["default"]["tokens"]
        for row, tokens in zip(found, SENTENCES, strict=True):
            assert row == tokens + [""] * (5 - len(tokens))

    def test_padding_makes_no_difference(self, bare):
        for row, tokens in enumerate(SENTENCES):
            alone = bare[f"tokens/{row}"]
            for signature in ("tokens", "default"):
                together = bare[signature]
                n = len(tokens)
                assert together["tags"][row][:n] == alone["tags"][0]
                np.testing.assert_allclose(
                    together["tag_probabilities"][row][:n],
                    alone["tag_probabilities"][0],
                    rtol=1e-4,
                    atol=1e-6,
                )
                np.testing.assert_allclose(
                    together["probability"][row],
                    alone["probability"][0],
                    rtol=1e-3,
                )

    def test_no_token(self, bare):
        assert bare["none"]["tags"] == [[], []]
        assert bare["none"]["probability"] == [1.0, 1.0]


@pytest.mark.slow
def test_tokenizer(training, tmp_path):
    """A version splits as the flag says."""
    result = run(
        f"--model_dir={training.model_dir}",
        f"--output={tmp_path}/new/tagger",
        "--version=1",
        "--tokenizer=penn_treebank",
    )
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout) == {"signatures": ["default", "tokens"]}
    assert result.stderr == ""
    base = tmp_path / "new" / "tagger"
    assert sorted(os.listdir(base)) == [
        *("1", "batching_parameters.txt", "models.config")
    ]
    found = tf.saved_model.load(f"{base}/1").signatures["default"](
        strings=tf.constant(["It isn't Oslo."])
    )
    assert found["tokens"].numpy().tolist() == [
        [b"It", b"is", b"n't", b"Oslo", b"."]
    ]
    assert found["tags"].shape == (1, 5)


@pytest.mark.slow
def test_a_bilm_that_is_gone(training, copy, tmp_path):
    config = (copy / "params.yaml").read_text(encoding="utf-8")
    (copy / "params.yaml").write_text(
        config.replace(str(training.elmo), "nowhere"), encoding="utf-8"
    )
    result = run(f"--model_dir={copy}", f"--output={tmp_path}/output")
    binaries.check_mistake(result, "export", "nowhere: no such folder")
    assert os.listdir(tmp_path) == ["copy"]


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--model_dir=."], ".: not the folder of a task's training"),
        (["--model_dir=none"], "none: not the folder of a task's training"),
        (["--output=folder"], "{folder}: exists already; remove it first"),
        (["--version=0"], "--version=0: expected 1 or more"),
        (["--serving_path=/models/x"], "--serving_path is for --version"),
        (["--tokenizer=x"], "flag --tokenizer=x: value should be one of "),
        (["extra"], "unexpected argument 'extra'; every option is a flag"),
    ],
)
def test_wrong_flags(tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    result = run("--model_dir=none", "--output=output", *arguments)
    binaries.check_mistake(
        result, "export", message.format(folder=tmp_path / "folder")
    )
    assert os.listdir(tmp_path) == ["folder"]


def test_missing_flags():
    binaries.check_mistake(
        run("--model_dir=none"),
        "export",
        "flag --output=None: Flag --output must have a value",
    )
