"""The language model that pre-training fits: the biLM and its softmax."""

import dataclasses

import keras
import tensorflow as tf

from elmo_tf.bilm import BiLM
from elmo_tf.config import BiLMConfig
from elmo_tf.layers.sampled_softmax import SampledSoftmax
from elmo_tf.layers.stateless_dropout import stateless_dropout


@keras.saving.register_keras_serializable(package="elmo_tf")
class BiLanguageModel(keras.layers.Layer):
    """Forward and backward language models that share tokens and softmax (3.1).

    Each direction reads its own stream of tokens in its own reading order, so
    the backward one sees reversed sentences and nothing is reversed here.

    Args:
        config: A `BiLMConfig` with `n_tokens_vocab`, or the nested dictionary
            of its options.
        n_negative_samples: Number of negatives of the softmax in training;
            None: exact.
        **kwargs: Arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: Integers. Of a character-input model the character ids of the
            distinct words, `[words, max_characters]`; of a word-input model
            the word ids plus one, `[directions, batch, time]`.
        targets: Integer `[directions, batch, time]`: the vocabulary id of each
            position's next word.
        word_index: Integer `[directions, batch, time]`: which row of `inputs`
            stands there; for character input.
        initial_state: As `BiLM`'s; None: zeros.
        mask: Bool `[directions, batch, time]`; None: every position counts.
        training: Whether to drop and to sample the softmax.
        dropout_seed: Two integers that determine the dropout masks.
        sample_seed: Two integers that determine the negatives.

    Returns:
        A tuple of the losses in nats, float32 `[directions, batch, time]`, zero
        where masked, and the final state, as `initial_state`.
    """

    def __init__(self, config, n_negative_samples=None, **kwargs):
        # States stay float32 whatever the compute dtype.
        super().__init__(autocast=False, **kwargs)
        self.supports_masking = True
        if not isinstance(config, BiLMConfig):
            config = BiLMConfig.from_dict(config, source="`config`")
        if config.n_tokens_vocab is None:
            raise ValueError(
                "a language model needs `n_tokens_vocab`, the size of its "
                f"softmax. Received: config={config}"
            )
        self.config = config
        self.n_negative_samples = n_negative_samples
        self.bilm = BiLM(config, dtype=self.dtype_policy, name="bilm")
        self.softmax = SampledSoftmax(
            config.n_tokens_vocab,
            n_negative_samples,
            dtype=self.dtype_policy,
            name="softmax",
        )

    def build(self, input_shape=None):
        self.bilm.build()
        if self.config.share_embedding_softmax:
            self.softmax.tie_kernel(self.bilm.token_encoder.embeddings)
        self.softmax.build((None, self.config.lstm.projection_dim))

    def call(
        self,
        inputs,
        targets,
        word_index=None,
        initial_state=None,
        mask=None,
        training=None,
        dropout_seed=None,
        sample_seed=None,
    ):
        # [directions, batch, time, projection_dim]
        embedding, _ = self.bilm.embed(inputs, word_index)
        losses = []
        final_state = []
        for index, stack in enumerate(self.bilm.stacks):
            direction_seed = None
            if training and self.config.dropout:
                direction_seed = tf.random.fold_in(dropout_seed, index)
            outputs, state = stack(
                embedding[index],
                initial_state=initial_state and initial_state[index],
                mask=None if mask is None else mask[index],
                training=training,
                dropout_seed=direction_seed,
            )
            top = outputs[-1]
            if direction_seed is not None:
                top = stateless_dropout(
                    top,
                    self.config.dropout,
                    tf.random.fold_in(direction_seed, stack.n_layers),
                )
            losses.append(
                self._loss(
                    top,
                    targets[index],
                    None if mask is None else mask[index],
                    training=training,
                    sample_seed=None
                    if sample_seed is None
                    else tf.random.fold_in(sample_seed, index),
                )
            )
            final_state.append(state)
        # [directions, batch, time]
        return tf.stack(losses), final_state

    def zero_state(self, batch_size):
        """Returns the state before the first word: see `BiLM.zero_state`."""
        return self.bilm.zero_state(batch_size)

    def compute_output_spec(self, inputs, targets, **kwargs):
        batch = targets.shape[1]
        state = self.bilm.compute_output_spec(
            keras.KerasTensor((batch, None), dtype="int32")
        )["final_state"]
        return keras.KerasTensor(targets.shape, dtype="float32"), state

    def get_config(self):
        config = super().get_config()
        config.update(
            config=dataclasses.asdict(self.config),
            n_negative_samples=self.n_negative_samples,
        )
        return config

    def _loss(self, top, targets, mask, **kwargs):
        """One direction's losses `[batch, time]`, the softmax where unmasked.

        `top` is `[batch, time, projection_dim]`.
        """
        if mask is None:
            # [batch · time, projection_dim] → [batch · time]
            losses = self.softmax(
                tf.reshape(top, [-1, top.shape[-1]]),
                tf.reshape(targets, [-1]),
                **kwargs,
            )
            return tf.reshape(losses, tf.shape(targets))
        # [unmasked, 2]
        positions = tf.where(mask)
        # [unmasked, projection_dim] → [unmasked]
        losses = self.softmax(
            tf.gather_nd(top, positions),
            tf.gather_nd(targets, positions),
            **kwargs,
        )
        return tf.scatter_nd(
            positions, losses, tf.shape(targets, out_type=tf.int64)
        )
