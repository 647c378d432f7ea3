"""A task's own inputs, from training to the exported SavedModel.

The toy task judges one token of a sentence, whose place is an extra input.
"""

import dataclasses
import typing

import keras
import numpy as np
import pytest
import tensorflow as tf

from elmo_tf.training.overrides import override
from tasks import registry
from tasks import training
from tasks.config import TaskConfig
from tasks.config import TaskExperimentConfig
from tasks.predictor import Predictor
from tasks.task import Task
from tasks.task_functions import TaskFunctions
from tasks.task_model import TaskModel

TOKENS = ("red", "dog", "red", "cat", "cat")


@dataclasses.dataclass(frozen=True)
class ToyExample:
    tokens: tuple
    place: int
    label: float


@dataclasses.dataclass(frozen=True)
class ToyConfig(TaskConfig):
    name: typing.Literal["toy"] = "toy"


@dataclasses.dataclass(frozen=True)
class ToyExperimentConfig(TaskExperimentConfig):
    task: ToyConfig = dataclasses.field(default_factory=ToyConfig)


class ToyTask(Task):
    metric = "examples"
    extra_inputs = {"place": tf.TensorSpec([None], tf.int32)}
    model_inputs = {"is_chosen": tf.TensorSpec([None, None], tf.bool)}
    views = []

    def read(self, path):
        return [
            ToyExample(TOKENS[:length], place, float(place % 2))
            for length, place in ((5, 1), (3, 0), (4, 3))
        ]

    def texts(self, example):
        return [example.tokens]

    def extra_values(self, examples):
        return {"place": [example.place for example in examples]}

    def make_model_inputs(self, texts, extra):
        ((tokens, lengths),) = texts
        time = tf.shape(tokens)[1]
        chosen = tf.equal(tf.range(time), extra["place"][:, tf.newaxis])
        return {"is_chosen": chosen & tf.sequence_mask(lengths, time)}

    def training_view(self, example, generator):
        self.views.append(int(generator.integers(1000)))
        return dataclasses.replace(example, place=1)

    def make_model(self, inputs):
        vectors = keras.layers.Dense(1, use_bias=False, name="dense")(
            inputs.token_vectors("tokens")
        )
        is_chosen = inputs.keras_inputs["is_chosen"][..., None]
        score = keras.ops.sum(keras.ops.where(is_chosen, vectors, 0.0), [1, 2])
        return keras.Model(inputs.keras_inputs, {"score": score})

    def learn(self, examples):
        pass

    def state(self):
        return {}

    def restore(self, state):
        pass

    def check(self, examples):
        pass

    def targets(self, examples):
        return {"label": np.float32([example.label for example in examples])}

    def loss(self, model, outputs, targets):
        return (outputs["score"] - targets["label"]) ** 2

    def combine(self, models, outputs):
        raise AssertionError

    def decode(self, outputs):
        return outputs

    def predictions(self, examples, decoded):
        return decoded["score"].tolist()

    def metrics(self, examples, predictions):
        return {"examples": len(examples)}

    def write(self, examples, predictions, file):
        raise AssertionError


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """The toy task's model after two steps, and the weights before them."""
    folder = tmp_path_factory.mktemp("toy")
    config = override(
        ToyExperimentConfig(),
        {
            "task.elmo.location": "none",
            "task.word_vectors.dim": 4,
            "task.train_data": {"input_path": "data", "batch_size": 2},
            "task.validation_data.input_path": "data",
            "trainer.train_epochs": 1,
        },
        "test",
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(registry._TASKS, "toy", (ToyTask, ToyExperimentConfig))
        patch.setattr(
            training,
            "set_up",
            lambda runtime: tf.distribute.OneDeviceStrategy("CPU:0"),
        )
        ToyTask.views.clear()
        results = training.train(config, "train_and_eval", str(folder))
        views = list(ToyTask.views)
        _, task_model = TaskModel.load(str(folder))
    return results, views, task_model


def expected_score(task_model, tokens, place):
    ids = {"red": 2, "cat": 3, "dog": 4}
    (table,) = task_model.model.get_layer("word_embedding").get_weights()
    (kernel,) = task_model.model.get_layer("dense").get_weights()
    if not 0 <= place < len(tokens):
        return 0.0
    return float(table[ids[tokens[place]]] @ kernel[:, 0])


def test_the_model_reads_them(trained):
    results, _, task_model = trained
    assert results["steps"] == 2
    examples = [
        ToyExample(TOKENS[:length], place, 0.0)
        for length, place in ((5, 1), (5, 2), (3, 2), (3, 3), (5, 3))
    ]
    predictor = Predictor(task_model.task, [task_model.model], 3)
    found = predictor.predict(
        examples, [task_model.input_maker(examples, "test")]
    )
    expected = [
        expected_score(task_model, example.tokens, example.place)
        for example in examples
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    assert len(set(expected)) == 4


def test_training_sees_views(trained):
    _, views, _ = trained
    # Of three examples two are in one of the steps, and one in the other.
    draws = [
        np.random.default_rng([1, step, 1]).integers(1000, size=2).tolist()
        for step in range(2)
    ]
    assert views[:3] in (draws[0] + draws[1][:1], draws[0][:1] + draws[1])


def test_the_exported_model_takes_them(trained, tmp_path):
    _, _, task_model = trained
    task = task_model.task
    functions = TaskFunctions(task.config, task_model, "whitespace")
    tf.saved_model.save(
        functions, str(tmp_path), signatures=functions.signatures()
    )
    signatures = tf.saved_model.load(str(tmp_path)).signatures
    rows = [(TOKENS, 4), (TOKENS[:3], 1), (TOKENS[:3], 3), (TOKENS, 0)]
    expected = [expected_score(task_model, *row) for row in rows]
    places = tf.constant([place for _, place in rows])
    found = signatures["default"](
        strings=tf.constant([" ".join(tokens) for tokens, _ in rows]),
        place=places,
    )
    np.testing.assert_allclose(found["score"], expected, rtol=1e-5)
    assert found["tokens"].shape == (4, 5)
    found = signatures["tokens"](
        tokens=tf.constant([TOKENS] * 4),
        sequence_len=tf.constant([len(tokens) for tokens, _ in rows]),
        place=places,
    )
    np.testing.assert_allclose(found["score"], expected, rtol=1e-5)


def test_by_default_there_are_none(trained):
    _, _, task_model = trained
    task = task_model.task
    example = ToyExample(TOKENS, 1, 0.0)
    assert Task.extra_inputs.fget(task) == {}
    # The model takes what there is as it is.
    assert Task.model_inputs.fget(task) == ToyTask.extra_inputs
    assert Task.extra_values(task, [example]) == {}
    assert Task.make_model_inputs(task, [], {"place": 3}) == {"place": 3}
    assert Task.training_view(task, example, None) is example
