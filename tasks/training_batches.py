"""The order in which a training sees its examples."""

import numpy as np

# Batches whose examples are sorted by length together.
_BATCHES_AT_ONCE = 32


class TrainingBatches:
    """Batches of examples of like length, in an order of their own each epoch.

    Which examples a step sees is a function of the seed and the step, so a
    resumed run goes on where it was without anything saved.

    Args:
        lengths: Each example's length: a list of numbers, at least one.
        batch_size: Number of examples of a batch; an epoch's last batch may
            have fewer.
        seed: Determines the order.
    """

    def __init__(self, lengths, batch_size, seed):
        self._lengths = np.array(lengths)
        self._batch_size = batch_size
        self._seed = seed
        self._epoch = None

    @property
    def steps_per_epoch(self):
        """Number of batches in which each example occurs once."""
        return -(-len(self._lengths) // self._batch_size)

    def of_step(self, step):
        """Returns the batch of a step.

        Args:
            step: The number of steps before it.

        Returns:
            An integer array: which examples.
        """
        epoch, index = divmod(step, self.steps_per_epoch)
        if epoch != self._epoch:
            self._epoch = epoch
            self._batches = self._batches_of(epoch)
        return self._batches[index]

    def _batches_of(self, epoch):
        generator = np.random.default_rng([self._seed, epoch])
        order = generator.permutation(len(self._lengths))
        batches = []
        size = self._batch_size * _BATCHES_AT_ONCE
        for start in range(0, len(order), size):
            piece = order[start : start + size]
            piece = piece[np.argsort(self._lengths[piece], kind="stable")]
            batches += [
                piece[first : first + self._batch_size]
                for first in range(0, len(piece), self._batch_size)
            ]
        return [batches[i] for i in generator.permutation(len(batches))]
