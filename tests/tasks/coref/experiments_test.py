from elmo_tf.training.experiment import experiment_config
from tasks import registry  # noqa: F401 (registers the experiments)
from tasks.config import CharacterEncoderConfig


def test_what_lee_et_al_say():
    config = experiment_config("coref/conll2012")
    task = config.task
    assert (task.max_span_width, task.spans_per_token) == (10, 0.4)
    assert (task.max_antecedents, task.max_training_sentences) == (250, 50)
    assert (task.lstm_units, task.n_layers, task.units) == (200, 2, 150)
    assert task.feature_dim == 20
    assert (task.lexical_dropout, task.lstm_dropout) == (0.5, 0.2)
    assert task.dropout == 0.2
    assert (task.word_vectors.dim, task.word_vectors.trainable) == (300, False)
    assert task.character_encoder == CharacterEncoderConfig(
        filters=50, embedding_dim=8, width=(3, 4, 5)
    )
    optimizer = task.optimizer
    assert (optimizer.name, optimizer.learning_rate) == ("adam", 0.001)
    assert (optimizer.decay_rate, optimizer.decay_steps) == (0.999, 100)
    assert optimizer.clip_norm == 5.0
    assert task.train_data.batch_size == 1


def test_elmo_has_half_dropped_once():
    """Section A.6."""
    for name in ("coref/conll2012", "coref/litbank_small"):
        task = experiment_config(name).task
        assert task.elmo.location == "input"
        assert (task.elmo.dropout, task.lexical_dropout) == (0.0, 0.5)
        assert (task.elmo.l2, task.elmo.layer_norm) == (0.0, None)


def test_the_small_model():
    small, whole = (
        experiment_config(name).task
        for name in ("coref/litbank_small", "coref/conll2012")
    )
    assert small.elmo == whole.elmo and small.optimizer == whole.optimizer
    assert small.lstm_units < whole.lstm_units and small.units < whole.units
    assert small.genres == ()
    assert small.train_data == whole.train_data
