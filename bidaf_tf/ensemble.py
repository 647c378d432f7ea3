"""Lets the saved answers of several models answer together.

    python -m bidaf_tf.ensemble --predictions=A.json --predictions=B.json \\
        --output=OUT.json

reads the n-best files of two or more models, as `tasks.predict
--n_best_output=FILE` writes them, and writes for each question the answer with
the highest sum of probabilities, as Seo et al. 2017 do with twelve models
(section 4). Of spans with equal sums, the one that starts first is better, and
then the one that ends first. A span counts 0 where a file has it not among its
n best, so let the files hold many (`--n_best=20` or more).

The last line is one of JSON: the numbers of members and of questions.
"""

import os

from absl import flags

from bidaf_tf import squad
from bidaf_tf.joined_answers import join_answers
from elmo_tf import command_line
from elmo_tf.atomic_file import check_output_files
from elmo_tf.errors import InputError

FLAGS = flags.FLAGS

flags.DEFINE_multi_string(
    "predictions",
    None,
    "A member's n-best file, plain or gzip; to be given several times.",
)
flags.DEFINE_string(
    "output", None, "The file of answers to write, as SQuAD's scorer reads it."
)
flags.DEFINE_string(
    "n_best_output",
    None,
    "An n-best file to write too, with the means of the members' "
    "probabilities: as many answers to a question as a member has at most.",
)


def main(_):
    paths = FLAGS.predictions
    _check_paths(paths)
    check_output_files(
        {"--output=": FLAGS.output, "--n_best_output=": FLAGS.n_best_output},
        paths,
    )
    members = [squad.read_n_best(path) for path in paths]
    answers = join_answers(members, paths)
    if FLAGS.n_best_output is not None:
        squad.write_n_best(FLAGS.n_best_output, answers)
    squad.write_predictions(
        FLAGS.output, {name: ranked[0].text for name, ranked in answers.items()}
    )
    command_line.print_json(
        {"members": len(members), "questions": len(answers)}
    )


def _check_paths(paths):
    if len(paths) < 2:
        raise InputError(
            f"--predictions: found 1 file, {paths[0]}, expected two or more"
        )
    real = [os.path.realpath(path) for path in paths]
    for index, path in enumerate(paths):
        if real[index] in real[:index]:
            raise InputError(f"--predictions: {path} occurs twice")


if __name__ == "__main__":
    flags.mark_flags_as_required(["predictions", "output"])
    command_line.run(main)
