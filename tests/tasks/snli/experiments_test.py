import dataclasses

from elmo_tf.training.experiment import experiment_config
from tasks import registry  # noqa: F401 (registers the experiments)


def test_what_the_paper_says():
    task = experiment_config("snli/snli").task
    assert (task.lstm_units, task.feed_forward_units, task.dropout) == (
        300,
        300,
        0.5,
    )
    elmo = task.elmo
    assert elmo.at_input and elmo.at_output
    assert (elmo.layers, elmo.l2, elmo.layer_norm) == ("all", 0.001, "bilm_tf")
    assert (task.word_vectors.dim, task.word_vectors.trainable) == (300, False)
    optimizer = task.optimizer
    assert (optimizer.name, optimizer.learning_rate) == ("adam", 0.0004)
    assert (optimizer.plateau_factor, optimizer.plateau_patience) == (0.5, 1)
    assert optimizer.clip_norm == 5.0
    assert task.train_data.batch_size == 32


def test_the_small_model_reads_elmo_likewise():
    small, whole = (
        experiment_config(name).task
        for name in ("snli/snli_small", "snli/snli")
    )
    assert small.elmo == whole.elmo
    assert small.lstm_units < whole.lstm_units
    learning_rate = whole.optimizer.learning_rate
    assert whole.optimizer == dataclasses.replace(
        small.optimizer, learning_rate=learning_rate
    )
