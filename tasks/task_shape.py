"""What the shape of a task model depends on besides its configuration."""

import dataclasses
import json
import os

from elmo_tf.atomic_file import write_file
from elmo_tf.errors import InputError

SHAPE_FILE_NAME = "task.json"


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
        with (
            write_file(path) as partial,
            open(partial, "w", encoding="utf-8") as file,
        ):
            json.dump(dataclasses.asdict(self), file, ensure_ascii=False)
            file.write("\n")

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
        try:
            with open(path, encoding="utf-8") as file:
                return cls(**json.load(file))
        except (RecursionError, TypeError, ValueError) as error:
            raise InputError(f"{path}: damaged: {error}") from None
