r"""Looks inside a question answering model: a report with pictures, in HTML.

    python -m bidaf_tf.visualize --saved_model=SAVED_MODEL \
        --input_path=DATA.json --output=report.html

The SavedModel is one of `tasks.export`. The report shows, after Seo et al. 2017
(section 4, figures 2 and 3, tables 2 and 4), what words of some questions
attend to, the nearest context words to words of questions in the word and in
the contextual space, the months in both spaces, how well questions are answered
by their first words, how far another model answers the same ones, and wrong
answers to be sorted by hand. It is one file that needs nothing else.

The last line is one of JSON: the number of questions, the official scores
`exact_match` and `f1`, and how many questions are not answered exactly.
"""

import tensorflow as tf
from absl import flags

from bidaf_tf.report.report import make_report
from bidaf_tf.report.report_options import ReportOptions
from elmo_tf import command_line
from elmo_tf.atomic_file import check_output_file
from elmo_tf.atomic_file import write_file
from elmo_tf.errors import InputError

FLAGS = flags.FLAGS

flags.DEFINE_string("saved_model", None, "Folder of the exported model.")
flags.DEFINE_string(
    "input_path",
    None,
    "The questions with their answers: SQuAD's JSON, plain or gzip.",
)
flags.DEFINE_string("output", None, "The HTML file to write.")
flags.DEFINE_string(
    "predictions",
    None,
    "The model's answers, as tasks.predict writes them; by default the "
    "exported model answers the questions.",
)
flags.DEFINE_string(
    "other_predictions",
    None,
    "Answers of another model to compare with, likewise.",
)
flags.DEFINE_list(
    "questions",
    None,
    "Ids of the questions whose attention to show; by default they are drawn.",
)
flags.DEFINE_integer(
    "n_questions",
    None,
    f"How many to draw; by default {ReportOptions.n_questions}.",
    lower_bound=0,
)
flags.DEFINE_float(
    "attention_threshold",
    ReportOptions.attention_threshold,
    "The least share of a top attention point.",
    lower_bound=0,
    upper_bound=1,
)
flags.DEFINE_list(
    "words",
    None,
    "Words of questions whose nearest words to show, as they are written; by "
    "default the paper's that occur, and frequent names.",
)
flags.DEFINE_integer(
    "context_words",
    ReportOptions.context_words,
    "The largest number of words of contexts to look at for the nearest words "
    "and the months; more take more memory.",
    lower_bound=1,
)
flags.DEFINE_integer(
    "n_errors",
    ReportOptions.n_errors,
    "How many wrong answers to draw.",
    lower_bound=0,
)
flags.DEFINE_integer(
    "batch_size",
    ReportOptions.batch_size,
    "Number of questions of a batch.",
    lower_bound=1,
)
flags.DEFINE_integer(
    "seed", ReportOptions.seed, "Determines what is drawn.", lower_bound=0
)


def main(_):
    if FLAGS.questions is not None and FLAGS.n_questions is not None:
        raise InputError(
            "--questions, --n_questions: found both, expected at most one"
        )
    inputs = [FLAGS.input_path, FLAGS.predictions, FLAGS.other_predictions]
    check_output_file(
        FLAGS.output, [path for path in inputs if path is not None], "--output="
    )
    # The order of sums, and with it the last digits, depends on threads else.
    tf.config.experimental.enable_op_determinism()
    n_questions = FLAGS.n_questions
    if n_questions is None:
        n_questions = ReportOptions.n_questions
    page, summary = make_report(
        ReportOptions(
            saved_model=FLAGS.saved_model,
            input_path=FLAGS.input_path,
            predictions=FLAGS.predictions,
            other_predictions=FLAGS.other_predictions,
            questions=FLAGS.questions,
            n_questions=n_questions,
            attention_threshold=FLAGS.attention_threshold,
            words=FLAGS.words,
            context_words=FLAGS.context_words,
            n_errors=FLAGS.n_errors,
            batch_size=FLAGS.batch_size,
            seed=FLAGS.seed,
        )
    )
    with write_file(FLAGS.output) as partial:
        with open(partial, "w", encoding="utf-8") as file:
            file.write(page)
    command_line.print_json(summary)


if __name__ == "__main__":
    flags.mark_flags_as_required(["saved_model", "input_path", "output"])
    command_line.run(main)
