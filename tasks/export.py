"""Packages a trained task model with its biLM as one SavedModel.

    python -m tasks.export --model_dir=MODEL_DIR --output=OUTPUT
    python -m tasks.export --model_dir=MODEL_DIR --output=models/ner --version=1

It takes strings and gives answers; see `tasks.task_functions`. The last line is
one of JSON: the names of its signatures. Of a training with several seeds give
the folder of one of them. With --version it becomes a version for TensorFlow
Serving, models/ner/1, with the server's models.config and
batching_parameters.txt beside it; see docs/serving.md.
"""

from absl import flags

from elmo_tf import command_line
from elmo_tf.errors import InputError
from elmo_tf.text.tokenizer import TOKENIZERS
from tasks.exporting import export
from tasks.task_model import TaskModel

FLAGS = flags.FLAGS

flags.DEFINE_string("model_dir", None, "Folder of the training.")
flags.DEFINE_string(
    "output",
    None,
    "Folder of the SavedModel to write; must not exist. With --version: the "
    "folder of the model's versions, whose name is the model's.",
)
flags.DEFINE_integer(
    "version",
    None,
    "Number of the version to write for TensorFlow Serving, 1 or more.",
)
flags.DEFINE_string(
    "serving_path",
    None,
    "With --version: where the server finds the folder of versions, for "
    "models.config; by default /models/NAME.",
)
flags.DEFINE_enum(
    "tokenizer",
    None,
    TOKENIZERS,
    "How the signature `default` splits raw strings; by default at whitespace. "
    "Not for question answering, whose answers need a tokenizer of its own.",
)


def main(_):
    signatures = export(
        load,
        FLAGS.output,
        FLAGS.tokenizer or "whitespace",
        FLAGS.version,
        FLAGS.serving_path,
    )
    command_line.print_json({"signatures": signatures})


def load():
    config, task_model = TaskModel.load(FLAGS.model_dir)
    if task_model.task.has_own_tokenizer and FLAGS.tokenizer is not None:
        raise InputError(
            f"--tokenizer: found {FLAGS.tokenizer}, expected none, as "
            f"{config.task.name} splits strings in one way only"
        )
    return task_model


if __name__ == "__main__":
    flags.mark_flags_as_required(["model_dir", "output"])
    command_line.run(main)
