"""What the shape of a task model depends on besides its configuration."""

import dataclasses
import os

from elmo_tf.json_file import read_json
from elmo_tf.json_file import unexpected
from elmo_tf.json_file import write_json

SHAPE_FILE_NAME = "task.json"

_DESCRIPTION = "the shape of a task model"


@dataclasses.dataclass(frozen=True)
class TaskShape:
    """What the shape of a task model depends on besides its configuration.

    Attributes:
        state: What the task has learnt; see `Task.state`.
        vocabulary_size: Number of rows of the word vectors.
        word_dim: Their width; 0: the model reads no words.
        elmo_fingerprint: The biLM's fingerprint; None: no ELMo.
    """

    state: dict
    vocabulary_size: int
    word_dim: int
    elmo_fingerprint: str | None

    def save(self, model_dir):
        """Writes the shape into the folder of a training."""
        path = os.path.join(model_dir, SHAPE_FILE_NAME)
        write_json(path, dataclasses.asdict(self), indent=None)

    @classmethod
    def load(cls, model_dir):
        """Reads the shape from the folder of a training.

        Returns:
            The `TaskShape`; None if the folder has none.

        Raises:
            InputError: The file is damaged.
        """
        path = os.path.join(model_dir, SHAPE_FILE_NAME)
        if not os.path.exists(path):
            return None
        values = read_json(path, _DESCRIPTION)
        try:
            return cls(**values)
        except TypeError as error:
            raise unexpected(path, _DESCRIPTION, repr(error)) from None
