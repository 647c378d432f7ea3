"""The cloze test from the logits to answers, and the whole way round."""

import dataclasses
import io
import itertools
import json
import tarfile

import numpy as np
import pytest
import tensorflow as tf

from bidaf_tf.cloze_question import ClozeQuestion
from tasks.cloze.cloze_prediction import ClozePrediction
from tasks.cloze.data import read_examples
from tasks.cloze.data import read_training_examples
from tasks.config import ElmoConfig
from tasks.predictor import Predictor
from tasks.task_functions import TaskFunctions
from tests import binaries
from tests.tasks import tiny_elmo
from tests.tasks.cloze import tiny_cloze


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tiny_cloze.write(tmp_path_factory.mktemp("data") / "questions")


@pytest.fixture(scope="module")
def task_model(tmp_path_factory):
    return tiny_cloze.make_task_model(
        tmp_path_factory.mktemp("vocabulary") / "vocab.txt"
    )


def predict(task_models, examples, batch_size=3):
    predictor = Predictor(
        task_models[0].task,
        [member.model for member in task_models],
        batch_size,
    )
    return predictor.predict(
        examples,
        [member.input_maker(examples, "test") for member in task_models],
    )


def test_decode(task_model):
    scores = tf.constant(
        [[0.0, 2.0, 1.0], [1.0, -1e30, -1e30], [-1e30] * 3], tf.float32
    )
    decoded = task_model.task.decode({"entities": scores})
    assert decoded["number"].numpy().tolist() == [1, 0, 0]
    total = np.exp([0, 2, 1]).sum()
    expected = [np.exp([0, 2, 1]) / total, [1, 0, 0], [0, 0, 0]]
    np.testing.assert_allclose(decoded["probabilities"], expected, rtol=1e-5)
    np.testing.assert_allclose(
        decoded["probability"], np.max(expected, axis=1), rtol=1e-5
    )


def test_an_ensemble_takes_the_mean(task_model):
    members = [
        {"entities": tf.constant([[0.0, 1.0, -1e30]])},
        {"entities": tf.constant([[3.0, 0.0, -1e30]])},
    ]
    decoded = task_model.task.decode(
        task_model.task.combine([None] * 2, members)
    )
    shares = [np.exp(row) / np.exp(row).sum() for row in ([0, 1], [3, 0])]
    np.testing.assert_allclose(
        decoded["probabilities"], [[*np.mean(shares, axis=0), 0]], rtol=1e-5
    )
    assert decoded["number"].numpy().tolist() == [0]


def test_loss(task_model, folder):
    examples = read_training_examples(folder)
    targets = task_model.task.targets(examples)
    assert targets["answer"].tolist() == [2, 0, 1]
    scores = np.float32([[0, 2, 1], [1, -1e30, -1e30], [2, 0, 1]])
    losses = task_model.task.loss(None, {"entities": scores}, targets)
    expected = [np.log(np.exp([0, 2, 1]).sum()) - value for value in (1, 0)]
    np.testing.assert_allclose(losses, [expected[0], 0, expected[1]], atol=1e-5)


def test_metrics(task_model, folder):
    examples = read_examples(folder)
    entities = ["@entity5", "@entity1", "@entity4", "@entity6"]
    predictions = [ClozePrediction(entity, 0.5) for entity in entities]
    assert task_model.task.metrics(examples, predictions) == {
        # The answer that the context does not have counts.
        "accuracy": 0.5,
        "maximum_frequency": 0.25,
        # Of equals the first, as in the first question, which is wrong.
        "exclusive_frequency": 0.5,
        "questions": 4,
    }


def test_write(task_model, folder):
    examples = read_examples(folder)[:2]
    file = io.StringIO()
    predictions = [
        ClozePrediction("@entity5", 0.75),
        ClozePrediction("@entity1", 1.0),
    ]
    task_model.task.write(examples, predictions, file)
    lines = file.getvalue().splitlines()
    assert lines[0] == (
        '{"id": "a.question", "entity": "@entity5", "name": "Zoë: a life", '
        '"probability": 0.75}'
    )
    assert json.loads(lines[1]) == {
        "id": "b.question",
        "entity": "@entity1",
        "name": None,
        "probability": 1.0,
    }


def test_predictions_depend_on_no_batch_and_no_name(
    task_model, folder, tmp_path
):
    examples = read_examples(folder)
    expected = predict([task_model], examples)
    assert len({round(found.probability, 3) for found in expected}) == 4
    for batch_size in (1, 4):
        found = predict([task_model], examples[::-1], batch_size)[::-1]
        for left, right in zip(found, expected, strict=True):
            assert left.entity == right.entity
            assert left.probability == pytest.approx(
                right.probability, rel=1e-4
            )
    # Other names, and another file's name.
    question = tiny_cloze.QUESTIONS[0]
    other = dataclasses.replace(
        question,
        id="z.question",
        context=question.context.replace("@entity", "@entity3"),
        question=question.question.replace("@entity", "@entity3"),
        answer=question.answer.replace("@entity", "@entity3"),
        entity_lines=(),
    )
    (found,) = predict(
        [task_model], read_examples(tiny_cloze.write(tmp_path / "x", [other]))
    )
    assert found.entity == expected[0].entity.replace("@entity", "@entity3")
    assert found.probability == pytest.approx(expected[0].probability, rel=1e-5)


def test_the_ids_are_those_of_the_example(task_model, folder):
    """What the model reads are not the names of the file."""
    example = read_examples(folder)[0]
    probabilities = {
        round(
            predict([task_model], [dataclasses.replace(example, ids=ids)])[
                0
            ].probability,
            5,
        )
        for ids in itertools.permutations(range(4))
    }
    assert len(probabilities) > 10


def check_answers(found, questions, predictions):
    for row, (question, prediction) in enumerate(
        zip(questions, predictions, strict=True)
    ):
        assert found["entity"][row].numpy().decode() == prediction.entity
        assert float(found["probability"][row]) == pytest.approx(
            prediction.probability, rel=1e-4
        )
        entities = list(
            dict.fromkeys(
                token
                for token in question.context_tokens
                if token.startswith("@entity")
            )
        )
        n = len(entities)
        names = [name.decode() for name in found["entities"][row].numpy()]
        assert names == entities + [""] * (len(names) - n)
        probabilities = found["probabilities"][row].numpy()
        assert probabilities[:n].sum() == pytest.approx(1.0, rel=1e-5)
        assert not probabilities[n:].any()
        assert entities[probabilities.argmax()] == prediction.entity


def test_the_exported_model_answers_alike(task_model, folder, tmp_path):
    predictions = predict([task_model], read_examples(folder))
    functions = TaskFunctions(task_model.task.config, task_model, "whitespace")
    tf.saved_model.save(
        functions, str(tmp_path), signatures=functions.signatures()
    )
    signatures = tf.saved_model.load(str(tmp_path)).signatures
    questions = tiny_cloze.QUESTIONS
    strings = {
        "context": tf.constant([q.context for q in questions]),
        "question": tf.constant([q.question for q in questions]),
    }
    found = signatures["default"](**strings)
    check_answers(found, questions, predictions)
    assert found["context_tokens"].numpy()[1].tolist()[:3] == [
        b"@entity1",
        b".",
        b"",
    ]
    arguments = {}
    for name, tokens in (
        ("context", [q.context_tokens for q in questions]),
        ("question", [q.question_tokens for q in questions]),
    ):
        time = max(map(len, tokens)) + 2
        arguments[f"{name}_tokens"] = tf.constant(
            [row + ["@entity5"] * (time - len(row)) for row in tokens]
        )
        arguments[f"{name}_sequence_len"] = tf.constant(list(map(len, tokens)))
    found = signatures["tokens"](**arguments)
    assert "context_tokens" not in found
    check_answers(found, questions, predictions)


def test_the_exported_model_of_almost_nothing(task_model):
    functions = TaskFunctions(task_model.task.config, task_model, "whitespace")
    answer = functions.signatures()["default"]
    found = answer(
        context=tf.constant(["", "no entity", "@entity3", "@entity3"]),
        question=tf.constant(["@placeholder", "", "", "x @entity4"]),
    )
    assert found["entity"].numpy().tolist() == [
        b"",
        b"",
        b"@entity3",
        b"@entity3",
    ]
    np.testing.assert_allclose(found["probability"], [0, 0, 1, 1])
    found = answer(context=tf.constant([""]), question=tf.constant([""]))
    assert found["entity"].numpy().tolist() == [b""]
    assert found["probability"].numpy().tolist() == [0]


@pytest.mark.slow
def test_with_elmo(folder, tmp_path):
    """Live layers of the words as they are called at the moment."""
    elmo = ElmoConfig(
        saved_model=tiny_elmo.export(tmp_path / "bilm"),
        location="input_and_output",
        cache=False,
    )
    model = tiny_cloze.make_task_model(tmp_path / "vocab.txt", elmo=elmo)
    examples = read_examples(folder)
    predictions = predict([model], examples)
    functions = TaskFunctions(model.task.config, model, "whitespace")
    found = functions.signatures()["default"](
        context=tf.constant([q.context for q in tiny_cloze.QUESTIONS]),
        question=tf.constant([q.question for q in tiny_cloze.QUESTIONS]),
    )
    check_answers(found, tiny_cloze.QUESTIONS, predictions)
    # The second layer of ELMo stands beside what the windows' biLSTM gives.
    model.model.get_layer("elmo_output").gamma.assign(9.0)
    (other, *_) = predict([model], examples)
    assert other.probability != pytest.approx(
        predictions[0].probability, abs=1e-4
    )


def easy_questions(n):
    """Who it was who met somebody stands beside "met"."""
    generator = np.random.default_rng(0)
    for number in range(n):
        names = [f"@entity{id_}" for id_ in generator.permutation(20)[:4]]
        sentences = [
            f"{names[0]} met {names[1]} .",
            f"the rain saw {names[2]} .",
            f"{names[3]} saw {names[1]} in the rain .",
        ]
        context = " ".join(sentences[i] for i in generator.permutation(3))
        yield ClozeQuestion(
            f"{number:03}.question",
            "",
            context,
            f"@placeholder met {names[1]} in the rain",
            names[0],
            (f"{names[0]}:Ann {number}",),
        )


def options(folder, **more):
    return json.dumps(
        {
            "task.model.hidden_size": 8,
            "task.model.dropout": 0.0,
            "task.window_width": 5,
            "task.character_encoder.filters": 4,
            "task.word_vectors": {"dim": 8, "trainable": True},
            "task.optimizer.learning_rate": 0.02,
            "task.optimizer.ema_decay": 0.9,
            "task.train_data": {
                "input_path": f"{folder}/cnn.tgz/cnn/questions/training",
                "batch_size": 16,
            },
            "task.validation_data.input_path": f"{folder}/test",
            "trainer.train_steps": 60,
            "trainer.validation_interval": 60,
            "trainer.progress_seconds": 1000,
            **more,
        }
    )


def run(module, *arguments):
    result = binaries.run(module, *arguments)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A trained model's folder, data and results."""
    folder = tmp_path_factory.mktemp("cloze")
    tiny_cloze.write(folder / "training", list(easy_questions(60))[:48])
    tiny_cloze.write(folder / "test", list(easy_questions(60))[48:])
    with tarfile.open(folder / "cnn.tgz", "w:gz") as archive:
        for name in ("training", "test"):
            archive.add(folder / name, f"cnn/questions/{name}")
    results = run(
        "tasks.train",
        "--experiment=cloze/small",
        f"--model_dir={folder}/model",
        f"--params_override={options(folder)}",
    )
    return folder, results


@pytest.mark.slow
def test_the_whole_way(trained):
    folder, results = trained
    assert results["validation"]["accuracy"] == 1.0
    assert results["validation"]["maximum_frequency"] == 0.0
    assert results["validation"]["questions"] == 12
    model_dir = f"--model_dir={folder}/model"
    data = f"--input_path={folder}/cnn.tgz/cnn/questions/test"
    found = run("tasks.evaluate", model_dir, data)
    assert found["accuracy"] == 1.0
    output = folder / "predictions.jsonl"
    counts = run("tasks.predict", model_dir, data, f"--output={output}")
    assert counts == {"examples": 12}
    lines = list(map(json.loads, output.read_text().splitlines()))
    assert [line["name"] for line in lines] == [
        f"Ann {number}" for number in range(48, 60)
    ]
    run("tasks.export", model_dir, f"--output={folder}/saved_model")
    answer = tf.saved_model.load(f"{folder}/saved_model").signatures["default"]
    questions = list(easy_questions(60))[48:]
    exported = answer(
        context=tf.constant([question.context for question in questions]),
        question=tf.constant([question.question for question in questions]),
    )
    for row, line in enumerate(lines):
        assert exported["entity"][row].numpy().decode() == line["entity"]
        assert float(exported["probability"][row]) == pytest.approx(
            line["probability"], rel=1e-4
        )


@pytest.mark.slow
def test_resumed_equals_uninterrupted(trained, tmp_path):
    """The ids that a step draws are its own."""
    folder, _ = trained
    experiment = "--experiment=cloze/small"
    weights = {}
    for name, steps in (("whole", [4]), ("parts", [2, 4])):
        for n in steps:
            values = {
                "trainer.train_steps": n,
                "trainer.validation_interval": n,
            }
            run(
                "tasks.train",
                experiment,
                "--mode=train",
                f"--model_dir={tmp_path}/{name}",
                f"--params_override={options(folder, **values)}",
            )
        reader = tf.train.load_checkpoint(f"{tmp_path}/{name}")
        weights[name] = {
            key: reader.get_tensor(key)
            for key in reader.get_variable_to_shape_map()
            if key.startswith("model/")
        }
    assert len(weights["whole"]) > 20
    for key, value in weights["whole"].items():
        np.testing.assert_array_equal(value, weights["parts"][key], key)


@pytest.mark.slow
def test_mistakes(trained, tmp_path):
    folder, _ = trained
    result = binaries.run(
        "tasks.export",
        f"--model_dir={folder}/model",
        f"--output={tmp_path}/saved_model",
        "--tokenizer=penn_treebank",
    )
    binaries.check_mistake(
        result,
        "export",
        "--tokenizer: found penn_treebank, expected none, as cloze splits "
        "strings in one way only",
    )
    result = binaries.run(
        "tasks.evaluate",
        f"--model_dir={folder}/model",
        f"--input_path={folder}/cnn.tgz",
    )
    binaries.check_mistake(
        result,
        "evaluate",
        f"{folder}/cnn.tgz: found questions in cnn/questions/test and "
        "cnn/questions/training, expected one folder; say which, as "
        f"{folder}/cnn.tgz/cnn/questions/test",
    )
