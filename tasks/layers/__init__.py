"""Keras layers that the task models share."""
