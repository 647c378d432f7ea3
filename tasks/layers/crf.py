"""A conditional random field over the tags of a sentence."""

import itertools

import keras
import numpy as np
import tensorflow as tf

# Decoding clips scores to this: their sums stay finite, and −∞ is the score of
# forbidden sequences alone.
_LARGEST_SCORE = 1e30


@keras.saving.register_keras_serializable(package="elmo_tf_tasks")
class LinearChainCRF(keras.layers.Layer):
    """A linear-chain conditional random field (Lafferty et al. 2001).

    Tags `y₁ … yₙ` of a sentence whose words have the scores `sₜ` (logits, one
    for each tag) have the score and the probability

        score(y) = start[y₁] + Σₜ sₜ[yₜ] + Σₜ transitions[yₜ₋₁, yₜ] + end[yₙ]
        P(y) = exp(score(y)) / Σ_y' exp(score(y'))

    as in Lample et al. 2016 (section 2.2). The sum runs over all sequences of
    tags. The masks of the arguments constrain only which sequence `viterbi`
    may find: always one that they allow, whatever the scores. That is how the
    ELMo paper tags (appendix A.7), and AllenNLP's CRF too. So likelihoods and
    marginals are those of the distribution that was trained, in which
    forbidden sequences have a share, after training a small one.

    The empty sequence has one tagging, of probability 1. Everything runs in
    float32, whatever the type of the scores. All weights start at zero: the
    layer starts as a softmax for each word.

    Input shape: `[batch, time, n_tags]`. A call gives all that a tagger
    predicts, as a dict:

    *   `tags`: int32 `[batch, time]`, the best allowed sequence, 0 at padding;
    *   `log_probability`: float32 `[batch]`, that of `tags`;
    *   `marginals`: float32 `[batch, time, n_tags]`, the probability of each
        tag of each word, 0 at padding.

    Training needs none of these but `log_likelihood` of the same scores, once
    the layer has been called or built. In a graph, results that nobody reads
    cost no time.

    Example:

    ```python
    crf = LinearChainCRF(n_tags)
    outputs = {"scores": scores, **crf(scores, mask=mask)}
    model = keras.Model([words, mask], outputs)
    ...
    scores = model([words, mask])["scores"]
    losses = -crf.log_likelihood(scores, tags, mask)
    ```

    Args:
        n_tags: The number of tags.
        transition_mask: Bools `[n_tags, n_tags]`, array or nested lists: may
            the first tag be followed by the second? None: always.
        start_mask: Bools `[n_tags]`: may a sequence start with the tag? None:
            with any.
        end_mask: Bools `[n_tags]`: may a sequence end with the tag? None: with
            any.
        **kwargs: Arguments of `keras.layers.Layer`.

    Call arguments:
        scores: The tensor.
        mask: Bool `[batch, time]`, true for the words, which come first, and
            false for padding; None: there is no padding.

    Raises:
        ValueError: `n_tags` is not positive, a mask has another shape or is
            not of bools, or the masks forbid all sequences of some length.
    """

    def __init__(
        self,
        n_tags,
        transition_mask=None,
        start_mask=None,
        end_mask=None,
        **kwargs,
    ):
        # Scores and weights stay in float32.
        super().__init__(autocast=False, **kwargs)
        if n_tags <= 0:
            raise ValueError(
                f"`n_tags` should be positive. Received: n_tags={n_tags}"
            )
        self.n_tags = n_tags
        self.transition_mask = _checked_mask(
            "transition_mask", transition_mask, (n_tags, n_tags)
        )
        self.start_mask = _checked_mask("start_mask", start_mask, (n_tags,))
        self.end_mask = _checked_mask("end_mask", end_mask, (n_tags,))
        forbidden_length = _forbidden_length(
            _all_unless(self.transition_mask, n_tags, n_tags),
            _all_unless(self.start_mask, n_tags),
            _all_unless(self.end_mask, n_tags),
        )
        if forbidden_length is not None:
            raise ValueError(
                "`transition_mask`, `start_mask` and `end_mask` should allow "
                "a sequence of every length. Received: masks that forbid all "
                f"of length {forbidden_length}"
            )
        self.supports_masking = True

    def build(self, input_shape):
        if input_shape[-1] != self.n_tags:
            raise ValueError(
                f"{self.name}: `scores` should have {self.n_tags} tags in the "
                f"last axis. Received: shape={tuple(input_shape)}"
            )
        n_tags = self.n_tags
        self.transitions, self.start_scores, self.end_scores = (
            self.add_weight(
                shape=shape, initializer="zeros", autocast=False, name=name
            )
            for name, shape in (
                ("transitions", (n_tags, n_tags)),
                ("start_scores", (n_tags,)),
                ("end_scores", (n_tags,)),
            )
        )

    def call(self, scores, mask=None):
        tags, log_probability = self.viterbi(scores, mask)
        return {
            "tags": tags,
            "log_probability": log_probability,
            "marginals": self.marginals(scores, mask),
        }

    def log_likelihood(self, scores, tags, mask=None):
        """The log-probability of the given tags, the objective of training.

        Args:
            scores: Float `[batch, time, n_tags]`.
            tags: Integer `[batch, time]`, from 0 to `n_tags` − 1 for the
                words, anything at padding.
            mask: As for a call.

        Returns:
            Float32 `[batch]`, in nats; 0 for an empty sequence.
        """
        scores, mask, lengths = _padded(scores, mask)
        scores = _shifted(scores)
        tags = tf.pad(tf.cast(tags, tf.int32), [[0, 0], [0, 1]])
        tags = tf.where(mask, tags, 0)
        transitions, start, end = self._weights()
        # [time, batch, n_tags]
        alphas = _forward(
            scores, lengths, start, transitions, tf.reduce_logsumexp
        )
        # [batch]
        log_total = tf.reduce_logsumexp(alphas[-1] + end, axis=-1)
        # What a word adds, [batch, time]: its tag's score, and that of the
        # transition to the next or of the end.
        own = tf.gather(scores, tags, batch_dims=2)[:, :-1]
        tag, next_tag = tags[:, :-1], tags[:, 1:]
        following = tf.where(
            mask[:, 1:],
            tf.gather_nd(transitions, tf.stack([tag, next_tag], axis=-1)),
            tf.gather(end, tag),
        )
        score = tf.gather(start, tags[:, 0]) + tf.reduce_sum(
            tf.where(mask[:, :-1], own + following, 0.0), axis=1
        )
        return tf.where(lengths > 0, score - log_total, 0.0)

    def marginals(self, scores, mask=None):
        """The probability of each tag of each word (forward-backward).

        Args:
            scores: Float `[batch, time, n_tags]`.
            mask: As for a call.

        Returns:
            Float32 `[batch, time, n_tags]`, 0 at padding.
        """
        scores, mask, lengths = _padded(scores, mask)
        scores = _shifted(scores)
        transitions, start, end = self._weights()

        def reverse(values):
            return tf.reverse_sequence(values, lengths, seq_axis=1)

        # Each [batch, time, n_tags], the word's own score included: all ways
        # from the start to a tag, and all from the tag to the end.
        forward = _swapped(
            _forward(scores, lengths, start, transitions, tf.reduce_logsumexp)
        )
        backward = reverse(
            _swapped(
                _forward(
                    reverse(scores),
                    lengths,
                    end,
                    tf.transpose(transitions),
                    tf.reduce_logsumexp,
                )
            )
        )
        # By a softmax, and not with the sum over all sequences: it adds up to
        # one whatever the rounding.
        marginals = tf.nn.softmax(forward + backward - scores)
        return tf.where(mask[:, :, tf.newaxis], marginals, 0.0)[:, :-1]

    def viterbi(self, scores, mask=None):
        """The best sequence of tags that the masks allow.

        Args:
            scores: Float `[batch, time, n_tags]`. Those beyond ±1e30 count as
                ±1e30, and those that are not a number as 0.
            mask: As for a call.

        Returns:
            A tuple of the tags, int32 `[batch, time]` and 0 at padding, and
            their log-probability among all sequences, float32 `[batch]`.
        """
        padded, present, lengths = _padded(scores, mask)
        transitions, start, end = self._weights()
        transitions = _constrained(transitions, self.transition_mask)
        start = _constrained(start, self.start_mask)
        end = _constrained(end, self.end_mask)
        # [time, batch, n_tags]
        alphas = _forward(
            _bounded(padded), lengths, start, transitions, tf.reduce_max
        )
        tags = tf.where(
            present, _trace_back(alphas, lengths, transitions, end), 0
        )[:, :-1]
        log_probability = self.log_likelihood(scores, tags, mask)
        # Rounding may put the whole probability a little above one.
        return tags, tf.minimum(log_probability, 0.0)

    def compute_output_shape(self, input_shape):
        return {
            "tags": tuple(input_shape[:2]),
            "log_probability": (input_shape[0],),
            "marginals": tuple(input_shape),
        }

    def compute_output_spec(self, scores, mask=None):
        return {
            name: keras.KerasTensor(
                shape, dtype="int32" if name == "tags" else "float32"
            )
            for name, shape in self.compute_output_shape(scores.shape).items()
        }

    def compute_mask(self, scores, mask=None):
        return {"tags": mask, "log_probability": None, "marginals": mask}

    def get_config(self):
        config = super().get_config()
        config.update(
            n_tags=self.n_tags,
            transition_mask=_as_list(self.transition_mask),
            start_mask=_as_list(self.start_mask),
            end_mask=_as_list(self.end_mask),
        )
        return config

    def _weights(self):
        """Transitions, start and end scores, as tensors."""
        return [
            tf.convert_to_tensor(weight)
            for weight in (self.transitions, self.start_scores, self.end_scores)
        ]


def _checked_mask(name, mask, shape):
    """The mask as an array of bools, or None if there is none."""
    if mask is None:
        return None
    array = np.array(mask)
    if array.dtype != bool or array.shape != shape:
        raise ValueError(
            f"`{name}` should be bools of shape {shape}. Received: "
            f"{array.dtype} of shape {array.shape}"
        )
    return array


def _as_list(mask):
    return None if mask is None else mask.tolist()


def _all_unless(mask, *shape):
    """The mask, or if there is none one that allows everything."""
    return np.ones(shape, bool) if mask is None else mask


def _forbidden_length(transition_mask, start_mask, end_mask):
    """The smallest length of which no sequence is allowed, or None."""
    # The tags that a sequence may have after so many words. As they follow
    # from those before, nothing new comes once they repeat.
    reachable = start_mask
    seen = set()
    for length in itertools.count(1):
        if not (reachable & end_mask).any():
            return length
        if reachable.tobytes() in seen:
            return None
        seen.add(reachable.tobytes())
        reachable = transition_mask[reachable].any(axis=0)


def _padded(scores, mask):
    """Adds a step of padding, so that there is a step in any case.

    Returns the scores, float32 and zero at padding, `[batch, time + 1,
    n_tags]`; the mask `[batch, time + 1]`; and the lengths, int32 `[batch]`.
    """
    scores = tf.cast(scores, tf.float32)
    if mask is None:
        mask = tf.ones(tf.shape(scores)[:2], tf.bool)
    mask = tf.pad(tf.cast(mask, tf.bool), [[0, 0], [0, 1]])
    scores = tf.pad(scores, [[0, 0], [0, 1], [0, 0]])
    scores = tf.where(mask[:, :, tf.newaxis], scores, 0.0)
    return scores, mask, tf.reduce_sum(tf.cast(mask, tf.int32), axis=1)


def _shifted(scores):
    """Subtracts a number from each word's scores, so that sums stay small.

    This changes no probability, and no gradient of one.
    """
    return scores - tf.stop_gradient(
        tf.reduce_logsumexp(scores, axis=-1, keepdims=True)
    )


def _bounded(scores):
    scores = tf.where(tf.math.is_nan(scores), 0.0, scores)
    return tf.clip_by_value(scores, -_LARGEST_SCORE, _LARGEST_SCORE)


def _constrained(weight, allowed):
    weight = _bounded(weight)
    return weight if allowed is None else tf.where(allowed, weight, -np.inf)


def _forward(scores, lengths, start, transitions, reduce):
    """The forward recursion, over the time steps.

    Args:
        scores: `[batch, time, n_tags]`.
        lengths: `[batch]`.
        start: `[n_tags]`.
        transitions: `[n_tags, n_tags]`.
        reduce: What joins the sequences that end with the same tag:
            `tf.reduce_logsumexp` or `tf.reduce_max`.

    Returns:
        `[time, batch, n_tags]`: for each step and tag, the joined scores of the
        sequences up to here that end with the tag; after a sequence's end,
        those at its end.
    """
    n_steps = tf.shape(scores)[1]
    steps = _array(n_steps, scores[:, 0]).unstack(_swapped(scores))
    # [to, from]
    incoming = tf.transpose(transitions)
    alpha = start + steps.read(0)

    def step(t, alpha, alphas):
        # [batch, to, from] → [batch, to]
        joined = reduce(alpha[:, tf.newaxis, :] + incoming, axis=-1)
        alpha = tf.where(
            t < lengths[:, tf.newaxis], joined + steps.read(t), alpha
        )
        return t + 1, alpha, alphas.write(t, alpha)

    _, _, alphas = tf.while_loop(
        lambda t, *_: t < n_steps,
        step,
        (tf.constant(1), alpha, _array(n_steps, alpha).write(0, alpha)),
        # The gradient compiles only with a bound, and that not zero.
        maximum_iterations=n_steps,
    )
    return alphas.stack()


def _trace_back(alphas, lengths, transitions, end):
    """Follows the best sequences back from their ends.

    Args:
        alphas: What `_forward` gives with `tf.reduce_max`, `[time, batch,
            n_tags]`; the last step is padding.
        lengths: `[batch]`.
        transitions: `[n_tags, n_tags]`.
        end: `[n_tags]`.

    Returns:
        Tags, int32 `[batch, time]`; at padding, those of the last words.
    """
    n_steps = tf.shape(alphas)[0]
    steps = _array(n_steps, alphas[0]).unstack(alphas)
    # [to, from]
    incoming = tf.transpose(transitions)
    tag = _argmax(alphas[-1] + end)

    def step(t, tag, tags):
        # [batch, n_tags] → [batch]
        previous = _argmax(steps.read(t) + tf.gather(incoming, tag))
        tag = tf.where(t + 1 < lengths, previous, tag)
        return t - 1, tag, tags.write(t, tag)

    _, _, tags = tf.while_loop(
        lambda t, *_: t >= 0,
        step,
        (n_steps - 2, tag, _array(n_steps, tag).write(n_steps - 1, tag)),
    )
    return tf.transpose(tags.stack())


def _argmax(values):
    return tf.argmax(values, axis=-1, output_type=tf.int32)


def _array(size, element):
    """An empty TensorArray for tensors of the same type and shape."""
    return tf.TensorArray(
        element.dtype,
        size=size,
        element_shape=element.shape,
    )


def _swapped(scores):
    """Time-major scores from batch-major ones, or the other way."""
    return tf.transpose(scores, [1, 0, 2])
