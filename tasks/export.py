"""Packages a trained task model with its biLM as one SavedModel.

    python -m tasks.export --model_dir=MODEL_DIR --output=OUTPUT

It takes strings and gives answers; see `tasks.task_functions`. The last line is
one of JSON: the names of its signatures. Of a training with several seeds give
the folder of one of them.
"""

import tensorflow as tf
from absl import flags

from elmo_tf import command_line
from elmo_tf.atomic_file import write_folder
from elmo_tf.errors import InputError
from elmo_tf.text.tokenizer import TOKENIZERS
from tasks.task_functions import TaskFunctions
from tasks.task_model import TaskModel

FLAGS = flags.FLAGS

flags.DEFINE_string("model_dir", None, "Folder of the training.")
flags.DEFINE_string(
    "output", None, "Folder of the SavedModel to write; must not exist."
)
flags.DEFINE_enum(
    "tokenizer",
    None,
    TOKENIZERS,
    "How the signature `default` splits raw strings; by default at whitespace. "
    "Not for question answering, whose answers need a tokenizer of its own.",
)


def main(_):
    with write_folder(FLAGS.output) as folder:
        config, task_model = TaskModel.load(FLAGS.model_dir)
        if task_model.task.has_own_tokenizer and FLAGS.tokenizer is not None:
            raise InputError(
                f"--tokenizer: found {FLAGS.tokenizer}, expected none, as "
                f"{config.task.name} splits strings in one way only"
            )
        functions = TaskFunctions(
            config.task, task_model, FLAGS.tokenizer or "whitespace"
        )
        signatures = functions.signatures()
        tf.saved_model.save(functions, folder, signatures=signatures)
    command_line.print_json({"signatures": sorted(signatures)})


if __name__ == "__main__":
    flags.mark_flags_as_required(["model_dir", "output"])
    command_line.run(main)
