import dataclasses

import tensorflow as tf

from elmo_tf.training.experiment import experiment_config
from tasks import registry  # noqa: F401 (registers the experiments)
from tasks.model_inputs import ModelInputs
from tasks.srl.model import make_srl_tagger


def test_what_the_paper_says():
    config = experiment_config("srl/conll2012")
    task = config.task
    assert (task.word_vectors.dim, task.word_vectors.trainable) == (100, True)
    assert (task.predicate_dim, task.n_layers, task.units) == (100, 8, 300)
    assert task.recurrent_dropout == 0.1
    assert task.elmo.location == "input"
    optimizer = task.optimizer
    assert (optimizer.name, optimizer.learning_rate) == ("adadelta", 1.0)
    assert (optimizer.rho, optimizer.clip_value) == (0.95, 1.0)
    assert task.train_data.batch_size == 80
    assert (config.trainer.train_epochs, config.trainer.patience) == (500, 200)


def test_number_of_parameters():
    """Without ELMo, as He et al. 2017 count them."""
    config = experiment_config(
        "srl/conll2012", params_override="task.elmo.location=none"
    ).task
    inputs = ModelInputs(
        config,
        ("tokens",),
        1000,
        100,
        more={"predicate": tf.TensorSpec([None], tf.int32)},
    )
    model = make_srl_tagger(config, inputs, ["O", "B-A0", "I-A0"])

    def lstm_size(n_in):
        return n_in * 6 * 300 + 5 * 300 + 300 * 5 * 300

    assert sum(weight.size for weight in model.get_weights()) - sum(
        weight.size for weight in model.get_layer("decoder").get_weights()
    ) == sum(
        [
            1000 * 100,
            2 * 100,
            lstm_size(200) + 7 * lstm_size(300),
            301 * 3,
        ]
    )


def test_the_small_model_reads_elmo_likewise():
    small, whole = (
        experiment_config(name).task
        for name in ("srl/conll2012_small", "srl/conll2012")
    )
    assert small.elmo == whole.elmo
    assert small.units < whole.units and small.n_layers < whole.n_layers
    assert small.train_data == whole.train_data
    assert dataclasses.replace(small.word_vectors, dim=100) == (
        whole.word_vectors
    )
