"""Writes a trained task model's predictions.

    python -m tasks.predict --model_dir=MODEL_DIR --input_path=test.txt \\
        --output=predictions.txt

reads a file in the task's format and writes the predictions in its standard
format. Named entities may be asked for in a file of words alone, one a line,
and sentiment in one of sentences, one a line with spaces between the words. Of
a training with several seeds give the folder of one of them. The last line is
one of JSON: the number of examples.
"""

from absl import flags

from elmo_tf import command_line
from elmo_tf.atomic_file import check_output_file
from tasks.predicting import predict_file
from tasks.predicting import write_predictions

FLAGS = flags.FLAGS

flags.DEFINE_string("model_dir", None, "Folder of the training.")
flags.DEFINE_string(
    "input_path", None, "A file in the task's format, plain or gzip."
)
flags.DEFINE_string("output", None, "The file to write.")
flags.DEFINE_integer(
    "batch_size",
    32,
    "Number of examples of a batch; without influence on the result, but for "
    "task.elmo.layer_norm, whose moments are a batch's.",
    lower_bound=1,
)


def main(_):
    check_output_file(FLAGS.output, [FLAGS.input_path], "--output=")
    task, examples, predictions = predict_file(
        [FLAGS.model_dir],
        FLAGS.input_path,
        FLAGS.batch_size,
        with_labels=False,
    )
    write_predictions(FLAGS.output, task, examples, predictions)
    command_line.print_json({"examples": len(examples)})


if __name__ == "__main__":
    flags.mark_flags_as_required(["model_dir", "input_path", "output"])
    command_line.run(main)
