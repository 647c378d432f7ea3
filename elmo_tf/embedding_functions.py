"""From strings to a biLM's layers: what a SavedModel's signatures compute."""

import tensorflow as tf

from elmo_tf.errors import InputError
from elmo_tf.inference.frozen_weights import FrozenWeights
from elmo_tf.inference.inference_bilm import InferenceBiLM
from elmo_tf.inference.packed_layer import PackedLayer
from elmo_tf.inference.packed_sequences import PackedSequences
from elmo_tf.inference.untracked import Untracked
from elmo_tf.inference.word_encoder import WordEncoder
from elmo_tf.text.characters import BEGIN_WORD_ID
from elmo_tf.text.characters import BOS
from elmo_tf.text.characters import EOS
from elmo_tf.text.characters import PADDING_ID
from elmo_tf.text.characters import add_sentence_boundaries
from elmo_tf.text.characters import character_ids as encode_characters
from elmo_tf.text.characters import checked_lengths
from elmo_tf.text.tokenizer import TOKENIZERS
from elmo_tf.text.tokenizer import tokenize

DTYPES = ("float32", "bfloat16")
# Words whose vectors a character-input biLM keeps: 64 MB of the original's.
DEFAULT_WORD_CACHE_SIZE = 2**15


class EmbeddingFunctions(tf.Module):
    """A frozen biLM as functions of strings, for use here and for export.

    Every sentence starts from the same state, so its vectors depend neither on
    the sentences beside it nor on those before. Each distinct word of a batch
    goes through the character CNN once, and not at all if it is remembered from
    an earlier batch; padding costs nothing. The functions have input signatures
    and are never traced again; they are attributes `tokens`, `default`,
    `character_ids` (character input), `tokenize`, and, with a softmax, `score`
    and `substitutes`.

    Args:
        bilm: The `BiLM`, built, or its `FrozenWeights`; they are copied.
        softmax: The `SampledSoftmax` of its language model; None: there are no
            `score` and `substitutes`.
        vocabulary_file: The file of the vocabulary, one word a line; needed
            with a softmax or with word input.
        initial_state: Each sentence's first state, as `BiLM`'s but with one
            row; None: zeros.
        tokenizer: How raw sentences are split: "whitespace" or
            "penn_treebank".
        dtype: "float32", or "bfloat16": the biLM's weights take half the
            memory and its products half the time or less, at some cost in
            precision. States, vectors and the softmax stay float32.
        word_cache_size: Number of words to remember, for character input.

    Raises:
        InputError: There is no such tokenizer or dtype, or `word_cache_size` is
            negative.
        ValueError: The vocabulary is needed and missing, or has another size
            than the softmax or the word embedding.
    """

    def __init__(
        self,
        bilm,
        softmax=None,
        vocabulary_file=None,
        initial_state=None,
        tokenizer="whitespace",
        dtype="float32",
        word_cache_size=DEFAULT_WORD_CACHE_SIZE,
    ):
        super().__init__()
        for name, value, choices in (
            ("tokenizer", tokenizer, TOKENIZERS),
            ("dtype", dtype, DTYPES),
        ):
            if value not in choices:
                raise InputError(
                    f"{name}: found {value!r}, expected one of "
                    f"{', '.join(choices)}"
                )
        check_word_cache_size(word_cache_size)
        self._tokenizer = tokenizer
        weights = bilm
        if not isinstance(bilm, FrozenWeights):
            weights = FrozenWeights.of_bilm(bilm)
        config = weights.config
        self._config = Untracked(config)
        self._softmax = Untracked(softmax)
        layers = [] if softmax is None else [softmax]
        self._word_encoder = None
        if config.char_cnn is None:
            self._word_embedding = Untracked(weights.token_encoder)
            layers.append(weights.token_encoder)
        else:
            self._word_encoder = WordEncoder(
                weights.token_encoder,
                config.max_characters_per_token,
                dtype,
                word_cache_size,
            )
        # A tied softmax shares a variable with the word embedding.
        self._variables = list(
            {
                id(variable.value): variable.value
                for layer in layers
                for variable in layer.variables
            }.values()
        )
        self._bilm = InferenceBiLM(weights, dtype, initial_state)
        self._vocabulary_table = None
        if softmax is not None or config.char_cnn is None:
            if vocabulary_file is None:
                raise ValueError("a softmax or word input needs a vocabulary")
            self._make_tables(vocabulary_file)
        self._make_functions()

    @property
    def config(self):
        """The `BiLMConfig`."""
        return self._config.value

    def signatures(self):
        """Returns the functions by the name of their signature."""
        names = ["default", "tokens", "tokenize"]
        if self.config.char_cnn is not None:
            names.append("character_ids")
        if self._softmax.value is not None:
            names += ["score", "substitutes"]
        return {name: getattr(self, name) for name in names}

    def _make_tables(self, vocabulary_file):
        # An asset: TensorFlow copies the file into the SavedModel.
        self._vocabulary_file = tf.saved_model.Asset(vocabulary_file)
        with open(vocabulary_file, encoding="utf-8") as file:
            words = [line.rstrip("\n") for line in file]
        self._vocabulary_table = tf.lookup.StaticHashTable(
            tf.lookup.TextFileInitializer(
                self._vocabulary_file,
                tf.string,
                tf.lookup.TextFileIndex.WHOLE_LINE,
                tf.int64,
                tf.lookup.TextFileIndex.LINE_NUMBER,
            ),
            default_value=words.index("<UNK>"),
        )
        self._word_table = tf.lookup.StaticHashTable(
            tf.lookup.TextFileInitializer(
                self._vocabulary_file,
                tf.int64,
                tf.lookup.TextFileIndex.LINE_NUMBER,
                tf.string,
                tf.lookup.TextFileIndex.WHOLE_LINE,
            ),
            default_value="<UNK>",
        )
        size = self.config.n_tokens_vocab
        if self._softmax.value is not None:
            size = self._softmax.value.vocabulary_size
        if size != len(words):
            raise ValueError(
                f"the vocabulary {vocabulary_file} has {len(words)} words, "
                f"but the model has {size}"
            )

    def _make_functions(self):
        strings = tf.TensorSpec([None], tf.string, name="strings")
        tokens = tf.TensorSpec([None, None], tf.string, name="tokens")
        lengths = tf.TensorSpec([None], tf.int32, name="sequence_len")
        self.tokenize = tf.function(self._tokenize, input_signature=[strings])
        self.default = tf.function(self._default, input_signature=[strings])
        self.tokens = tf.function(
            self._tokens, input_signature=[tokens, lengths]
        )
        self.flat = tf.function(self._flat, input_signature=[tokens, lengths])
        if self.config.char_cnn is not None:
            ids = tf.TensorSpec(
                [None, None, self.config.max_characters_per_token],
                tf.int32,
                name="character_ids",
            )
            self.character_ids = tf.function(
                self._character_ids, input_signature=[ids]
            )
        self.set_word_cache_size = tf.function(
            self._set_word_cache_size,
            input_signature=[tf.TensorSpec([], tf.int32)],
        )
        self.forget_words = tf.function(self._forget_words, input_signature=[])
        if self._softmax.value is not None:
            self.score = tf.function(
                self._score, input_signature=[tokens, lengths]
            )
            self.substitutes = tf.function(
                self._substitutes,
                input_signature=[
                    tokens,
                    lengths,
                    tf.TensorSpec([None], tf.int32, name="position"),
                    tf.TensorSpec([None], tf.int32, name="n"),
                ],
            )

    def _set_word_cache_size(self, size):
        """Changes how many words are remembered, from now on."""
        if self._word_encoder is not None:
            self._word_encoder.cache_size.assign(size)

    def _forget_words(self):
        """Forgets the words that were remembered so far."""
        if self._word_encoder is not None:
            self._word_encoder.forget()

    def _tokenize(self, strings):
        """Splits raw sentences: tokens `[batch, time]` and lengths."""
        tokens = tokenize(strings, self._tokenizer)
        return {
            "tokens": tokens.to_tensor(default_value=""),
            "sequence_len": tf.cast(tokens.row_lengths(), tf.int32),
        }

    def _default(self, strings):
        """Embeds raw sentences."""
        tokenized = self._tokenize(strings)
        return self._tokens(tokenized["tokens"], tokenized["sequence_len"])

    def _tokens(self, tokens, sequence_len):
        """Embeds tokenised sentences."""
        run = self._run(tokens, sequence_len)
        layers = tf.stack(run.layers(1, tf.shape(tokens)[1]), axis=2)
        return self._outputs(layers, sequence_len)

    def _flat(self, tokens, sequence_len):
        """Embeds tokenised sentences, giving real tokens only.

        `layer_0` and so on, `[tokens, output_dim]`: the first sentence's
        tokens, then the second's.
        """
        run = self._run(tokens, sequence_len)
        position = tf.where(tf.sequence_mask(sequence_len, tf.shape(tokens)[1]))
        sentence, step = tf.unstack(tf.cast(position, tf.int32), axis=1)
        layers = run.layers_of_tokens(sentence, step)
        return {f"layer_{depth}": layer for depth, layer in enumerate(layers)}

    def _character_ids(self, character_ids):
        """Embeds sentences given as character ids, without boundaries."""
        # TensorFlow Serving pads with the first value of a request's tensor,
        # which is the begin of a word. No token is that alone.
        is_padding = (character_ids == PADDING_ID) | (
            character_ids == BEGIN_WORD_ID
        )
        present = ~tf.reduce_all(is_padding, axis=-1)
        sequence_len = tf.reduce_sum(tf.cast(present, tf.int32), axis=1)
        time = tf.shape(present)[1]
        tf.debugging.assert_equal(
            present,
            tf.sequence_mask(sequence_len, time),
            "`character_ids` should be padded at the end of each row only.",
        )
        max_characters = self.config.max_characters_per_token
        # The boundaries, then all positions: [·, max_characters]
        ids = tf.concat(
            [
                encode_characters(tf.constant([BOS, EOS]), max_characters),
                tf.reshape(character_ids, [-1, max_characters]),
            ],
            axis=0,
        )
        distinct, index = tf.raw_ops.UniqueV2(x=ids, axis=[0])
        distinct = tf.ensure_shape(distinct, ids.shape)
        run = _Run(
            self._bilm,
            self._word_encoder.encode_ids(distinct),
            index,
            sequence_len,
        )
        layers = tf.stack(run.layers(1, time), axis=2)
        return self._outputs(layers, sequence_len)

    def _run(self, tokens, sequence_len):
        """Runs the biLM over tokens with both sentence boundaries."""
        sequence_len = checked_lengths(tokens, sequence_len)
        # Padding is looked up too, and never used.
        words, index = tf.unique(
            tf.concat([[BOS, EOS], tf.reshape(tokens, [-1])], axis=0)
        )
        if self._word_encoder is None:
            vectors = self._word_embedding.value(self._word_ids(words) + 1)
        else:
            vectors = self._word_encoder.encode(words)
        return _Run(self._bilm, vectors, index, sequence_len)

    def _outputs(self, layers, sequence_len):
        """Names the outputs as TensorFlow Hub's ELMo does, and some more.

        `layers` `[batch, time, n_layers + 1, output_dim]`, zero at padding.
        """
        projection_dim = self.config.lstm.projection_dim
        elmo = tf.reduce_mean(layers, axis=2)
        lengths = tf.cast(sequence_len, tf.float32)[:, tf.newaxis]
        outputs = {
            "word_emb": layers[:, :, 0, :projection_dim],
            "elmo": elmo,
            # [batch, output_dim]; zeros for an empty sentence
            "default": tf.math.divide_no_nan(
                tf.reduce_sum(elmo, axis=1), lengths
            ),
            "layers": layers,
            "sequence_len": tf.identity(sequence_len),
        }
        for index in range(1, self.config.lstm.n_layers + 1):
            outputs[f"lstm_outputs{index}"] = layers[:, :, index]
        return outputs

    def _score(self, tokens, sequence_len):
        """Log-probabilities of tokens, and of each sentence's two ends."""
        framed, framed_len = add_sentence_boundaries(tokens, sequence_len)
        target_ids = self._word_ids(framed)
        framed_time = tf.shape(framed)[1]
        run = self._run(tokens, sequence_len)
        top = run.layers(0, framed_time, with_boundaries=True)[-1]
        mask = tf.sequence_mask(framed_len, framed_time)
        # Position t's forward vector predicts t + 1, its backward one t − 1.
        forward = self._log_probability(
            self._direction(top, 0)[:, :-1], target_ids[:, 1:], mask[:, 1:]
        )
        in_sentence = tf.sequence_mask(sequence_len, tf.shape(tokens)[1])
        outputs = {
            # [batch, time]
            "forward_log_probability": tf.where(
                in_sentence, forward[:, :-1], 0.0
            ),
            # [batch]
            "forward_end_log_probability": tf.gather(
                forward, sequence_len, batch_dims=1
            ),
            "sequence_len": tf.identity(sequence_len),
        }
        if self.config.bidirectional:
            backward = self._log_probability(
                self._direction(top, 1)[:, 1:], target_ids[:, :-1], mask[:, 1:]
            )
            outputs["backward_log_probability"] = tf.where(
                in_sentence, backward[:, 1:], 0.0
            )
            outputs["backward_begin_log_probability"] = backward[:, 0]
        return outputs

    def _substitutes(self, tokens, sequence_len, position, n):
        """The likeliest words at one position of each sentence.

        Each sentence has a number of its own, `n` `[batch]`; behind it, up to
        the largest, its rows have empty words and zeros.
        """
        tf.debugging.assert_non_negative(
            position, "`position` should not be negative."
        )
        tf.debugging.assert_less(
            position, sequence_len, "`position` should be in the sentence."
        )
        tf.debugging.assert_equal(
            tf.shape(n),
            tf.shape(sequence_len),
            "`n` should hold a number for each sentence of `tokens`.",
        )
        tf.debugging.assert_non_negative(n, "`n` should not be negative.")
        n = tf.minimum(n, self._softmax.value.vocabulary_size)
        # 0 without sentences, of which there is no largest
        n_columns = tf.reduce_max(tf.concat([[0], n], axis=0))
        # [batch, columns]
        is_wanted = tf.sequence_mask(n, n_columns)
        run = self._run(tokens, sequence_len)
        top = run.layers(0, tf.shape(tokens)[1] + 2, with_boundaries=True)[-1]
        # The vectors before and after the position, boundaries counted.
        before = tf.gather(self._direction(top, 0), position, batch_dims=1)
        log_probabilities = {"forward": self._log_softmax(before)}
        if self.config.bidirectional:
            after = tf.gather(
                self._direction(top, 1), position + 2, batch_dims=1
            )
            log_probabilities["backward"] = self._log_softmax(after)
            log_probabilities["combined"] = tf.nn.log_softmax(
                log_probabilities["forward"] + log_probabilities["backward"]
            )
        outputs = {}
        for name, values in log_probabilities.items():
            # [batch, columns]
            best, ids = tf.math.top_k(values, k=n_columns)
            words = self._word_table.lookup(tf.cast(ids, tf.int64))
            outputs[f"{name}_words"] = tf.where(is_wanted, words, "")
            outputs[f"{name}_log_probability"] = tf.where(is_wanted, best, 0.0)
        return outputs

    def _word_ids(self, tokens):
        return tf.cast(self._vocabulary_table.lookup(tokens), tf.int32)

    def _direction(self, layer, index):
        """A direction's half of a layer `[batch, time, output_dim]`."""
        width = self.config.lstm.projection_dim
        return layer[:, :, index * width : (index + 1) * width]

    def _log_probability(self, vectors, target_ids, mask):
        """`[batch, time]`, zero where masked."""
        positions = tf.where(mask)
        values = self._softmax.value.log_probability(
            tf.gather_nd(vectors, positions),
            tf.gather_nd(target_ids, positions),
        )
        return tf.scatter_nd(
            positions, values, tf.shape(target_ids, out_type=tf.int64)
        )

    def _log_softmax(self, vectors):
        """`[batch, vocabulary_size]`."""
        return tf.nn.log_softmax(self._softmax.value.logits(vectors))


class _Run:
    """A biLM's layers of a batch of sentences.

    Args:
        bilm: The `InferenceBiLM`.
        word_vectors: As for its call.
        index: int32 `[2 + batch · time]`: which row of `word_vectors` stands
            for the sentences' begin, for their end, for each position.
        lengths: int32 `[batch]`, without boundaries.
    """

    def __init__(self, bilm, word_vectors, index, lengths):
        self._lengths = lengths
        self._sequences = PackedSequences(lengths)
        # Of no sentences at all the number of positions tells nothing.
        n_sentences = tf.maximum(tf.size(lengths), 1)
        time = (tf.size(index) - 2) // n_sentences
        word_index = tf.reshape(index[2:], [tf.size(lengths), time])
        boundaries = index[0], index[1]
        self._directions = bilm(
            word_vectors, word_index, boundaries, self._sequences
        )

    def layers(self, first, time, with_boundaries=False):
        """Takes some positions of each sentence, zeros at padding.

        Args:
            first: The first position, the sentence's begin being 0.
            time: How many positions.
            with_boundaries: Whether the forward direction at a sentence's begin
                and the backward one at its end are wanted too, or zeros.

        Returns:
            A list of the layers, float32 `[batch, time, output_dim]`.
        """
        # [batch, 1], [1, time]
        sentence = tf.range(tf.size(self._lengths))[:, tf.newaxis]
        length = self._lengths[:, tf.newaxis]
        position = (first + tf.range(time))[tf.newaxis]
        is_token = (position >= 1) & (position <= length)
        # [batch, time]
        step = tf.where(is_token, position - 1, 0)

        def row(reverse):
            # After the boundary, before the row of zeros.
            rows = tf.where(
                is_token,
                1 + self._sequences.row(sentence, step, reverse),
                1 + self._sequences.n_elements,
            )
            if not with_boundaries:
                return rows
            boundary = length + 1 if reverse else 0
            return tf.where(position == boundary, 0, rows)

        return self._gather(row)

    def layers_of_tokens(self, sentence, step):
        """Takes single tokens.

        Args:
            sentence: int32 `[k]`.
            step: int32 `[k]`, the sentence's first token being 0.

        Returns:
            A list of the layers, float32 `[k, output_dim]`.
        """
        return self._gather(
            lambda reverse: 1 + self._sequences.row(sentence, step, reverse)
        )

    def _gather(self, row):
        """The layers at `row(reverse)`, directions side by side."""
        n_directions = len(self._directions)
        # One direction's elements after the other's: [..., directions]
        rows = tf.stack(
            [
                row(index == 1) + index * (self._sequences.n_elements + 2)
                for index in range(n_directions)
            ],
            axis=-1,
        )
        results = []
        # One after the other, for the memory, the token layer last: it would be
        # there, and wait, while the others are computed.
        for layers in reversed(list(zip(*self._directions, strict=True))):
            with tf.control_dependencies(results[-1:]):
                # [..., directions, projection_dim]
                vectors = PackedLayer.concat(layers).take(tf.identity(rows))
            # [..., output_dim]
            results.append(
                tf.reshape(
                    vectors,
                    tf.concat(
                        [
                            tf.shape(rows)[:-1],
                            [n_directions * vectors.shape[-1]],
                        ],
                        axis=0,
                    ),
                )
            )
        return results[::-1]


def check_word_cache_size(word_cache_size):
    """Raises `InputError` unless the number of words can be one."""
    if word_cache_size < 0:
        raise InputError(
            f"word_cache_size: found {word_cache_size}, expected 0 or more"
        )
