"""Semantic role labelling from the tags to props, and the whole way round."""

import io
import json

import numpy as np
import pytest
import tensorflow as tf

from elmo_tf.errors import InputError
from tasks.srl import data
from tasks.srl.experiments import SRLConfig
from tasks.srl.metrics import score
from tasks.srl.srl_example import make_examples
from tasks.srl.srl_sentence import SRLSentence
from tasks.srl.task import SRLTask
from tests import binaries
from tests.tasks import tiny_elmo
from tests.tasks.srl import tiny_srl


@pytest.fixture
def examples():
    sentences = [
        SRLSentence(
            9,
            tiny_srl.propositions("words_and_props"),
            tiny_srl.WORDS[0],
            tiny_srl.POS[0],
        ),
        SRLSentence(2, (), tiny_srl.WORDS[1], tiny_srl.POS[1]),
    ]
    return make_examples(sentences)


@pytest.fixture
def task(examples):
    task = SRLTask(SRLConfig())
    task.learn(examples)
    return task


def predict(task, examples, rows):
    longest = max(map(len, rows))
    tags = np.array(
        [[*row, *[""] * (longest - len(row))] for row in rows], np.bytes_
    )
    return task.predictions(examples, {"tags": tags.astype(object)})


def test_what_is_learnt(task, examples):
    assert task.labels == (
        *("O", "B-ARG0", "I-ARG0", "B-ARG1", "I-ARG1"),
        *("B-ARGM-TMP", "I-ARGM-TMP", "B-C-ARG1", "I-C-ARG1"),
        *("B-R-ARG1", "I-R-ARG1", "B-V", "I-V"),
    )
    again = SRLTask(SRLConfig())
    again.restore(json.loads(json.dumps(task.state())))
    assert again.labels == task.labels
    targets = task.targets(examples)["tags"]
    assert targets.shape == (3, 9) and targets[2].tolist() == [0] * 9
    assert [task.labels[place] for place in targets[1, :3]] == [
        *("B-ARG1", "O", "B-ARG0"),
    ]


def test_the_gold_tags_are_perfect(task, examples):
    found = predict(task, examples, [example.tags for example in examples])
    assert found == [example.proposition for example in examples]
    metrics = task.metrics(examples, found)
    assert (metrics["f1"], metrics["perfect"]) == (1.0, 1.0)
    assert metrics["f1/ARGM-TMP"] == 1.0
    assert (metrics["sentences"], metrics["propositions"]) == (2, 2)
    file = io.StringIO()
    task.write(examples, found, file)
    assert [line.split() for line in file.getvalue().splitlines()] == [
        line.split()
        for line in [*tiny_srl.TEXTS["words_and_props"].splitlines(), ""]
    ]


def test_the_predicate_is_v_whatever_the_tags_say(task, examples):
    come, say, nothing = (list(example.tags) for example in examples)
    come[4] = "O"
    say[5], say[8] = "I-ARG0", "B-V"
    found = predict(task, examples, [come, say, nothing])
    assert found[0] == examples[0].proposition
    assert found[1].arguments == tuple(
        span
        for span in examples[1].proposition.arguments
        if span.label != "ARGM-TMP"
    )


def test_loss(task, examples):
    generator = np.random.default_rng(0)
    scores = generator.normal(size=(3, 9, len(task.labels)))
    mask = np.arange(9) < np.array([9, 9, 2])[:, None]
    targets = task.targets(examples)
    loss = task.loss(
        None,
        {"scores": tf.constant(scores, tf.float32), "mask": mask},
        {"tags": tf.constant(targets["tags"])},
    )
    logs = scores - np.log(np.exp(scores).sum(axis=-1, keepdims=True))
    for row, n in enumerate((9, 9, 2)):
        expected = -sum(
            logs[row, place, targets["tags"][row, place]] for place in range(n)
        )
        np.testing.assert_allclose(loss[row], expected, rtol=1e-5)


@tf.function(input_signature=[tf.TensorSpec([None], tf.int32)] * 2)
def checked_predicates(lengths, predicates):
    texts = [(tf.fill([tf.shape(lengths)[0], 9], "a"), lengths)]
    extra = {"predicate": predicates}
    return SRLTask(SRLConfig()).make_model_inputs(texts, extra)["predicate"]


@pytest.mark.parametrize(
    "lengths, predicates, message",
    [
        (
            [2, 3],
            [2, 2],
            "[predicate: found] [2] [in sentences with these numbers of "
            "tokens:] [2] [expected the number of a token, from 0 up and less "
            "than that, or -1 where there is no predicate]",
        ),
        (
            [2, 3, 1],
            [-2, 0, 7],
            "[predicate: found] [-2 7] [in sentences with ",
        ),
        ([0], [0], "[predicate: found] [0] [in sentences with these numbers"),
        ([2, 3], [1], "`predicate` should hold a number for each sentence."),
        ([2], [1, 1, 1], "`predicate` should hold a number for each sentence."),
    ],
)
def test_a_predicate_out_of_range(lengths, predicates, message):
    with pytest.raises(tf.errors.InvalidArgumentError) as info:
        checked_predicates(lengths, predicates)
    assert message in str(info.value)


def test_predicates_in_range():
    predicates = [0, 2, -1, -1]
    found = checked_predicates([1, 3, 3, 0], predicates)
    assert found.numpy().tolist() == predicates


@pytest.mark.parametrize("layout", ["props", "conll2012"])
def test_reading(tmp_path, layout):
    path = tmp_path / "data.txt"
    path.write_text(tiny_srl.TEXTS[layout])
    task = SRLTask(SRLConfig(predicates="verbs"))
    if layout == "props":
        with pytest.raises(
            InputError,
            match=f"{path}:1: found no words, expected a file with a column of "
            "them; tasks.srl.convert --words=FILE makes one",
        ):
            task.read(str(path))
        return
    assert [e.predicate for e in task.read(str(path))] == [4, 5, -1]
    assert [e.predicate for e in task.read_training(str(path))] == [4, 5]
    to_predict = task.read_to_predict(str(path))
    assert [e.predicate for e in to_predict] == [4, 5, -1]
    assert to_predict[0].proposition.arguments == ()
    path.write_text("The - \nend -\n")
    with pytest.raises(InputError, match="found no predicate, expected some"):
        task.read_training(str(path))


NAMES, PLACES = ("Ann", "Bob", "Eve", "Max"), ("Rome", "Oslo", "Bonn", "Paris")


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A tagger that tells who lives where, by the predicate asked for."""
    folder = tmp_path_factory.mktemp("srl")
    rows = []
    for name in NAMES:
        for place in PLACES:
            rows += [
                f"{name} - (ARG0*) *",
                "lives live (V*) *",
                "in - (ARGM-LOC* *",
                f"{place} - *) (ARG0*)",
                "shines shine * (V*)",
                "",
            ]
    rows += ["Hello -", ""]
    (folder / "data.txt").write_text("\n".join(rows))
    options = {
        "task.n_layers": 2,
        "task.units": 12,
        "task.predicate_dim": 4,
        "task.recurrent_dropout": 0.1,
        "task.word_vectors.dim": 8,
        "task.elmo.saved_model": tiny_elmo.export(folder / "bilm"),
        "task.elmo.cache_dir": f"{folder}/cache",
        "task.optimizer": {"name": "adam", "learning_rate": 0.02},
        "task.train_data": {
            "input_path": f"{folder}/data.txt",
            "batch_size": 16,
        },
        "task.validation_data.input_path": f"{folder}/data.txt",
        "trainer.train_epochs": 30,
        "trainer.validation_interval": 60,
    }
    result = binaries.run(
        "tasks.train",
        "--experiment=srl/conll2012",
        f"--model_dir={folder}/model",
        f"--params_override={json.dumps(options)}",
    )
    assert result.returncode == 0, result.stderr
    return folder, json.loads(result.stdout.splitlines()[-1])


def run(folder, module, *arguments):
    result = binaries.run(module, f"--model_dir={folder}/model", *arguments)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout.splitlines()[-1])


@pytest.mark.slow
def test_the_whole_way(trained):
    folder, results = trained
    path = f"{folder}/data.txt"
    assert results["validation"]["f1"] == 1.0
    found = run(folder, "tasks.evaluate", f"--input_path={path}")
    assert (found["f1"], found["propositions"]) == (1.0, 32)
    output = f"{folder}/predicted.txt"
    run(folder, "tasks.predict", f"--input_path={path}", f"--output={output}")
    gold, predicted = map(data.read_sentences, (path, output))
    assert len(predicted) == 17
    assert score(gold, predicted)["f1"] == 1.0


@pytest.mark.slow
def test_the_exported_model(trained):
    folder, _ = trained
    run(folder, "tasks.export", f"--output={folder}/saved_model")
    signatures = tf.saved_model.load(f"{folder}/saved_model").signatures
    tokens = tf.constant([["Max", "lives", "in", "Oslo", "shines"]] * 2)
    found = signatures["tokens"](
        tokens=tokens,
        sequence_len=tf.constant([5, 5]),
        predicate=tf.constant([1, 4]),
    )
    assert found["tags"].numpy().astype(str).tolist() == [
        ["B-ARG0", "B-V", "B-ARGM-LOC", "I-ARGM-LOC", "O"],
        ["O", "O", "O", "B-ARG0", "B-V"],
    ]
    raw = signatures["default"](
        strings=tf.constant(["Max lives in Oslo shines"]),
        predicate=tf.constant([4]),
    )
    np.testing.assert_array_equal(raw["tags"][0], found["tags"][1])
    # Which predicate is no token, or not there.
    for predicate, message in (
        ([5], r"\[predicate: found\] \[5\] .*tokens:\] \[5\] \[expected"),
        ([-2], r"\[predicate: found\] \[-2\] .*tokens:\] \[5\] \[expected"),
        ([1, 1], "`predicate` should hold a number for each sentence"),
    ):
        for call in (
            lambda predicate: signatures["tokens"](
                tokens=tokens[:1],
                sequence_len=tf.constant([5]),
                predicate=tf.constant(predicate),
            ),
            lambda predicate: signatures["default"](
                strings=tf.constant(["Max lives in Oslo shines"]),
                predicate=tf.constant(predicate),
            ),
        ):
            with pytest.raises(tf.errors.InvalidArgumentError, match=message):
                call(predicate)
    # Sentences of one token, and one without a predicate.
    short = signatures["default"](
        strings=tf.constant(["shines", "lives", "Max lives in Oslo shines"]),
        predicate=tf.constant([0, 0, -1]),
    )
    assert short["tags"].numpy().astype(str).tolist() == [
        ["B-V", *[""] * 4],
        ["B-V", *[""] * 4],
        ["O"] * 5,
    ]
    np.testing.assert_allclose(short["probability"][2], 1, atol=1e-6)
