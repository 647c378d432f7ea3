"""Part-of-speech tagging from the tags to CoNLL-U, and the whole way round."""

import json

import numpy as np
import pytest
import tensorflow as tf

from tasks.pos.data import read_examples
from tasks.pos.experiments import POSConfig
from tasks.pos.tagged_sentence import TaggedSentence
from tasks.pos.task import POSTask
from tests import binaries
from tests.tasks import tiny_elmo
from tests.tasks.pos import tiny_training

EXAMPLES = [
    TaggedSentence(("the", "old", "man"), ("DT", "JJ", "NN")),
    TaggedSentence(("boats",), ("NNS",)),
]


@pytest.fixture
def task():
    task = POSTask(POSConfig())
    task.learn(EXAMPLES)
    return task


def test_what_is_learnt(task):
    assert task.labels == ("DT", "JJ", "NN", "NNS")
    again = POSTask(POSConfig())
    again.restore(json.loads(json.dumps(task.state())))
    assert again.labels == task.labels
    assert task.targets(EXAMPLES)["tags"].tolist() == [[0, 1, 2], [3, 0, 0]]
    # A word that is new, and a tag.
    more = [TaggedSentence(("the", "sea"), ("DT", "X"))]
    again.check(more)
    found = again.metrics(more, [["DT", "NN"]])
    assert (found["accuracy"], found["unseen_tokens"]) == (0.5, 1)


def test_the_members_of_an_ensemble_are_averaged(task):
    """Of their probabilities: one that is sure counts more."""
    mask = tf.constant([[True]])
    members = [
        {"scores": tf.math.log([[values]]), "mask": mask}
        for values in (
            [0.4, 0.6, 1e-9, 1e-9],
            [0.4, 0.6, 1e-9, 1e-9],
            [1.0, 1e-9, 1e-9, 1e-9],
        )
    ]
    decoded = task.decode(task.combine([None] * 3, members))
    assert decoded["tags"].numpy().tolist() == [[b"DT"]]
    np.testing.assert_allclose(decoded["tag_probabilities"], [[0.6]], rtol=1e-5)


TEST = "a bird sees the fish"


def train(folder, values):
    result = binaries.run(
        "tasks.train",
        "--experiment=pos/linear",
        f"--model_dir={folder}/model",
        f"--params_override={json.dumps(values)}",
    )
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A tagger on the token layer, with two seeds."""
    folder = tmp_path_factory.mktemp("pos")
    tiny_training.write_data(folder)
    values = tiny_training.options(folder, tiny_elmo.export(folder / "bilm"))
    results = train(folder, {**values, "task.elmo.layers": 0, "seeds": [1, 2]})
    return folder, results


def run(module, *arguments):
    result = binaries.run(module, *arguments)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout.splitlines()[-1])


@pytest.mark.slow
def test_the_whole_way(trained):
    folder, results = trained
    path = f"{folder}/data.conllu"
    assert results["validation"]["accuracy"]["values"] == [1.0, 1.0]
    model_dir = f"--model_dir={folder}/model/seed_1"
    found = run("tasks.evaluate", model_dir, f"--input_path={path}")
    assert (found["accuracy"], found["accuracy/DET"]) == (1.0, 1.0)
    assert (found["tokens"], found["unseen_tokens"]) == (200, 0)
    output = f"{folder}/predicted.conllu"
    run(
        "tasks.predict", model_dir, f"--input_path={path}", f"--output={output}"
    )
    with open(path) as expected, open(output) as predicted:
        assert predicted.read() == expected.read()
    # Words alone; then what was written is read again.
    words, output = folder / "words.txt", folder / "tagged.txt"
    words.write_text(TEST.replace(" ", "\n"))
    run(
        "tasks.predict",
        model_dir,
        f"--input_path={words}",
        f"--output={output}",
    )
    assert output.read_text() == (
        "a\tDET\nbird\tNOUN\nsees\tVERB\nthe\tDET\nfish\tNOUN\n\n"
    )
    (example,) = read_examples(output, "upos")
    assert example.tags == tiny_training.PATTERN
    found = run(
        "tasks.ensemble",
        f"--model_dir={folder}/model",
        f"--input_path={output}",
    )
    assert (found["members"], found["accuracy"]) == (2, 1.0)


@pytest.mark.slow
def test_the_exported_model(trained):
    folder, _ = trained
    run(
        "tasks.export",
        f"--model_dir={folder}/model/seed_1",
        f"--output={folder}/saved_model",
    )
    signatures = tf.saved_model.load(f"{folder}/saved_model").signatures
    found = signatures["tokens"](
        tokens=tf.constant([TEST.split(), ["the", "bird", "", "", ""]]),
        sequence_len=tf.constant([5, 2]),
    )
    assert found["tags"].numpy().astype(str).tolist() == [
        [*tiny_training.PATTERN],
        ["DET", "NOUN", "", "", ""],
    ]
    raw = signatures["default"](strings=tf.constant([TEST]))
    np.testing.assert_array_equal(raw["tags"], found["tags"][:1])
    np.testing.assert_allclose(
        raw["probability"],
        [np.prod(raw["tag_probabilities"][0])],
        rtol=1e-5,
    )


@pytest.mark.slow
def test_a_bilm_of_the_official_files(tiny_bilm_golden, tmp_path):
    """Each layer of it, and their mix."""
    run(
        "elmo_tf.export",
        f"--options_file={tiny_bilm_golden}/options.json",
        f"--weights_file={tiny_bilm_golden}/weights.hdf5",
        f"--output={tmp_path}/bilm",
    )
    tiny_training.write_data(tmp_path)
    values = tiny_training.options(tmp_path, tmp_path / "bilm")
    n_parameters = {}
    for layers in (0, 2, "all"):
        folder = tmp_path / str(layers)
        folder.mkdir()
        results = train(folder, {**values, "task.elmo.layers": layers})
        # One word in three by chance.
        assert results["validation"]["accuracy"] > 0.9
        assert ("s" in results["elmo"]["elmo_input"]) == (layers == "all")
        n_parameters[layers] = results["parameters"]["trainable"]
    assert n_parameters["all"] - n_parameters[0] == 3
    assert n_parameters[0] == n_parameters[2]


@pytest.mark.slow
def test_a_layer_that_the_bilm_has_not(trained):
    folder, _ = trained
    values = tiny_training.options(folder, folder / "bilm")
    result = binaries.run(
        "tasks.train",
        "--experiment=pos/linear",
        f"--model_dir={folder}/none",
        f"--params_override={json.dumps({**values, 'task.elmo.layers': 3})}",
    )
    binaries.check_mistake(
        result,
        "train",
        "task.elmo.layers: found 3, expected all, top or a layer of "
        f"{folder}/bilm: 0 to 2",
    )
