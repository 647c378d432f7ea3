"""Which products with its input an LSTM forms together."""

import tensorflow as tf

# Most inputs whose products are formed at once, for the memory: they take 16 MB
# in the original biLM.
_MAX_INPUTS = 256
# Most elements that are searched for so many different inputs.
_MAX_ELEMENTS = 2048
# Most inputs whose products are kept for all steps, and how often each of them
# occurs at least.
_MAX_FREQUENT = 64
_MIN_COUNT = 3
# The number of frequent inputs is a multiple of this: TensorFlow prepares a
# matrix product for each number of rows, and remembers it.
_FREQUENT_UNIT = 32


class InputStretches:
    """Divides time steps into stretches that need few different inputs.

    The product of a weight matrix with an input need be formed once, however
    often the input occurs, as words do. But the products of all the inputs of a
    batch may be too many to hold: a stretch of steps has as many as the memory
    is meant for, besides the most frequent ones, which are held for all steps.

    Args:
        index: int32 `[n_elements]`: which input each packed element is.
        sequences: The `PackedSequences`.
        n_inputs: Scalar, the number of inputs; None: no input is frequent, as
            when each element has its own.

    Attributes:
        frequent: int32 `[frequent]`: the most frequent inputs.
    """

    def __init__(self, index, sequences, n_inputs=None):
        self._index = index
        self._sequences = sequences
        self.frequent = tf.zeros([0], tf.int32)
        if n_inputs is not None:
            self.frequent = _most_frequent(index, n_inputs)

    def stretch(self, step):
        """Finds the stretch that begins with a step.

        Args:
            step: Scalar, int32.

        Returns:
            Three tensors: the step after the stretch's last one, scalar; its
            inputs that are not among the frequent ones, int32 `[others]`; and
            int32 `[rows]`: where the input of each of its rows stands in
            `[frequent, others]`, from the first row of its first step to the
            last of its last, those too many counted.
        """
        sequences = self._sequences
        n_frequent = tf.size(self.frequent)
        begin = sequences.offsets[step]
        # One step at least, be it a large one.
        n_rows = tf.maximum(_MAX_ELEMENTS, sequences.rounded_sizes[step])
        # The frequent ones, then the others as they come.
        distinct, place = tf.unique(
            tf.concat(
                [self.frequent, self._index[begin : begin + n_rows]], axis=0
            )
        )
        # [rows]
        place = place[n_frequent:]
        is_too_many = tf.cast(place >= n_frequent + _MAX_INPUTS, tf.int32)
        n_fitting = tf.math.count_nonzero(
            tf.cumsum(is_too_many) == 0, dtype=tf.int32
        )
        # From this step on. Rounded up, a step's rows may end after the next's.
        ends = (sequences.offsets + sequences.rounded_sizes)[step:] - begin
        does_not_fit = tf.cast(ends > n_fitting, tf.int32)
        n_steps = tf.math.count_nonzero(
            tf.cumsum(does_not_fit) == 0, dtype=tf.int32
        )
        n_steps = tf.maximum(n_steps, 1)
        end_step = step + n_steps
        place = place[: tf.reduce_max(ends[:n_steps])]
        others = distinct[n_frequent : tf.reduce_max(place) + 1]
        return end_step, others, place


def _most_frequent(index, n_inputs):
    # [n_inputs]
    counts = tf.math.bincount(index, minlength=n_inputs, maxlength=n_inputs)
    counts, inputs = tf.math.top_k(counts, tf.minimum(_MAX_FREQUENT, n_inputs))
    n_frequent = tf.math.count_nonzero(counts >= _MIN_COUNT, dtype=tf.int32)
    return inputs[: n_frequent // _FREQUENT_UNIT * _FREQUENT_UNIT]
