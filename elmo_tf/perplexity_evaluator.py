"""Measures perplexity when the training loop asks for it."""

import dataclasses

import orbit

from elmo_tf.training.workers import from_first_worker


class PerplexityEvaluator(orbit.AbstractEvaluator):
    """Measures the perplexity of a text when orbit asks for it.

    Of several workers the first one measures.

    Args:
        strategy: The `tf.distribute.Strategy`.
        meter: The `PerplexityMeter`.
        input_path: The text.
        initial_state: Returns the state that each block of it starts from.
    """

    def __init__(self, strategy, meter, input_path, initial_state):
        self._strategy = strategy
        self._meter = meter
        self._input_path = input_path
        self._initial_state = initial_state

    def evaluate(self, num_steps):
        del num_steps  # Always the whole text.
        # The workers put it together, each has its rows.
        initial_state = self._initial_state()
        return from_first_worker(
            self._strategy, lambda: self._measure(initial_state)
        )

    def _measure(self, initial_state):
        perplexity = self._meter.measure_files(self._input_path, initial_state)
        return {
            name: value
            for name, value in dataclasses.asdict(perplexity).items()
            if value is not None
        }
