"""Measures a task model when the training loop asks for it."""

import contextlib

import orbit

from elmo_tf.training.workers import from_first_worker


class TaskEvaluator(orbit.AbstractEvaluator):
    """Measures a task model on the validation data.

    Of several workers the first one measures, and all go by what it has found.

    Args:
        strategy: The `tf.distribute.Strategy`.
        measure: Returns the metrics, a dictionary of numbers.
        validation: The `Validation` that remembers them.
        global_step: The step's `tf.Variable`.
        after: Called after each new validation with whether it is the best.
        average: The `WeightAverage` to validate with, and to have applied while
            `after` is called; None: the weights as they are.
    """

    def __init__(
        self, strategy, measure, validation, global_step, after, average=None
    ):
        self._strategy = strategy
        self._measure = measure
        self._validation = validation
        self._global_step = global_step
        self._after = after
        self._average = average

    def evaluate(self, num_steps):
        del num_steps  # Always the whole data.
        applied = contextlib.nullcontext()
        if self._average is not None:
            applied = self._average.applied()
        with applied:
            metrics = from_first_worker(self._strategy, self._measure)
            step = int(self._global_step.numpy())
            if step > self._validation.last_step:
                self._after(self._validation.add(step, metrics))
        return metrics

    def catch_up(self, interval):
        """Makes the validation that an interrupted run has missed.

        Its last checkpoint was written just before, if it was due at the same
        step.

        Args:
            interval: Steps between two validations.
        """
        step = int(self._global_step.numpy())
        if step and step % interval == 0 and step > self._validation.last_step:
            self.evaluate(None)
