"""Which candidates are kept as possible mentions."""

import keras
import numpy as np
import tensorflow as tf

# Later than any rank.
_NEVER = tf.int32.max


@keras.saving.register_keras_serializable(package="elmo_tf_tasks")
class TopSpans(keras.layers.Layer):
    """Keeps the best spans that do not cross (Lee et al. 2017, section 5).

    Spans are taken in the order of their scores, the first in the document
    first where these are equal, but for those that cross one taken before; of a
    document of T tokens, ⌊ratio · T⌋ at most are. Two spans cross where they
    overlap and neither contains the other.

    What is taken is found in few rounds for all spans at once: in each, every
    span that is better than all those that cross it is taken, and these drop
    out.

    Input shapes: scores `[batch, time, max_width]` and the mask of
    `CandidateSpans`, of the same shape. Outputs, all `[batch, kept]` with kept
    = ⌊ratio · time⌋, at least 1, in the order of the document: `first` and
    `last`, int32, the numbers of the first and the last token; `places`, int32,
    the span's place in the table, row after row; and `mask`, bool, False where
    no more are kept; the others are 0 there.

    Args:
        ratio: How many spans to keep for each token.
        **kwargs: Arguments of `keras.layers.Layer`.

    Raises:
        ValueError: `ratio` is not positive.
    """

    def __init__(self, ratio, **kwargs):
        # With fewer digits, scores would be equal that are not.
        super().__init__(autocast=False, **kwargs)
        if ratio <= 0:
            raise ValueError(f"`ratio` should be positive. Received: {ratio=}")
        self.ratio = ratio
        self.supports_masking = True

    def call(self, inputs, mask):
        mask = tf.cast(mask, tf.bool)
        batch, time, max_width = tf.unstack(tf.shape(mask))
        n_tokens = tf.reduce_sum(tf.where(mask[:, :, 0], 1, 0), axis=1)
        flat_mask = tf.reshape(mask, [batch, -1])
        scores = tf.reshape(tf.cast(inputs, tf.float32), [batch, -1])
        order = tf.argsort(
            tf.where(flat_mask, -scores, tf.float32.max), axis=1, stable=True
        )
        # [batch, time · max_width]: 0 for the best.
        ranks = tf.argsort(order, axis=1)
        ranks = tf.reshape(tf.where(flat_mask, ranks, _NEVER), tf.shape(mask))
        ranks = tf.ensure_shape(ranks, mask.shape)
        taken = tf.reshape(_without_crossing(ranks), [batch, -1])
        # The ranks of the best that are taken, and then their places.
        n_kept = tf.maximum(_share(time, self.ratio), 1)
        n_kept = tf.minimum(n_kept, time * max_width)
        taken = tf.sort(taken, axis=1)[:, :n_kept]
        is_kept = tf.range(n_kept) < _share(n_tokens, self.ratio)[:, tf.newaxis]
        is_kept &= taken < _NEVER
        places = tf.gather(order, tf.where(is_kept, taken, 0), batch_dims=1)
        places = tf.sort(tf.where(is_kept, places, _NEVER), axis=1)
        # The kept ones stand first after either sort.
        places = tf.where(is_kept, places, 0)
        kept = self._n_kept(mask.shape)
        places = tf.ensure_shape(places, [mask.shape[0], kept])
        first = places // max_width
        return {
            "first": first,
            "last": first + places % max_width,
            "places": places,
            "mask": is_kept,
        }

    def compute_mask(self, inputs, mask):
        return None

    def compute_output_spec(self, inputs, mask):
        shape = inputs.shape[0], self._n_kept(inputs.shape)
        return {
            "first": keras.KerasTensor(shape, "int32"),
            "last": keras.KerasTensor(shape, "int32"),
            "places": keras.KerasTensor(shape, "int32"),
            "mask": keras.KerasTensor(shape, "bool"),
        }

    def get_config(self):
        config = super().get_config()
        config.update(ratio=self.ratio)
        return config

    def _n_kept(self, shape):
        """The number of columns, where it is known before."""
        if shape[1] is None:
            return None
        n_kept = max(int(np.float32(shape[1]) * np.float32(self.ratio)), 1)
        return min(n_kept, shape[1] * shape[2])


def _share(n_tokens, ratio):
    return tf.cast(tf.floor(tf.cast(n_tokens, tf.float32) * ratio), tf.int32)


def _without_crossing(ranks):
    """The ranks of the spans that are taken, `_NEVER` for all others."""

    def step(open_ranks, taken):
        # Not better than itself: no span crosses itself.
        is_taken = open_ranks < _best_crossing(open_ranks)
        newly = tf.where(is_taken, open_ranks, _NEVER)
        is_out = is_taken | (_best_crossing(newly) < _NEVER)
        return tf.where(is_out, _NEVER, open_ranks), tf.minimum(taken, newly)

    _, taken = tf.while_loop(
        lambda open_ranks, _: tf.reduce_any(open_ranks < _NEVER),
        step,
        (ranks, tf.fill(tf.shape(ranks), _NEVER)),
        shape_invariants=(ranks.shape, ranks.shape),
    )
    return taken


def _best_crossing(ranks):
    """The best rank of the spans that cross each span.

    Args:
        ranks: int32 `[batch, time, max_width]`.

    Returns:
        The same shape.
    """
    return tf.minimum(
        _best_crossing_on_the_right(ranks),
        _mirrored(_best_crossing_on_the_right(_mirrored(ranks))),
    )


def _best_crossing_on_the_right(ranks):
    """The best rank of those that begin in a span and end behind it."""
    max_width = ranks.shape[2]
    # The best of those that are at least so wide.
    columns = [ranks[:, :, -1]]
    for column in range(max_width - 2, -1, -1):
        columns.append(tf.minimum(columns[-1], ranks[:, :, column]))
    best = tf.stack(columns[::-1], axis=2)
    found = tf.fill(tf.shape(ranks), _NEVER)
    for shift in range(1, max_width):
        # Of a span of w + 1 tokens, those that begin `shift` tokens after it
        # with more than w + 1 − shift.
        found = tf.minimum(
            found,
            tf.pad(
                _earlier(best, shift)[:, :, 1 : max_width - shift + 1],
                [[0, 0], [0, 0], [shift, 0]],
                constant_values=_NEVER,
            ),
        )
    return found


def _mirrored(ranks):
    """The same spans read from the end of the document."""
    # Spans by their last token, where each column has been moved.
    backwards = tf.reverse(ranks, axis=[1])
    return tf.stack(
        [
            _earlier(column, width)
            for width, column in enumerate(tf.unstack(backwards, axis=2))
        ],
        axis=2,
    )


def _earlier(ranks, shift):
    """Moves all by some tokens to the left."""
    paddings = [[0, 0], [0, shift]] + [[0, 0]] * (len(ranks.shape) - 2)
    return tf.pad(ranks, paddings, constant_values=_NEVER)[:, shift:]
