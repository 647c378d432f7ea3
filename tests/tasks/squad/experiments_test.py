"""The papers' numbers, and sizes."""

import pytest

from bidaf_tf.bidaf import BiDAFConfig
from bidaf_tf.self_attention import BiDAFSelfAttentionConfig
from elmo_tf.errors import InputError
from elmo_tf.training.experiment import experiment_config
from elmo_tf.training.overrides import override
from tasks.config import CharacterEncoderConfig
from tasks.model_inputs import ModelInputs
from tasks.squad import experiments  # noqa: F401 (registers the experiments)
from tasks.squad.task import SquadTask


def n_parameters(config, elmo_shape=None):
    """Without the word vectors, which are fixed."""
    task = SquadTask(config)
    inputs = ModelInputs(
        config, task.text_fields, 50, config.word_vectors.dim, elmo_shape
    )
    model = task.make_model(inputs)
    return sum(
        weight.value.shape.num_elements() for weight in model.trainable_weights
    )


def test_bidaf():
    """Section 4 of Seo et al. 2017."""
    config = experiment_config("squad/bidaf")
    task = config.task
    assert task.model == BiDAFConfig(hidden_size=100, dropout=0.2)
    assert task.character_encoder == CharacterEncoderConfig(
        filters=100, embedding_dim=8, width=5, dropout=0.2
    )
    assert (task.word_vectors.dim, task.word_vectors.trainable) == (100, False)
    optimizer = task.optimizer
    assert (optimizer.name, optimizer.learning_rate) == ("adadelta", 0.5)
    assert optimizer.ema_decay == 0.999
    assert task.train_data.batch_size == 60
    assert config.trainer.train_epochs == 12
    assert not task.elmo.is_used
    assert round(n_parameters(task) / 1e6, 1) == 2.6


def test_bidaf_self_attention():
    """Section A.4 of Peters et al. 2018."""
    config = experiment_config("squad/bidaf_self_attention")
    task = config.task
    assert task.model == BiDAFSelfAttentionConfig(
        gru_units=90, linear_units=180, dropout=0.2
    )
    assert (task.word_vectors.dim, task.word_vectors.trainable) == (300, False)
    assert not task.word_vectors.lowercase
    assert task.optimizer.name == "adadelta"
    assert task.optimizer.ema_decay is not None
    assert task.train_data.batch_size == 45
    assert task.max_answer_length == 17
    assert task.elmo.location == "input_and_output"
    assert (task.elmo.l2, task.elmo.layer_norm) == (0.0, None)
    with_elmo = n_parameters(task, (3, 1024))
    without = override(config, {"task.elmo.location": "none"}, "test")
    assert n_parameters(without.task) < with_elmo


@pytest.mark.parametrize("name", ["bidaf", "bidaf_self_attention"])
def test_small(name):
    small = experiment_config(f"squad/{name}_small").task
    paper = experiment_config(f"squad/{name}").task
    assert small.model.name == paper.model.name
    assert small.elmo == paper.elmo
    shape = (3, 256) if small.elmo.is_used else None
    assert n_parameters(small, shape) < 0.5 * n_parameters(paper, shape)


def test_no_characters():
    """An ablation of table 1b."""
    config = experiment_config("squad/bidaf")
    without = override(config, {"task.character_encoder.filters": 0}, "test")
    assert n_parameters(without.task) < n_parameters(config.task)


@pytest.mark.parametrize(
    "values",
    [
        {"task.model.hidden_size": 0},
        {"task.model.gru_units": 3},
        {"task.model.similarity": "cosine"},
        {"task.max_context_length": 0},
        {"task.n_best": 0},
        {"task.window_stride": 401},
    ],
)
def test_mistakes(values):
    (name,) = values
    with pytest.raises(InputError, match=name.split(".")[-1]):
        override(experiment_config("squad/bidaf"), values, "the test")
