"""The configurations of coreference resolution, by name."""

import dataclasses
import typing

import pydantic
from pydantic.dataclasses import dataclass

from elmo_tf.training.experiment import register_experiment
from tasks.config import STRICT
from tasks.config import CharacterEncoderConfig
from tasks.config import ElmoConfig
from tasks.config import OptimizerConfig
from tasks.config import Rate
from tasks.config import TaskConfig
from tasks.config import TaskDataConfig
from tasks.config import TaskExperimentConfig
from tasks.config import TaskTrainerConfig
from tasks.config import WordVectorsConfig


@dataclass(frozen=True, config=STRICT)
class CorefConfig(TaskConfig):
    """Coreference resolution (section A.6, Lee et al. 2017).

    Attributes:
        name: The task's name.
        max_span_width: How many tokens a mention has at most.
        spans_per_token: How many spans are kept for each token.
        max_antecedents: How many of the spans kept before a span may be its
            antecedent.
        singletons: Whether mentions that are alone in their cluster are found
            too: the loss then has the cross-entropy of whether each span is a
            mention, and a span is one whose probability is above one half.
            CoNLL-2012 leaves them out, LitBank does not.
        max_training_sentences: To how many sentences, at random, longer
            documents are cut in training.
        genres: The genres that documents have, as their names begin; all others
            are one genre more.
        lstm_units: Width of each direction of the biLSTM.
        n_layers: Number of hidden layers of both feed-forward networks.
        units: Their width.
        feature_dim: Width of the embeddings of widths, distances, speakers and
            genres.
        lexical_dropout: The rate on the biLSTM's input.
        lstm_dropout: The rate on its recurrent connections.
        dropout: The rate on its output, the features and the hidden layers.
    """

    name: typing.Literal["coref"] = "coref"
    max_span_width: pydantic.PositiveInt = 10
    spans_per_token: pydantic.PositiveFloat = 0.4
    max_antecedents: pydantic.PositiveInt = 250
    singletons: bool = False
    max_training_sentences: pydantic.PositiveInt = 50
    genres: tuple[str, ...] = ("bc", "bn", "mz", "nw", "pt", "tc", "wb")
    lstm_units: pydantic.PositiveInt = 200
    n_layers: pydantic.PositiveInt = 2
    units: pydantic.PositiveInt = 150
    feature_dim: pydantic.PositiveInt = 20
    lexical_dropout: Rate = 0.5
    lstm_dropout: Rate = 0.2
    dropout: Rate = 0.2


@dataclass(frozen=True, config=STRICT)
class CorefExperimentConfig(TaskExperimentConfig):
    """The configuration of a training of a coreference model.

    Attributes:
        task: What to train.
    """

    task: CorefConfig = dataclasses.field(default_factory=CorefConfig)


@register_experiment("coref/conll2012")
def conll2012():
    """The paper's model for CoNLL-2012 (section A.6).

    Its settings are those of Lee et al. 2017 and their program: the word
    vectors are to be GloVe's of 300 dimensions, which stay as they are. The 50%
    dropout of the ELMo vectors is the lexical one. One layer is not quite
    theirs: the LSTMs' forget gates are not one less the input gates.
    """
    one_document = TaskDataConfig(batch_size=1)
    return CorefExperimentConfig(
        task=CorefConfig(
            elmo=ElmoConfig(dropout=0.0),
            word_vectors=WordVectorsConfig(dim=300, trainable=False),
            character_encoder=CharacterEncoderConfig(
                filters=50, embedding_dim=8, width=(3, 4, 5)
            ),
            optimizer=OptimizerConfig(
                learning_rate=0.001, clip_norm=5.0, decay_rate=0.999
            ),
            train_data=one_document,
            validation_data=one_document,
            test_data=one_document,
        ),
        trainer=TaskTrainerConfig(train_epochs=150, patience=20),
    )


@register_experiment("coref/litbank_small")
def litbank_small():
    """A narrower model for a few epochs on two cores, for LitBank's books."""
    config = conll2012()
    return dataclasses.replace(
        config,
        task=dataclasses.replace(
            config.task,
            word_vectors=WordVectorsConfig(),
            character_encoder=CharacterEncoderConfig(),
            # Single mentions teach the pruning, so that fewer spans do; books
            # mention their people over and over, far apart.
            spans_per_token=0.2,
            max_antecedents=200,
            singletons=True,
            max_training_sentences=40,
            genres=(),
            lstm_units=100,
            n_layers=1,
            units=100,
        ),
        trainer=TaskTrainerConfig(train_epochs=20, patience=5),
    )
