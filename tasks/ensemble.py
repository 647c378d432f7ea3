"""Lets several trained task models answer together.

    python -m tasks.ensemble --model_dir=A --model_dir=B --input_path=test.txt

measures the ensemble on labelled data and prints one JSON line, as
tasks.evaluate does for one model. With `--mode=predict --output=OUTPUT` it
writes the predictions, as tasks.predict does. The folder of a training with
several seeds stands for all of them, so that

    python -m tasks.train --params_override=seeds=[1,2,3,4,5],... \\
        --model_dir=MODEL_DIR ...
    python -m tasks.ensemble --model_dir=MODEL_DIR --input_path=test.txt

makes an ensemble of five members, as the ELMo paper does for SNLI.
Classification takes the mean of the members' probabilities, question answering
that of the probabilities of spans, tagging the mean of their scores of words
and transitions.
"""

from absl import flags

from elmo_tf import command_line
from elmo_tf.errors import InputError
from tasks.ensemble_members import member_dirs
from tasks.predicting import check_outputs
from tasks.predicting import predict_file
from tasks.predicting import write_n_best
from tasks.predicting import write_predictions

FLAGS = flags.FLAGS

flags.DEFINE_multi_string(
    "model_dir",
    None,
    "Folder of a member's training, or of one with several seeds; to be given "
    "several times.",
)
flags.DEFINE_string(
    "input_path",
    None,
    "A file in the task's format, plain or gzip; for the cloze test also a "
    "folder of files or an archive.",
)
flags.DEFINE_enum(
    "mode",
    "evaluate",
    ["evaluate", "predict"],
    "Whether to measure the ensemble or to write its predictions.",
)
flags.DEFINE_string("output", None, "The file to write with --mode=predict.")
flags.DEFINE_string(
    "n_best_output",
    None,
    "A file to write the n best answers to with --mode=predict, for tasks that "
    "have them: question answering.",
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
    predicts = FLAGS.mode == "predict"
    if predicts != (FLAGS.output is not None):
        raise InputError("--output and --mode=predict go together")
    if FLAGS.n_best_output is not None and not predicts:
        raise InputError("--n_best_output: expected with --mode=predict only")
    check_outputs(
        FLAGS.output, FLAGS.n_best_output, FLAGS.n_best, FLAGS.input_path
    )
    members = member_dirs(FLAGS.model_dir)
    task, examples, predictions = predict_file(
        members,
        FLAGS.input_path,
        FLAGS.batch_size,
        with_labels=not predicts,
        wants_n_best=FLAGS.n_best_output is not None,
        n_best=FLAGS.n_best,
    )
    if predicts:
        write_predictions(FLAGS.output, task, examples, predictions)
        if FLAGS.n_best_output is not None:
            write_n_best(FLAGS.n_best_output, task, examples, predictions)
        found = {"examples": len(examples)}
    else:
        found = task.metrics(examples, predictions)
    command_line.print_json({"members": len(members), **found})


if __name__ == "__main__":
    flags.mark_flags_as_required(["model_dir", "input_path"])
    command_line.run(main)
