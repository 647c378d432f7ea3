"""Writes a trained task model's predictions.

    python -m tasks.predict --model_dir=MODEL_DIR --input_path=test.txt \\
        --output=predictions.txt

reads a file in the task's format and writes the predictions in its standard
format. Named entities and parts of speech may be asked for in a file of words
alone, one a line, and sentiment in one of sentences, one a line with spaces
between the words. Of a training with several seeds give the folder of one of
them. For question answering `--n_best_output=FILE` writes the n best answers
too, with their probabilities, which `bidaf_tf.ensemble` joins. The last line is
one of JSON: the number of examples.
"""

from absl import flags

from elmo_tf import command_line
from tasks.predicting import check_outputs
from tasks.predicting import predict_file
from tasks.predicting import write_n_best
from tasks.predicting import write_predictions

FLAGS = flags.FLAGS

flags.DEFINE_string("model_dir", None, "Folder of the training.")
flags.DEFINE_string(
    "input_path",
    None,
    "A file in the task's format, plain or gzip; for the cloze test also a "
    "folder of files or an archive.",
)
flags.DEFINE_string("output", None, "The file to write.")
flags.DEFINE_string(
    "n_best_output",
    None,
    "A file to write the n best answers to, for tasks that have them: question "
    "answering.",
)
flags.DEFINE_integer(
    "n_best",
    None,
    "How many answers --n_best_output gets; by default as the training's "
    "configuration says.",
    lower_bound=1,
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
    check_outputs(
        FLAGS.output, FLAGS.n_best_output, FLAGS.n_best, FLAGS.input_path
    )
    task, examples, predictions = predict_file(
        [FLAGS.model_dir],
        FLAGS.input_path,
        FLAGS.batch_size,
        with_labels=False,
        wants_n_best=FLAGS.n_best_output is not None,
        n_best=FLAGS.n_best,
    )
    write_predictions(FLAGS.output, task, examples, predictions)
    if FLAGS.n_best_output is not None:
        write_n_best(FLAGS.n_best_output, task, examples, predictions)
    command_line.print_json({"examples": len(examples)})


if __name__ == "__main__":
    flags.mark_flags_as_required(["model_dir", "input_path", "output"])
    command_line.run(main)
