import dataclasses

import pytest

from elmo_tf.errors import InputError
from elmo_tf.training.experiment import experiment_config
from elmo_tf.training.overrides import override
from tasks.config import CharacterEncoderConfig
from tasks.config import TaskDataConfig
from tasks.model_inputs import ModelInputs
from tasks.ner import experiments  # noqa: F401 (registers the experiments)
from tasks.ner.model import make_tagger
from tasks.text.tags import tag_set

# The width of the paper's biLM.
ELMO_SHAPE = (3, 1024)


def n_parameters(config, n_words, word_dim):
    tags = tag_set(["LOC", "MISC", "ORG", "PER"], config.encoding)
    inputs = ModelInputs(config, ("tokens",), n_words, word_dim, ELMO_SHAPE)
    model = make_tagger(config, inputs, tags)
    return sum(
        weight.value.shape.num_elements() for weight in model.trainable_weights
    )


def lstm_parameters(n_in, units):
    return 2 * 4 * units * (n_in + units + 1)


def test_the_papers_numbers():
    """What appendix A.7 says."""
    config = experiment_config("ner/conll2003")
    task = config.task
    assert task.character_encoder == CharacterEncoderConfig(
        filters=128, embedding_dim=16, width=3
    )
    assert task.lstm_units == (200, 100)
    assert task.word_vectors.dim == 50
    assert task.word_vectors.trainable
    assert task.elmo.location == "input"
    assert task.elmo.layers == "all"
    assert task.elmo.l2 == 0.1
    assert task.elmo.layer_norm is None
    assert task.optimizer.name == "adam"
    assert task.optimizer.learning_rate == 0.001
    assert task.optimizer.plateau_factor is None
    assert task.optimizer.clip_norm == 5.0
    assert task.optimizer.clip_value is None
    # Early stopping.
    assert config.trainer.patience is not None
    # All data, and the last column of CoNLL-2003's files.
    assert task.train_fraction == 1
    assert (task.token_column, task.tag_column) == (0, -1)
    assert config.seeds == ()


def test_what_the_paper_leaves_open():
    """AllenNLP's numbers."""
    config = experiment_config("ner/conll2003")
    assert config.task.dropout == 0.5
    assert config.task.elmo.dropout == 0.5
    assert config.task.train_data == TaskDataConfig(batch_size=64)
    assert config.trainer.train_epochs == 75
    assert config.trainer.patience == 25


def test_size_of_the_papers_tagger():
    config = experiment_config("ner/conll2003").task
    # BIOUL: O and four prefixes of four classes.
    n_tags = 1 + 4 * 4
    assert n_parameters(config, n_words=1000, word_dim=50) == sum(
        [
            1000 * 50,
            # The characters' table: 256 bytes and the begin and end of words
            # and sentences; the convolution.
            260 * 16 + 3 * 16 * 128 + 128,
            # w and γ.
            3 + 1,
            lstm_parameters(50 + 128 + 1024, 200),
            lstm_parameters(2 * 200, 100),
            (2 * 100 + 1) * n_tags,
            n_tags * n_tags + 2 * n_tags,
        ]
    )


def test_small():
    config = experiment_config("ner/conll2003_small")
    paper = experiment_config("ner/conll2003")
    assert config.task == dataclasses.replace(
        paper.task,
        word_vectors=dataclasses.replace(
            paper.task.word_vectors, trainable=False
        ),
        character_encoder=CharacterEncoderConfig(filters=64),
        lstm_units=(100,),
    )
    # The word vectors are not counted: they are frozen.
    assert n_parameters(config.task, n_words=1000, word_dim=50) == sum(
        [
            260 * 16 + 3 * 16 * 64 + 64,
            3 + 1,
            lstm_parameters(50 + 64 + 1024, 100),
            (2 * 100 + 1) * 17,
            17 * 17 + 2 * 17,
        ]
    )


@pytest.mark.parametrize(
    "values",
    [
        {"task.encoding": "IOB1"},
        {"task.lstm_units": []},
        {"task.lstm_units": [0]},
        {"task.dropout": 1.0},
        {"task.token_column": -1},
        {"task.character_encoder.width": 0},
        {"task.elmo.location": "top"},
        {"task.name": "sst"},
        {"task.n_layers": 2},
    ],
)
def test_mistakes(values):
    (name,) = values
    with pytest.raises(InputError, match=name):
        override(experiment_config("ner/conll2003"), values, "the test")
