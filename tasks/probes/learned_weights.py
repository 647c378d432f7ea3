"""Draws what weights of the biLM's layers task models have learnt.

    python -m tasks.probes.learned_weights --runs=DIR --output=weights.png

Figure 2 of the ELMo paper: the layers' shares s of equation 1, for each trained
task and each place where it takes ELMo, with γ beside them. DIR is searched for
runs of `tasks.train`; those of a configuration with several seeds are one row,
their mean. As in the paper, shares below 1/3 are hatched and those above 2/3
dotted. `tasks.report` has the same as a table.

The last line is one of JSON: the rows.
"""

from absl import flags

from elmo_tf import command_line
from elmo_tf.atomic_file import check_output_file
from elmo_tf.errors import InputError
from tasks.reporting.finding import find_runs
from tasks.reporting.grouping import make_variants
from tasks.reporting.learned_weights import learned_weights
from tasks.reporting.learned_weights_picture import draw_learned_weights

FLAGS = flags.FLAGS

flags.DEFINE_string("runs", None, "Folder to search for runs.")
flags.DEFINE_string("output", None, "The PNG file to write.")


def main(_):
    check_output_file(FLAGS.output, [], "--output=")
    weights = learned_weights(make_variants(find_runs(FLAGS.runs).tasks))
    if not any(one.shares for one in weights):
        raise InputError(
            f"{FLAGS.runs}: found no run that has learnt weights of layers, "
            "expected one with task.elmo.layers=all"
        )
    draw_learned_weights(FLAGS.output, weights)
    command_line.print_json(
        {
            "probe": "learned_weights",
            "weights": [
                {
                    "task": one.variant.config.task.name,
                    "runs": one.variant.name,
                    "seeds": one.variant.seeds,
                    "place": one.place,
                    "gamma": one.gamma,
                    "s": one.shares,
                }
                for one in weights
            ],
        }
    )


if __name__ == "__main__":
    flags.mark_flags_as_required(["runs", "output"])
    command_line.run(main)
