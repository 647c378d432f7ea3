"""From examples to the inputs of a task model."""

import tensorflow as tf

from elmo_tf.token_batch import pad_tokens
from tasks.graph_inputs import graph_inputs


class InputMaker:
    """Makes a task model's inputs, as `ModelInputs` names them, of examples.

    Args:
        task: The `Task`.
        features: The `TextFeatures`.
        elmo_layers: The `ElmoLayers` of the examples' texts; None: no ELMo.
    """

    def __init__(self, task, features, elmo_layers=None):
        self._task = task
        self._graph_inputs = tf.function(
            lambda texts, extra: graph_inputs(task, features, texts, extra),
            input_signature=[
                [
                    (
                        tf.TensorSpec([None, None], tf.string),
                        tf.TensorSpec([None], tf.int32),
                    )
                    for _ in task.text_fields
                ],
                task.extra_inputs,
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
        task = self._task
        fields = list(zip(*map(task.texts, examples), strict=True))
        batches = map(pad_tokens, fields)
        extra = task.extra_values(examples)
        inputs = self._graph_inputs(
            [(batch["tokens"], batch["sequence_len"]) for batch in batches],
            {
                name: tf.convert_to_tensor(extra[name], spec.dtype)
                for name, spec in task.extra_inputs.items()
            },
        )
        if self._elmo_layers is not None:
            texts = zip(*map(task.sentences, examples), strict=True)
            for field, sentences in zip(task.text_fields, texts, strict=True):
                inputs[f"{field}_elmo"] = tf.constant(
                    self._elmo_layers.batch(sentences)
                )
        return inputs
