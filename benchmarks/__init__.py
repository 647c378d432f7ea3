"""Measures this project's speed against other implementations'."""

# First of all, while TensorFlow is not imported yet.
from benchmarks.original_environment import ENVIRONMENT

__all__ = ["ENVIRONMENT"]
