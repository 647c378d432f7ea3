"""Measures perplexity when the training loop asks for it."""

import dataclasses

import orbit


class PerplexityEvaluator(orbit.AbstractEvaluator):
    """Measures the perplexity of a text when orbit asks for it.

    Args:
        meter: The `PerplexityMeter`.
        input_path: The text.
        initial_state: Returns the state that each block of it starts from.
    """

    def __init__(self, meter, input_path, initial_state):
        self._meter = meter
        self._input_path = input_path
        self._initial_state = initial_state

    def evaluate(self, num_steps):
        del num_steps  # Always the whole text.
        perplexity = self._meter.measure_files(
            self._input_path, self._initial_state()
        )
        return {
            name: value
            for name, value in dataclasses.asdict(perplexity).items()
            if value is not None
        }
