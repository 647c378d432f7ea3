"""Measures a trained task model on labelled data.

    python -m tasks.evaluate --model_dir=MODEL_DIR --input_path=test.txt

prints one JSON line. Of a training with several seeds give the folder of one of
them.
"""

from absl import flags

from elmo_tf import command_line
from tasks.predicting import predict_file

FLAGS = flags.FLAGS

flags.DEFINE_string("model_dir", None, "Folder of the training.")
flags.DEFINE_string(
    "input_path",
    None,
    "A file in the task's format, plain or gzip; for the cloze test also a "
    "folder of files or an archive.",
)
flags.DEFINE_integer(
    "batch_size",
    None,
    "Number of examples of a batch; by default task.test_data.batch_size of "
    "the training. Without influence on the result, but for "
    "task.elmo.layer_norm, whose moments are a batch's.",
    lower_bound=1,
)


def main(_):
    task, examples, predictions = predict_file(
        [FLAGS.model_dir],
        FLAGS.input_path,
        FLAGS.batch_size,
        with_labels=True,
    )
    command_line.print_json(task.metrics(examples, predictions))


if __name__ == "__main__":
    flags.mark_flags_as_required(["model_dir", "input_path"])
    command_line.run(main)
