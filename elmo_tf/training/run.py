"""Runs a trainer and an evaluator under orbit's controller."""

import contextlib
import os

import orbit

from elmo_tf.atomic_file import disk_errors
from elmo_tf.atomic_file import write_file
from elmo_tf.errors import InputError
from elmo_tf.training.checkpoints import RunCheckpointManager
from elmo_tf.training.checkpoints import latest_checkpoint
from elmo_tf.training.overrides import to_yaml
from elmo_tf.training.runtime import is_chief
from elmo_tf.training.workers import check_same

MODES = ("train", "eval", "train_and_eval")
CONFIG_FILE_NAME = "params.yaml"


def write_config(config, model_dir, strategy):
    """Writes the configuration beside the checkpoints.

    Args:
        config: The experiment's dataclass.
        model_dir: The run's folder, made if it does not exist.
        strategy: The `tf.distribute.Strategy`; only the first worker writes.
    """
    if not is_chief(strategy):
        return
    os.makedirs(model_dir, exist_ok=True)
    path = os.path.join(model_dir, CONFIG_FILE_NAME)
    with (
        write_file(path) as partial,
        open(partial, "w", encoding="utf-8") as file,
    ):
        file.write(to_yaml(config))


def run(
    mode,
    trainer,
    evaluator,
    checkpoint,
    trainer_config,
    model_dir,
    start,
    is_over=None,
):
    """Trains, evaluates or both, resuming from the last checkpoint.

    Args:
        mode: "train", "eval" or "train_and_eval".
        trainer: The `Trainer`; it has the attributes `strategy`, `global_step`
            and `total_steps`.
        evaluator: The `orbit.AbstractEvaluator`; None if there is nothing to
            evaluate on.
        checkpoint: The `tf.train.Checkpoint`.
        trainer_config: The `TrainerConfig`.
        model_dir: The run's folder.
        start: Called before training, when the last checkpoint has been read
            and nothing has been written yet.
        is_over: Called in train_and_eval after `start` and after each
            validation: whether to stop before the end; None: never.

    Returns:
        The last evaluation's output, a dictionary of numbers; None if there
        was none.

    Raises:
        InputError: Evaluation is asked for without data, or of a run without a
            checkpoint.
    """
    if mode != "train" and evaluator is None:
        raise InputError(f"--mode={mode} needs task.validation_data.input_path")
    if mode == "eval":
        latest_checkpoint(model_dir)
    with contextlib.ExitStack() as stack:
        stack.enter_context(disk_errors(model_dir))
        stack.enter_context(contextlib.closing(trainer))
        manager = RunCheckpointManager(
            checkpoint,
            model_dir,
            trainer.strategy,
            trainer_config,
            trainer.global_step,
        )
        stack.enter_context(contextlib.closing(manager))
        writes = is_chief(trainer.strategy)
        controller = orbit.Controller(
            global_step=trainer.global_step,
            trainer=trainer,
            evaluator=evaluator,
            strategy=trainer.strategy,
            steps_per_loop=_steps_per_loop(trainer_config),
            checkpoint_manager=manager,
            summary_interval=trainer_config.summary_interval,
            summary_dir=os.path.join(model_dir, "train") if writes else None,
            eval_summary_dir=os.path.join(model_dir, "validation")
            if writes
            else None,
        )
        check_same(
            trainer.strategy,
            {
                "the step of --model_dir's last checkpoint": int(
                    trainer.global_step.numpy()
                )
            },
        )
        if mode == "eval":
            return controller.evaluate()
        start()
        if mode == "train":
            controller.train(trainer.total_steps)
            return None
        output = None
        step = int(trainer.global_step.numpy())
        interval = trainer_config.validation_interval or trainer.total_steps
        while step < trainer.total_steps and not (is_over and is_over()):
            step = min(step + interval - step % interval, trainer.total_steps)
            controller.train(step, checkpoint_at_completion=False)
            output = controller.evaluate()
        if output is None:
            return controller.evaluate()
        controller.save_checkpoint()
        return output


def _steps_per_loop(config):
    """Checkpoints are written between loops, so a loop must not pass one."""
    interval = config.checkpoint_interval
    return lambda step: interval - step % interval
