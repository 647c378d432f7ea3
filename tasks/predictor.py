"""Runs a task model, or an ensemble of them, over examples."""

import tensorflow as tf

from tasks.batch_signature import batch_signature


class Predictor:
    """Makes predictions for examples, in batches of like length.

    Args:
        task: The `Task`.
        models: A list of its model, or of those of an ensemble's members.
        batch_size: Number of examples of a batch; without influence on the
            result, but for layer normalisation of ELMo, whose moments are a
            batch's.
    """

    def __init__(self, task, models, batch_size):
        self._task = task
        self._models = models
        self._batch_size = batch_size
        self._decode_batch = None

    def predict(self, examples, make_inputs, progress=None):
        """Makes predictions.

        Args:
            examples: A list of examples.
            make_inputs: A list of each model's `InputMaker` of these
                examples.
            progress: Called after each batch with the number of examples done
                and of those in this batch.

        Returns:
            A list of the task's predictions, in the examples' order.
        """
        order = sorted(
            range(len(examples)),
            key=lambda index: max(map(len, self._task.texts(examples[index]))),
        )
        predictions = [None] * len(examples)
        for start in range(0, len(order), self._batch_size):
            chosen = order[start : start + self._batch_size]
            batch = [examples[index] for index in chosen]
            inputs = [make(batch) for make in make_inputs]
            if self._decode_batch is None:
                self._decode_batch = tf.function(
                    self._decode, input_signature=[batch_signature(inputs)]
                )
            decoded = {
                name: value.numpy()
                for name, value in self._decode_batch(inputs).items()
            }
            for index, prediction in zip(
                chosen, self._task.predictions(batch, decoded), strict=True
            ):
                predictions[index] = prediction
            if progress is not None:
                progress(start + len(chosen), len(chosen))
        return predictions

    def _decode(self, inputs):
        outputs = [
            model(own, training=False)
            for model, own in zip(self._models, inputs, strict=True)
        ]
        if len(outputs) == 1:
            return self._task.decode(outputs[0])
        return self._task.decode(self._task.combine(self._models, outputs))
