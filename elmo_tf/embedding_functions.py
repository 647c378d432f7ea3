"""From strings to a biLM's layers: what a SavedModel's signatures compute."""

import tensorflow as tf

from elmo_tf.errors import InputError
from elmo_tf.text.characters import BOS
from elmo_tf.text.characters import EOS
from elmo_tf.text.characters import add_sentence_boundaries
from elmo_tf.text.characters import character_ids
from elmo_tf.text.tokenizer import TOKENIZERS
from elmo_tf.text.tokenizer import tokenize
from elmo_tf.token_batch import call_bilm


class EmbeddingFunctions(tf.Module):
    """A frozen biLM as functions of strings, for use here and for export.

    Every sentence starts from the same state, so its vectors depend neither on
    the sentences beside it nor on those before. Each distinct word of a batch
    goes through the character CNN once. The functions have input signatures and
    are never traced again; they are attributes `tokens`, `default`,
    `character_ids` (character input), `tokenize`, and, with a softmax, `score`
    and `substitutes`.

    Args:
        bilm: The `BiLM`, built.
        softmax: The `SampledSoftmax` of its language model; None: there are no
            `score` and `substitutes`.
        vocabulary_file: The file of the vocabulary, one word a line; needed
            with a softmax or with word input.
        initial_state: Each sentence's first state, as `BiLM`'s but with one
            row; None: zeros.
        tokenizer: How raw sentences are split: "whitespace" or
            "penn_treebank".

    Raises:
        InputError: There is no such tokenizer.
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
    ):
        super().__init__()
        if tokenizer not in TOKENIZERS:
            raise InputError(
                f"tokenizer: found {tokenizer!r}, expected one of "
                f"{', '.join(TOKENIZERS)}"
            )
        self._tokenizer = tokenizer
        # The layers themselves stay out of what TensorFlow tracks: a SavedModel
        # is to hold their variables and these functions, nothing of Keras.
        self._bilm = _Untracked(bilm)
        self._softmax = _Untracked(softmax)
        config = bilm.config
        self._config = _Untracked(config)
        layers = [bilm] if softmax is None else [bilm, softmax]
        # A tied softmax shares a variable with the biLM.
        self._variables = list(
            {
                id(variable.value): variable.value
                for layer in layers
                for variable in layer.variables
            }.values()
        )
        self._initial_state = None
        if initial_state is not None:
            self._initial_state = tf.nest.map_structure(
                lambda part: tf.Variable(part, trainable=False), initial_state
            )
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
        if self.config.char_cnn is not None:
            ids = tf.TensorSpec(
                [None, None, self.config.max_characters_per_token],
                tf.int32,
                name="character_ids",
            )
            self.character_ids = tf.function(
                self._character_ids, input_signature=[ids]
            )
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
                    tf.TensorSpec([], tf.int32, name="n"),
                ],
            )

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
        # Without the sentences' begins and the last position.
        layers = self._framed_layers(tokens, sequence_len)[:, 1:-1]
        return self._outputs(layers, sequence_len)

    def _character_ids(self, character_ids):
        """Embeds sentences given as character ids, without boundaries."""
        present = tf.reduce_any(tf.not_equal(character_ids, 0), axis=-1)
        sequence_len = tf.reduce_sum(tf.cast(present, tf.int32), axis=1)
        tf.debugging.assert_equal(
            present,
            tf.sequence_mask(sequence_len, tf.shape(present)[1]),
            "`character_ids` should be padded at the end of each row only.",
        )
        # [batch, time, max_characters] → [batch, time + 2, max_characters]
        framed = tf.pad(character_ids, [[0, 0], [1, 1], [0, 0]])
        position = tf.range(tf.shape(framed)[1])
        end = sequence_len[:, tf.newaxis] + 1
        for boundary, is_there in (
            (BOS, tf.equal(position, 0)[tf.newaxis]),
            (EOS, tf.equal(position, end)),
        ):
            framed = tf.where(
                is_there[:, :, tf.newaxis],
                _boundary_ids(boundary, self.config.max_characters_per_token),
                framed,
            )
        outputs = self._bilm.value(
            framed,
            initial_state=self._first_state(tf.shape(framed)[0]),
            mask=position <= end,
            training=False,
        )
        layers = tf.cast(outputs["layers"], tf.float32)
        return self._outputs(layers[:, 1:-1], sequence_len)

    def _framed_layers(self, tokens, sequence_len):
        """The layers with both sentence boundaries, `[batch, time + 2, …]`."""
        outputs = call_bilm(
            self._bilm.value,
            tokens,
            sequence_len,
            self._first_state(tf.shape(tokens)[0]),
            self._word_ids,
        )
        return tf.cast(outputs["layers"], tf.float32)

    def _first_state(self, batch_size):
        """The state that each sentence starts from; None: zeros."""
        if self._initial_state is None:
            return None
        return tf.nest.map_structure(
            lambda part: tf.repeat(part, batch_size, axis=0),
            _plain(self._initial_state),
        )

    def _outputs(self, layers, sequence_len):
        """Names the outputs as TensorFlow Hub's ELMo does, and some more.

        `layers` `[batch, time, n_layers + 1, output_dim]`, in which the last
        real position may hold the sentence's end: it is cleared here.
        """
        mask = tf.sequence_mask(sequence_len, tf.shape(layers)[1])
        layers = tf.where(mask[:, :, tf.newaxis, tf.newaxis], layers, 0.0)
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
        top = self._framed_layers(tokens, sequence_len)[:, :, -1]
        mask = tf.sequence_mask(framed_len, tf.shape(framed)[1])
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
        """The likeliest words at one position of each sentence."""
        tf.debugging.assert_non_negative(
            position, "`position` should not be negative."
        )
        tf.debugging.assert_less(
            position, sequence_len, "`position` should be in the sentence."
        )
        n = tf.minimum(n, self._softmax.value.vocabulary_size)
        top = self._framed_layers(tokens, sequence_len)[:, :, -1]
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
            # [batch, n]
            best, ids = tf.math.top_k(values, k=n)
            outputs[f"{name}_words"] = self._word_table.lookup(
                tf.cast(ids, tf.int64)
            )
            outputs[f"{name}_log_probability"] = best
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


class _Untracked:
    """Hides an object from TensorFlow's tracking of attributes."""

    def __init__(self, value):
        self.value = value


def _plain(structure):
    """Turns TensorFlow's list wrappers into lists."""
    if isinstance(structure, list | tuple):
        return [_plain(part) for part in structure]
    return structure


def _boundary_ids(token, max_characters):
    """A sentence boundary's row of ids, `[max_characters]`."""
    return character_ids(tf.constant(token), max_characters)
