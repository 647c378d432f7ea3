"""Pre-trains or fine-tunes a biLM.

    python -m elmo_tf.train --experiment=elmo/small --mode=train \\
        --model_dir=MODEL_DIR \\
        --params_override=task.vocab_file=vocab.txt,task.train_data.input_path=train/*.txt.gz

The same command goes on with an interrupted run.
"""

from absl import flags

from elmo_tf import command_line
from elmo_tf import experiments  # noqa: F401 (registers the experiments)
from elmo_tf.pretraining import pretrain
from elmo_tf.training.experiment import experiment_config
from elmo_tf.training.run import MODES

FLAGS = flags.FLAGS

flags.DEFINE_string(
    "experiment",
    None,
    "Name of the configuration to start from: elmo/original, elmo/medium, "
    "elmo/small, elmo/mini or elmo/tiny.",
)
flags.DEFINE_enum("mode", "train", MODES, "What to do.")
flags.DEFINE_string(
    "model_dir", None, "Folder of the checkpoints; made if it does not exist."
)
flags.DEFINE_multi_string(
    "config_file",
    [],
    "YAML or JSON file whose values override the experiment's; may be given "
    "several times.",
)
flags.DEFINE_string(
    "params_override",
    None,
    "Values that override the others: YAML or JSON, a file of it, or "
    "a.b=1,c.d=2.",
)


def main(_):
    config = experiment_config(
        FLAGS.experiment, FLAGS.config_file, FLAGS.params_override
    )
    result = pretrain(config, FLAGS.mode, FLAGS.model_dir)
    if result is not None:
        command_line.print_json(result)


if __name__ == "__main__":
    flags.mark_flags_as_required(["experiment", "model_dir"])
    command_line.run(main)
