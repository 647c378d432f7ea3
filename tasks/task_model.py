"""A task with its model, and all that the model reads."""

import os

import pydantic
import yaml

from elmo_tf.checksums import check_checksums
from elmo_tf.errors import InputError
from elmo_tf.errors import describe_validation_error
from elmo_tf.training.checkpoints import restore_model
from elmo_tf.training.run import CONFIG_FILE_NAME
from tasks.elmo.elmo_source import ElmoSource
from tasks.input_maker import InputMaker
from tasks.model_inputs import WORD_EMBEDDING
from tasks.model_inputs import ModelInputs
from tasks.registry import experiment_class
from tasks.registry import make_task
from tasks.task_shape import TaskShape
from tasks.text.text_features import TextFeatures
from tasks.text.word_lookup import WordLookup
from tasks.text.word_vocabulary import FIRST_ID
from tasks.text.word_vocabulary import WordVocabulary

BEST_FOLDER = "best"
VOCABULARY_FILE_NAME = "vocab.txt"


class TaskModel:
    """A task, its Keras model, and what makes the model's inputs.

    Args:
        task: The `Task`, which has learnt its state.
        shape: The `TaskShape`.
        vocabulary_file: The file of the word vocabulary.
        elmo_source: The `ElmoSource`; None: no ELMo.

    Attributes:
        task: The `Task`.
        model: The `keras.Model`.
        features: The `TextFeatures`.
        elmo_source: The `ElmoSource`, or None.
    """

    def __init__(self, task, shape, vocabulary_file, elmo_source):
        config = task.config
        self.task = task
        self.elmo_source = elmo_source
        word_lookup = None
        if config.word_vectors.is_used:
            word_lookup = WordLookup(
                vocabulary_file,
                config.word_vectors.lowercase,
                config.word_vectors.zero_numbers,
            )
        self.features = TextFeatures(
            word_lookup, config.character_encoder.is_used
        )
        self.model = task.make_model(
            ModelInputs(
                config,
                task.text_fields,
                shape.vocabulary_size,
                shape.word_dim,
                None if elmo_source is None else elmo_source.shape,
                task.model_inputs,
            )
        )

    @classmethod
    def load(cls, model_dir, elmo_sources=()):
        """Loads a trained task model with its best weights.

        Args:
            model_dir: The folder of a training.
            elmo_sources: `ElmoSource`s that are loaded already; one of them
                serves if its biLM is the same.

        Returns:
            A tuple of the experiment's configuration and the `TaskModel`.

        Raises:
            InputError: Something in the folder is missing or damaged, or the
                biLM is missing or another one.
        """
        shape = TaskShape.load(model_dir)
        if shape is None:
            raise InputError(
                f"{model_dir}: not the folder of a task's training"
            )
        config = load_config(model_dir)
        task = make_task(config.task)
        task.restore(shape.state)
        vocabulary_file = os.path.join(model_dir, VOCABULARY_FILE_NAME)
        vocabulary_size = len(WordVocabulary.load(vocabulary_file))
        if vocabulary_size != shape.vocabulary_size:
            raise InputError(
                f"{vocabulary_file}: found {vocabulary_size - FIRST_ID} words, "
                f"expected {shape.vocabulary_size - FIRST_ID} as in training"
            )
        source = None
        if shape.elmo_fingerprint is not None:
            source = next(
                (
                    loaded
                    for loaded in elmo_sources
                    if loaded.fingerprint == shape.elmo_fingerprint
                ),
                None,
            ) or ElmoSource(config.task.elmo, shape.elmo_fingerprint)
        task_model = cls(task, shape, vocabulary_file, source)
        restore_model(task_model.model, os.path.join(model_dir, BEST_FOLDER))
        check_checksums(model_dir)
        return config, task_model

    def set_word_vectors(self, vectors):
        """Sets the word vectors to start from.

        Args:
            vectors: Float array `[vocabulary_size, word_dim]`.
        """
        self.model.get_layer(WORD_EMBEDDING).embeddings.assign(vectors)

    def input_maker(self, examples, name):
        """Prepares what makes the inputs of examples.

        Args:
            examples: All examples that will be asked for.
            name: What to call them in progress lines.

        Returns:
            The `InputMaker`.
        """
        layers = None
        if self.elmo_source is not None:
            layers = self.elmo_source.layers(
                (
                    tokens
                    for example in examples
                    for sentences in self.task.sentences(example)
                    for tokens in sentences
                ),
                name,
            )
        return InputMaker(self.task, self.features, layers)


def load_config(model_dir):
    """Reads the configuration of a training.

    Args:
        model_dir: The training's folder, with one seed.

    Returns:
        The `TaskExperimentConfig` of its task.

    Raises:
        InputError: The file is damaged, or not the configuration of a task.
        OSError: The file cannot be read.
    """
    path = os.path.join(model_dir, CONFIG_FILE_NAME)
    try:
        with open(path, encoding="utf-8") as file:
            values = yaml.safe_load(file)
        config_class = experiment_class(values["task"]["name"])
        if config_class is None:
            raise InputError(f"{path}: unknown task {values['task']['name']!r}")
        return pydantic.TypeAdapter(config_class).validate_python(values)
    except pydantic.ValidationError as error:
        raise InputError(
            f"{path}: {describe_validation_error(error)}"
        ) from None
    except (KeyError, TypeError, yaml.YAMLError):
        raise InputError(f"{path}: not the configuration of a task") from None
