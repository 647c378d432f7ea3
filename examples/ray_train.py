"""Trains on several machines under Ray Train.

    python -m examples.ray_train --experiment=elmo/small --workers=4 \\
        --model_dir=/shared/model --address=auto \\
        --params_override=task.vocab_file=/shared/vocab.txt,task.train_data.input_path=/shared/train/*

Starts the code of `elmo_tf.train`, or with an experiment of a task that of
`tasks.train`, in as many workers, and again after one was lost. Every machine
needs the packages and sees `--model_dir` and the data under the same names.
"""

import os

import ray
from absl import flags
from ray.train import FailureConfig
from ray.train import RunConfig
from ray.train import ScalingConfig
from ray.train.tensorflow import TensorflowTrainer

from elmo_tf import command_line
from elmo_tf.experiments import PretrainingConfig
from elmo_tf.pretraining import pretrain
from elmo_tf.training.experiment import experiment_config
from elmo_tf.training.overrides import override
from tasks import registry  # noqa: F401 (registers the tasks' experiments)
from tasks.training import train

FLAGS = flags.FLAGS

flags.DEFINE_string(
    "experiment", None, "As of elmo_tf.train or of tasks.train."
)
flags.DEFINE_enum("mode", "train", ["train", "train_and_eval"], "As there.")
flags.DEFINE_string(
    "model_dir", None, "As there; a folder that all machines see."
)
flags.DEFINE_multi_string("config_file", [], "As there.")
flags.DEFINE_string("params_override", None, "As there.")
flags.DEFINE_integer("workers", 2, "Number of workers.", lower_bound=1)
flags.DEFINE_integer(
    "gpus_per_worker", 0, "Number of GPUs of each worker.", lower_bound=0
)
flags.DEFINE_integer(
    "max_failures", 3, "How often to start again.", lower_bound=0
)
flags.DEFINE_string(
    "address",
    None,
    "The Ray cluster, as for ray.init; by default one on this machine, for "
    "the time of the training.",
)


def train_worker(arguments):
    """What each worker does; Ray has set TF_CONFIG.

    Args:
        arguments: A dictionary of the configuration, `mode` and `model_dir`.
    """
    start = (
        pretrain
        if isinstance(arguments["config"], PretrainingConfig)
        else train
    )
    start(arguments["config"], arguments["mode"], arguments["model_dir"])


def main(_):
    config = override(
        experiment_config(
            FLAGS.experiment, FLAGS.config_file, FLAGS.params_override
        ),
        {
            "runtime.distribution_strategy": "multi_worker_mirrored",
            "runtime.num_gpus": FLAGS.gpus_per_worker,
        },
        "--gpus_per_worker",
    )
    model_dir = os.path.abspath(FLAGS.model_dir)
    if FLAGS.address is None:
        ray.init(num_cpus=FLAGS.workers, include_dashboard=False)
    else:
        ray.init(FLAGS.address)
    TensorflowTrainer(
        train_worker,
        train_loop_config={
            "config": config,
            "mode": FLAGS.mode,
            "model_dir": model_dir,
        },
        scaling_config=ScalingConfig(
            num_workers=FLAGS.workers,
            use_gpu=FLAGS.gpus_per_worker > 0,
            resources_per_worker={
                "CPU": 1,
                **(
                    {"GPU": FLAGS.gpus_per_worker}
                    if FLAGS.gpus_per_worker
                    else {}
                ),
            },
        ),
        run_config=RunConfig(
            # Ray's own notes; the checkpoints are the training's.
            storage_path=os.path.join(model_dir, "ray"),
            failure_config=FailureConfig(max_failures=FLAGS.max_failures),
        ),
    ).fit()


if __name__ == "__main__":
    flags.mark_flags_as_required(["experiment", "model_dir"])
    command_line.run(main)
