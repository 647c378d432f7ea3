"""Keeps Keras out of what TensorFlow tracks."""


class Untracked:
    """Hides an object from TensorFlow's tracking of attributes.

    A SavedModel is to hold the variables of layers and the functions that use
    them, nothing of Keras.

    Args:
        value: The object.

    Attributes:
        value: The object.
    """

    def __init__(self, value):
        self.value = value
