"""The training of the quickstart."""

import dataclasses

from elmo_tf import experiments  # noqa: F401 (registers the experiments)
from elmo_tf.language_model import BiLanguageModel
from elmo_tf.language_model_batch import LanguageModelEncoder
from elmo_tf.perplexity import PerplexityMeter
from elmo_tf.text.vocabulary import Vocabulary
from elmo_tf.training.experiment import experiment_config
from elmo_tf.training.overrides import override
from elmo_tf.training.runtime import set_up


def training_config(vocabulary_path, train_path, heldout_path, train_steps):
    """The experiment elmo/tiny, for a small text and a small vocabulary.

    Args:
        vocabulary_path: The file of the vocabulary.
        train_path: The text to train on.
        heldout_path: The text to measure the perplexity on.
        train_steps: The number of steps.

    Returns:
        A `PretrainingConfig`.
    """
    changes = {
        "task.vocab_file": vocabulary_path,
        "task.train_data.input_path": train_path,
        "task.validation_data.input_path": heldout_path,
        "task.model.lstm.dim": 256,
        "task.model.lstm.projection_dim": 64,
        # The text is read some twenty times over.
        "task.model.dropout": 0.3,
        # The exact softmax: the loss gives the perplexity.
        "task.n_negative_samples_batch": None,
        "trainer.train_steps": train_steps,
        "trainer.checkpoint_interval": 500,
        "trainer.validation_interval": max(1, min(100, train_steps // 2)),
        "trainer.summary_interval": 10 if train_steps >= 100 else 1,
    }
    return override(experiment_config("elmo/tiny"), changes, "quickstart")


def untrained_perplexity(config):
    """Measures the perplexity with the weights that the training starts from.

    Args:
        config: The `PretrainingConfig`.

    Returns:
        The figures of a `Perplexity` on the held-out text, a dictionary.
    """
    set_up(config.runtime)
    vocabulary = Vocabulary.load(config.task.vocab_file)
    model_config = dataclasses.replace(
        config.task.model, n_tokens_vocab=len(vocabulary)
    )
    model = BiLanguageModel(model_config, name="language_model")
    model.build()
    meter = PerplexityMeter(
        model, LanguageModelEncoder(model_config, vocabulary)
    )
    return dataclasses.asdict(
        meter.measure_files(config.task.validation_data.input_path)
    )
