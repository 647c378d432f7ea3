"""Keras layers of the models that read a passage to answer a question."""
