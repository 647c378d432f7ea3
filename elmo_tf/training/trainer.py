"""The training loop that all trainers share."""

import abc
import math

import orbit
import tensorflow as tf

from elmo_tf.errors import RunError
from elmo_tf.training.progress import Progress


class NonFiniteError(RunError):
    """A loss, gradient or weight is NaN or infinite; the message says where."""


class Trainer(orbit.AbstractTrainer):
    """Runs steps, shows progress, logs for TensorBoard, stops at a NaN.

    A trainer of a kind gives `train_step` and, if it has something to let go
    of, `close`.

    Args:
        strategy: The `tf.distribute.Strategy`.
        global_step: The step's `tf.Variable`, which `train_step` increments.
        total_steps: The step at which the training ends.
        config: The `TrainerConfig`.
        unit: What a step works on, for the progress line.
    """

    def __init__(self, strategy, global_step, total_steps, config, unit):
        self.strategy = strategy
        self.global_step = global_step
        self.total_steps = total_steps
        self._config = config
        self._unit = unit
        self._progress = None

    @abc.abstractmethod
    def train_step(self):
        """Trains one step.

        Returns:
            A tuple of the number of units that the step worked on, a
            dictionary of numbers to log, of which "loss" is one, and a
            dictionary of the norm of each variable's gradient, by path.
        """

    def close(self):
        """Lets go of what the training holds."""

    def train(self, num_steps):
        step = int(self.global_step.numpy())
        if self._progress is None:
            self._progress = Progress(
                self.total_steps,
                first_step=step,
                seconds=self._config.progress_seconds,
                unit=self._unit,
            )
        else:
            self._progress.resume()
        values = {}
        for _ in range(int(num_steps)):
            units, values, gradient_norms = self.train_step()
            step += 1
            values = {name: float(value) for name, value in values.items()}
            _check_finite(step, values, gradient_norms)
            values["gradient_norm"] = math.hypot(*gradient_norms.values())
            speed = self._progress.update(step, units, values)
            if step % self._config.summary_interval == 0:
                for name, value in values.items():
                    tf.summary.scalar(name, value, step=step)
                for path, norm in gradient_norms.items():
                    tf.summary.scalar(f"gradient_norm/{path}", norm, step=step)
            if speed is not None:
                with tf.summary.record_if(True):
                    tf.summary.scalar(
                        f"{self._unit}_per_second", speed, step=step
                    )
        self._progress.pause()
        # orbit prints what is returned; the rest has been shown already.
        return {"loss": values["loss"]} if values else {}


def _check_finite(step, values, gradient_norms):
    bad_values = [
        f"{name} is {value}"
        for name, value in values.items()
        if not math.isfinite(value)
    ]
    bad_gradients = [
        path for path, norm in gradient_norms.items() if not math.isfinite(norm)
    ]
    if not bad_values and not bad_gradients:
        return
    where = "; ".join(bad_values) or "the loss is finite"
    if bad_gradients:
        where += f"; gradients not finite: {_listed(bad_gradients)}"
    _stop(step, where)


def check_finite_variables(step, variables):
    """Checks weights before they go into a checkpoint.

    The loss and the gradients of a step say nothing of the update that they
    led to.

    Args:
        step: The number of steps done.
        variables: A list of Keras variables; integer ones are always finite.

    Raises:
        NonFiniteError: One is NaN or infinite somewhere.
    """
    bad_paths = [
        variable.path
        for variable in variables
        if variable.value.dtype.is_floating
        and not tf.reduce_all(tf.math.is_finite(variable.value))
    ]
    if bad_paths:
        _stop(step, f"weights not finite: {_listed(bad_paths)}")


def _listed(paths, longest=4):
    listed = ", ".join(paths[:longest])
    if len(paths) > longest:
        listed += f" and {len(paths) - longest} more"
    return listed


def _stop(step, where):
    raise NonFiniteError(
        f"training stopped at step {step}: {where}. The last checkpoint was "
        "written before; a lower learning rate or clip norm may help"
    )
