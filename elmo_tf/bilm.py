"""The bidirectional language model's layers, without its softmax."""

import dataclasses

import keras
import tensorflow as tf

from elmo_tf.config import BiLMConfig
from elmo_tf.layers.character_cnn import CharacterCNN
from elmo_tf.layers.lstm_stack import LSTMStack
from elmo_tf.layers.word_embedding import WordEmbedding


@keras.saving.register_keras_serializable(package="elmo_tf")
class BiLM(keras.layers.Layer):
    """The biLM: a token encoder under forward and backward LSTMs (3.1, 3.4).

    The layer keeps no state: LSTM state comes in and goes out.

    Args:
        config: A `BiLMConfig`, or the nested dictionary of its options.
        **kwargs: Arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: Integers. Of a character-input biLM the character ids `[batch,
            time, max_characters]`, or with `word_index` those of the distinct
            words, `[words, max_characters]`. Of a word-input biLM the word ids
            plus one, `[batch, time]`, 0 at padding. Sentence boundaries are
            part of the input.
        word_index: Integer `[batch, time]`: which row of `inputs` stands
            there, so that each distinct word is encoded once.
        initial_state: A list with each direction's list of each layer's
            `[cell, hidden]`, as `final_state`; None: zeros.
        mask: Bool `[batch, time]`, true at real tokens, which must come before
            the padding in each row; None: positions whose ids are not all 0.
        training: Whether to drop.
        dropout_seed: Two integers that determine the dropout masks.

    Returns:
        A dictionary:
            `layers`: `[batch, time, n_layers + 1, directions ·
                projection_dim]`: the token layer (the same vector for each
                direction), then the LSTM layers, `[forward; backward]`; zero at
                padding.
            `mask`: Bool `[batch, time]`.
            `final_state`: As `initial_state`.
    """

    def __init__(self, config, **kwargs):
        # States stay float32 whatever the compute dtype.
        super().__init__(autocast=False, **kwargs)
        self.supports_masking = True
        if not isinstance(config, BiLMConfig):
            config = BiLMConfig.from_dict(config, source="`config`")
        self.config = config
        lstm = config.lstm
        if config.char_cnn is None:
            if config.n_tokens_vocab is None:
                raise ValueError(
                    "a word-input biLM needs `n_tokens_vocab`. Received: "
                    f"config={config}"
                )
            self.token_encoder = WordEmbedding(
                config.n_tokens_vocab,
                lstm.projection_dim,
                dtype=self.dtype_policy,
                name="token_encoder",
            )
        else:
            self.token_encoder = CharacterCNN(
                config.char_cnn.filters,
                activation=config.char_cnn.activation,
                embedding_dim=config.char_cnn.embedding.dim,
                n_highway=config.char_cnn.n_highway,
                projection_dim=lstm.projection_dim,
                dtype=self.dtype_policy,
                name="token_encoder",
            )
        self.stacks = [
            LSTMStack(
                lstm.n_layers,
                lstm.dim,
                lstm.projection_dim,
                cell_clip=lstm.cell_clip,
                projection_clip=lstm.proj_clip,
                use_skip_connections=lstm.use_skip_connections,
                dropout=config.dropout,
                dtype=self.dtype_policy,
                name=name,
            )
            for name in ("forward", "backward")[: config.n_directions]
        ]

    def build(self, input_shape=None):
        self.token_encoder.build((None, self.config.max_characters_per_token))
        for stack in self.stacks:
            stack.build((None, None, self.config.lstm.projection_dim))

    def call(
        self,
        inputs,
        word_index=None,
        initial_state=None,
        mask=None,
        training=None,
        dropout_seed=None,
    ):
        token_embedding, token_mask = self.embed(inputs, word_index)
        if mask is None:
            mask = token_mask
        mask = tf.cast(mask, tf.bool)
        # Nothing of a padded position may reach the layers' output.
        token_embedding = tf.where(mask[:, :, tf.newaxis], token_embedding, 0)
        lengths = tf.reduce_sum(tf.cast(mask, tf.int32), axis=1)
        directions = []
        final_state = []
        for index, stack in enumerate(self.stacks):
            is_backward = index == 1
            stack_inputs = token_embedding
            if is_backward:
                stack_inputs = tf.reverse_sequence(
                    stack_inputs, lengths, seq_axis=1
                )
            outputs, state = stack(
                stack_inputs,
                initial_state=initial_state and initial_state[index],
                mask=mask,
                training=training,
                dropout_seed=None
                if dropout_seed is None
                else tf.random.fold_in(dropout_seed, index),
            )
            if is_backward:
                outputs = [
                    tf.reverse_sequence(output, lengths, seq_axis=1)
                    for output in outputs
                ]
            directions.append([token_embedding, *outputs])
            final_state.append(state)
        # Each layer's directions side by side: [batch, time, output_dim], then
        # the layers: [batch, time, n_layers + 1, output_dim]
        layers = tf.stack(
            [
                tf.concat(layer, axis=-1)
                for layer in zip(*directions, strict=True)
            ],
            axis=2,
        )
        return {"layers": layers, "mask": mask, "final_state": final_state}

    def embed(self, inputs, word_index=None):
        """Encodes tokens without their context.

        Args:
            inputs: As in `call`.
            word_index: As in `call`.

        Returns:
            A tuple of the token vectors `[batch, time, projection_dim]` and the
            mask, bool `[batch, time]`.
        """
        if self.config.char_cnn is None:
            return self.token_encoder(inputs), tf.not_equal(inputs, 0)
        embedding = self.token_encoder(inputs)
        mask = tf.reduce_any(tf.not_equal(inputs, 0), axis=-1)
        if word_index is not None:
            embedding = tf.gather(embedding, word_index)
            mask = tf.gather(mask, word_index)
        return embedding, mask

    def zero_state(self, batch_size):
        """Returns the state before the first word.

        Args:
            batch_size: Integer or scalar tensor.

        Returns:
            Zeros in the structure of `initial_state`.
        """
        return [stack.zero_state(batch_size) for stack in self.stacks]

    def compute_output_spec(
        self,
        inputs,
        word_index=None,
        initial_state=None,
        mask=None,
        training=None,
        dropout_seed=None,
    ):
        batch, time = (inputs if word_index is None else word_index).shape[:2]
        lstm = self.config.lstm
        state = [
            [
                [
                    keras.KerasTensor((batch, lstm.dim), dtype="float32"),
                    keras.KerasTensor(
                        (batch, lstm.projection_dim), dtype="float32"
                    ),
                ]
                for _ in range(lstm.n_layers)
            ]
            for _ in self.stacks
        ]
        return {
            "layers": keras.KerasTensor(
                (batch, time, lstm.n_layers + 1, self.config.output_dim),
                dtype=self.compute_dtype,
            ),
            "mask": keras.KerasTensor((batch, time), dtype="bool"),
            "final_state": state,
        }

    def get_config(self):
        config = super().get_config()
        config.update(config=dataclasses.asdict(self.config))
        return config
