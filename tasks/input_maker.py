"""From examples to the inputs of a task model."""

import tensorflow as tf

from elmo_tf.token_batch import pad_tokens


class InputMaker:
    """Makes a task model's inputs, as `ModelInputs` names them, of examples.

    Args:
        task: The `Task`.
        features: The `TextFeatures`.
        elmo_layers: The `ElmoLayers` of the examples' texts; None: no ELMo.
    """

    def __init__(self, task, features, elmo_layers=None):
        self._task = task
        self._features = tf.function(
            features,
            input_signature=[
                tf.TensorSpec([None, None], tf.string),
                tf.TensorSpec([None], tf.int32),
            ],
        )
        self._elmo_layers = elmo_layers

    def __call__(self, examples):
        """Makes the inputs of a batch.

        Args:
            examples: A list of at least one example.

        Returns:
            A dictionary of tensors `[examples, …]`.
        """
        inputs = {}
        texts = zip(*map(self._task.texts, examples), strict=True)
        for field, sentences in zip(self._task.text_fields, texts, strict=True):
            batch = pad_tokens(sentences)
            for name, value in self._features(
                batch["tokens"], batch["sequence_len"]
            ).items():
                inputs[f"{field}_{name}"] = value
            if self._elmo_layers is not None:
                inputs[f"{field}_elmo"] = tf.constant(
                    self._elmo_layers.batch(sentences)
                )
        return inputs
