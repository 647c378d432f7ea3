"""Trains a task model on a frozen biLM.

    python -m tasks.train --experiment=ner/conll2003 --mode=train_and_eval \\
        --model_dir=MODEL_DIR \\
        --params_override=task.train_data.input_path=train.txt,task.validation_data.input_path=valid.txt

The same command goes on with an interrupted run. The last line is one of JSON:
what is in MODEL_DIR/results.json.
"""

from absl import flags

from elmo_tf import command_line
from elmo_tf.training.experiment import experiment_config
from tasks.training import train

FLAGS = flags.FLAGS

flags.DEFINE_string(
    "experiment",
    None,
    "Name of the configuration to start from: cloze/cnn, cloze/small, "
    "coref/conll2012, coref/litbank_small, ner/conll2003, "
    "ner/conll2003_small, pos/linear, snli/snli, snli/snli_small, "
    "squad/bidaf, squad/bidaf_small, squad/bidaf_self_attention, "
    "squad/bidaf_self_attention_small, srl/conll2012, srl/conll2012_small, "
    "sst/sst5 or sst/sst5_small.",
)
flags.DEFINE_enum(
    "mode",
    "train_and_eval",
    ["train", "train_and_eval"],
    "Whether to validate meanwhile, keep the best weights and stop early, or "
    "to train to the end and keep the last ones.",
)
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
    origin = {
        "experiment": FLAGS.experiment,
        "command": command_line.command("tasks.train"),
    }
    command_line.print_json(train(config, FLAGS.mode, FLAGS.model_dir, origin))


if __name__ == "__main__":
    flags.mark_flags_as_required(["experiment", "model_dir"])
    command_line.run(main)
