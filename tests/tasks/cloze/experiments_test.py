"""The paper's numbers, and what does not go together."""

import pytest

from bidaf_tf.bidaf import BiDAFConfig
from elmo_tf.errors import InputError
from elmo_tf.training.experiment import experiment_config
from elmo_tf.training.overrides import override
from tasks.cloze import experiments  # noqa: F401 (registers the experiments)
from tasks.config import CharacterEncoderConfig


def test_cnn():
    """Section 5 of Seo et al. 2017, and for the rest section 4."""
    config = experiment_config("cloze/cnn")
    task = config.task
    assert task.train_data.batch_size == 48
    assert (config.trainer.train_epochs, config.trainer.patience) == (8, 1)
    assert task.window_width == 19
    assert task.model == BiDAFConfig(hidden_size=100, dropout=0.2)
    assert task.character_encoder == CharacterEncoderConfig(
        filters=100, embedding_dim=8, width=5, dropout=0.2
    )
    assert (task.word_vectors.dim, task.word_vectors.trainable) == (100, False)
    optimizer = task.optimizer
    assert (optimizer.name, optimizer.learning_rate) == ("adadelta", 0.5)
    assert optimizer.ema_decay == 0.999
    assert not task.elmo.is_used


def test_small():
    task = experiment_config("cloze/small").task
    paper = experiment_config("cloze/cnn").task
    assert task.model.hidden_size < paper.model.hidden_size
    assert task.window_width == paper.window_width


def test_elmo_without_cache():
    task = override(
        experiment_config("cloze/small"),
        {"task.elmo.location": "input", "task.elmo.cache": False},
        "test",
    ).task
    assert task.elmo.is_used


@pytest.mark.parametrize(
    "values, message",
    [
        (
            {"task.elmo.location": "output"},
            "elmo.location=output with elmo.cache=true, expected "
            "elmo.cache=false: entities get other ids in each training step",
        ),
        (
            {"task.window_width": 18},
            "window_width=18, expected an odd number",
        ),
        ({"task.window_width": 0}, "window_width"),
        ({"task.model.gru_units": 3}, "gru_units"),
    ],
)
def test_mistakes(values, message):
    with pytest.raises(InputError, match=message):
        override(experiment_config("cloze/small"), values, "the test")
