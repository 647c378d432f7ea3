"""Makes a report of trained task models, beside the papers' figures, in HTML.

    python -m tasks.report --runs=DIR --output=report.html

DIR is searched for runs: the folders of `tasks.train`, with one seed or
several, of `tasks.wsd.evaluate` and of `tasks.probes.fine_tuning`. The report
has each table and figure of the papers that there are runs for, the papers'
figures beside those of the runs, and learning curves; at its end stands how to
make each run again. It is one file that needs nothing else. What is unfinished
or damaged is left out and listed.

The last line is one of JSON: how many `runs`, `configurations` and `probes`
(measurements without a task model) there are, how many folders were `left_out`,
and the names of the `sections`.
"""

from absl import flags

from elmo_tf import command_line
from elmo_tf.atomic_file import check_output_file
from elmo_tf.atomic_file import write_file
from tasks.reporting.report import make_report

FLAGS = flags.FLAGS

flags.DEFINE_string("runs", None, "Folder to search for runs.")
flags.DEFINE_string("output", None, "The HTML file to write.")


def main(_):
    check_output_file(FLAGS.output, [], "--output=")
    page, summary = make_report(
        FLAGS.runs, command_line.command("tasks.report")
    )
    with write_file(FLAGS.output) as partial:
        with open(partial, "w", encoding="utf-8") as file:
            file.write(page)
    command_line.print_json(summary)


if __name__ == "__main__":
    flags.mark_flags_as_required(["runs", "output"])
    command_line.run(main)
