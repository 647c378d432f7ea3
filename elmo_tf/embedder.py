"""A few lines of Python from sentences to vectors."""

import gc
import heapq
import itertools
import os

import numpy as np
import tensorflow as tf

from elmo_tf.atomic_file import temporary_folder
from elmo_tf.embedder_results import Neighbour
from elmo_tf.embedder_results import SentenceScore
from elmo_tf.embedder_results import Substitute
from elmo_tf.embedding_batches import batches
from elmo_tf.embedding_file import embed_file
from elmo_tf.embedding_functions import DEFAULT_WORD_CACHE_SIZE
from elmo_tf.embedding_functions import EmbeddingFunctions
from elmo_tf.embedding_functions import check_word_cache_size
from elmo_tf.errors import InputError
from elmo_tf.heap import trim_heap
from elmo_tf.nearest_rows import unit_vectors
from elmo_tf.saved_model import load_saved_model
from elmo_tf.token_batch import pad_tokens
from elmo_tf.weights import load_frozen_weights
from elmo_tf.weights import load_vocabulary

LAYERS = ("all", "top", "average")

# Raw sentences that are tokenised at once.
_SENTENCES_AT_ONCE = 256
_BYTES_PER_FLOAT = 4
# Before so many bytes are allocated, memory that was freed is given back: the
# peak is lower then. With fewer it would take longer than it is worth.
_TRIMMED_BYTES = 16 * 2**20


class Elmo:
    """Embeds sentences with a frozen biLM.

    A sentence is a list of tokens or a raw string, which is split as the
    SavedModel's `default` signature does. Its vectors do not depend on the
    sentences beside it. Sentences run in batches of like length; results come
    in the order given.

    Args:
        saved_model: The folder of a SavedModel that `elmo_tf.export` wrote, or
            the name of a pre-trained biLM of the package: "mini".
        word_cache_size: How many words to remember, so that the character CNN
            need not read them again; None: as the SavedModel says.

    Raises:
        InputError: The SavedModel cannot be loaded, or `word_cache_size` is
            negative.
    """

    def __init__(self, saved_model, word_cache_size=None):
        if word_cache_size is not None:
            check_word_cache_size(word_cache_size)
        self._loaded = load_saved_model(saved_model)
        self._functions = self._loaded.signatures
        self._name = os.fspath(saved_model)
        if word_cache_size is not None:
            self._loaded.set_word_cache_size(tf.constant(word_cache_size))

    @classmethod
    def from_weights(
        cls,
        options_file,
        weights_file,
        vocab_file=None,
        token_embeddings_file=None,
        tokenizer="whitespace",
        dtype="float32",
        word_cache_size=DEFAULT_WORD_CACHE_SIZE,
    ):
        """Makes an `Elmo` of an official pair of files.

        Args:
            options_file: The options.json.
            weights_file: The HDF5 file.
            vocab_file: The vocabulary, one word a line; for word input and
                with `token_embeddings_file` only.
            token_embeddings_file: HDF5 file of the vocabulary's token vectors,
                as `dump_token_embeddings` writes it, to look words up instead
                of reading their characters (others become `<UNK>`).
            tokenizer: How raw sentences are split: "whitespace" or
                "penn_treebank".
            dtype: "float32", or "bfloat16": half the memory and time or less,
                at some cost in precision; see docs/performance.md.
            word_cache_size: As for `Elmo`.

        Returns:
            An `Elmo`.

        Raises:
            InputError: A file is missing or does not fit the others, or an
                argument is none of the above.
        """
        bilm = load_frozen_weights(
            options_file, weights_file, token_embeddings_file
        )
        elmo = cls.__new__(cls)
        elmo._name = os.fspath(weights_file)
        vocabulary = load_vocabulary(vocab_file, bilm)
        options = {
            "tokenizer": tokenizer,
            "dtype": dtype,
            "word_cache_size": word_cache_size,
        }
        if vocabulary is None:
            elmo._loaded = EmbeddingFunctions(bilm, **options)
        else:
            with temporary_folder("vocabulary") as folder:
                # Without what `Vocabulary.load` skips.
                path = os.path.join(folder, "vocab.txt")
                vocabulary.save(path)
                elmo._loaded = EmbeddingFunctions(
                    bilm, vocabulary_file=path, **options
                )
        elmo._functions = elmo._loaded.signatures()
        # Keras layers refer to themselves: what was copied would stay for long.
        del bilm
        gc.collect()
        trim_heap()
        return elmo

    @property
    def n_layers(self):
        """Number of layers of `embed(…, layers="all")`, the token layer too."""
        return len(self._flat_outputs())

    @property
    def output_dim(self):
        """Width of a vector: the two directions side by side."""
        return self._flat_outputs()["layer_0"].shape[-1]

    def embed(self, sentences, layers="all", batch_size=None):
        """Embeds sentences.

        Args:
            sentences: A list of token lists or of raw strings; sentences may be
                of any length and empty.
            layers: "all", "top", or "average" (the layers' mean).
            batch_size: Most sentences to run at once; fewer where they are
                long, None: as many as the memory is meant for. Without
                influence on the result.

        Returns:
            A list of a float32 array for each sentence of n tokens:
            `[n_layers, n, output_dim]` for "all", else `[n, output_dim]`.

        Raises:
            InputError: `layers` or `sentences` is none of the above.
        """
        return list(self.embed_stream(sentences, layers, batch_size))

    def embed_stream(self, sentences, layers="all", batch_size=None):
        """Embeds sentences one after the other, in bounded memory.

        Args:
            sentences: An iterable as for `embed`.
            layers: As for `embed`.
            batch_size: As for `embed`.

        Yields:
            Each sentence's array, as `embed`, in the order given.

        Raises:
            InputError: As `embed`.
        """
        if layers not in LAYERS:
            raise InputError(
                f"layers: found {layers!r}, expected one of {', '.join(LAYERS)}"
            )
        _check_batch_size(batch_size)
        stream = self._tokenized(sentences)
        for chunk, all_indices in batches(
            stream, self._token_bytes, batch_size
        ):
            results = [None] * len(chunk)
            for indices in all_indices:
                batch = [chunk[index] for index in indices]
                for index, array in zip(
                    indices, self._embed_batch(batch, layers), strict=True
                ):
                    results[index] = array
            yield from results

    def forget_words(self):
        """Forgets the words that it remembers.

        What it gives from then on does not depend on what it was asked before,
        not even in the last bits.

        Raises:
            InputError: The SavedModel was exported when there was no such
                thing.
        """
        if not hasattr(self._loaded, "forget_words"):
            raise InputError(
                f"{self._name}: not a SavedModel of this release: expected a "
                "function forget_words, found none; export it anew"
            )
        self._loaded.forget_words()

    def tokenize(self, sentences):
        """Splits raw sentences as the `default` signature does.

        Args:
            sentences: A list of raw strings; token lists stay as they are.

        Returns:
            A list of lists of tokens.

        Raises:
            InputError: A sentence is neither a string nor a list of strings.
        """
        sentences = _checked_sentences(sentences)
        raw = [
            index
            for index, sentence in enumerate(sentences)
            if isinstance(sentence, str)
        ]
        tokenized = [
            None if isinstance(sentence, str) else list(sentence)
            for sentence in sentences
        ]
        if raw:
            outputs = self._functions["tokenize"](
                tf.constant(
                    [
                        sentences[index].encode("utf-8", "ignore")
                        for index in raw
                    ]
                )
            )
            tokens = outputs["tokens"].numpy()
            lengths = outputs["sequence_len"].numpy()
            for index, row, length in zip(raw, tokens, lengths, strict=True):
                tokenized[index] = [
                    token.decode("utf-8", "replace") for token in row[:length]
                ]
        return tokenized

    def embed_file(
        self,
        input_file,
        output_file,
        layers="all",
        batch_size=None,
        tokenize=False,
        use_sentence_keys=False,
        forget_sentences=False,
        progress=None,
    ):
        """Embeds a file into an HDF5 file in the format of `allennlp elmo`.

        Args:
            input_file: UTF-8 text, one sentence a line, plain or gzip.
            output_file: The HDF5 file to write.
            layers: As for `embed`.
            batch_size: As for `embed`.
            tokenize: As for `elmo_tf.embedding_file.embed_file`, as are the
                following.
            use_sentence_keys: See there.
            forget_sentences: See there.
            progress: See there.

        Returns:
            A tuple of the number of sentences and of tokens.

        Raises:
            InputError: The input is missing, empty or not UTF-8.
        """
        return embed_file(
            self,
            input_file,
            output_file,
            layers,
            batch_size,
            tokenize,
            use_sentence_keys,
            forget_sentences,
            progress,
        )

    def average(self, sentences, layers="average", batch_size=None):
        """Embeds each sentence as one vector, the mean of its tokens'.

        Args:
            sentences: As for `embed`.
            layers: "top", or "average" (the layers' mean).
            batch_size: As for `embed`.

        Returns:
            A float32 array `[sentences, output_dim]`; zeros for an empty one.

        Raises:
            InputError: As `embed`; or `layers` is "all".
        """
        if layers == "all":
            raise InputError(
                "layers: found 'all', expected 'top' or 'average' for one "
                "vector a sentence"
            )
        means = [
            array.mean(axis=0) if len(array) else np.zeros(self.output_dim)
            for array in self.embed_stream(sentences, layers, batch_size)
        ]
        return np.array(means, np.float32).reshape(-1, self.output_dim)

    def neighbours(
        self, sentence, position, sentences, n=10, layer=-1, same_word=False
    ):
        """Finds the words used in the most similar way (table 4 of the paper).

        Args:
            sentence: The sentence with the word in question.
            position: Which token of it is the word.
            sentences: An iterable of sentences to search, as for `embed`.
            n: How many neighbours to return.
            layer: Which layer to compare, 0 being the token layer.
            same_word: Whether to search other occurrences of the word only.

        Returns:
            A list of at most n `Neighbour`, the most similar first, of equal
                ones the first found. The word itself is one, where the sentence
                is among those to search.

        Raises:
            InputError: As `embed`; there is no such position or layer, or `n`
                is less than 1.
        """
        tokens = self._tokens_with(sentence, position)
        _check_at_least_one("n", n)
        if not -self.n_layers <= layer < self.n_layers:
            raise InputError(
                f"layer: found {layer}, but there are {self.n_layers} layers"
            )
        word = tokens[position]
        query = unit_vectors(self.embed([tokens])[0][layer][position])
        best = []
        # The vectors of a sentence come some sentences after it was read.
        searched, for_embedding = itertools.tee(self._tokenized(sentences))
        arrays = self.embed_stream(for_embedding)
        for index, (sentence_tokens, array) in enumerate(
            zip(searched, arrays, strict=True)
        ):
            similarities = unit_vectors(array[layer]) @ query
            candidates = [
                Neighbour(float(similarity), index, place, token)
                for place, (similarity, token) in enumerate(
                    zip(similarities, sentence_tokens, strict=True)
                )
                if not same_word or token == word
            ]
            best = heapq.nlargest(
                n, best + candidates, key=lambda found: found.similarity
            )
        return best

    def score(self, sentences, batch_size=None):
        """Scores sentences with the language model.

        Args:
            sentences: As for `embed`.
            batch_size: As for `embed`.

        Returns:
            A list of `SentenceScore`.

        Raises:
            InputError: As `embed`; or the SavedModel holds no softmax.
        """
        function = self._language_model_function("score")
        _check_batch_size(batch_size)
        _check_no_string(sentences)
        results = []
        stream = self._tokenized(sentences)
        for chunk, all_indices in batches(
            stream, self._token_bytes, batch_size
        ):
            scores = [None] * len(chunk)
            for indices in all_indices:
                batch = [chunk[index] for index in indices]
                outputs = _as_numpy(function(**pad_tokens(batch)))
                for row, index in enumerate(indices):
                    scores[index] = _sentence_score(chunk[index], outputs, row)
            results += scores
        return results

    def substitutes(self, sentence, position, n=10):
        """Lists the words that the language model expects at a position.

        Args:
            sentence: A token list or a raw string.
            position: Which token to replace.
            n: How many words to list; at most the vocabulary's.

        Returns:
            A dictionary of lists of n `Substitute`, the likeliest first:
            `forward` (given the words before), `backward` (given those after)
            and `combined` (given both: the product of the two, normalised).

        Raises:
            InputError: The SavedModel holds no softmax, there is no such
                position, or `n` is less than 1.
        """
        function = self._language_model_function("substitutes")
        tokens = self._tokens_with(sentence, position)
        _check_at_least_one("n", n)
        outputs = _as_numpy(
            function(
                **pad_tokens([tokens]),
                position=tf.constant([position]),
                n=tf.constant([n]),
            )
        )
        return {
            name: [
                Substitute(word.decode("utf-8"), float(value))
                for word, value in zip(
                    outputs[f"{name}_words"][0],
                    outputs[f"{name}_log_probability"][0],
                    strict=True,
                )
            ]
            for name in ("forward", "backward", "combined")
            if f"{name}_words" in outputs
        }

    def _tokens_with(self, sentence, position):
        """A sentence's tokens; InputError if there is no such position."""
        (tokens,) = self.tokenize([sentence])
        if not 0 <= position < len(tokens):
            raise InputError(
                f"position: found {position}, but the sentence has "
                f"{len(tokens)} tokens"
            )
        return tokens

    def _tokenized(self, sentences):
        """Yields an iterable's sentences as token lists, some at a time."""
        _check_no_string(sentences)
        sentences = iter(sentences)
        while piece := list(itertools.islice(sentences, _SENTENCES_AT_ONCE)):
            yield from self.tokenize(piece)

    @property
    def _token_bytes(self):
        """What the layers of a token take."""
        return self.n_layers * self.output_dim * _BYTES_PER_FLOAT

    def _embed_batch(self, batch, layers):
        """Embeds token lists; returns a list of arrays."""
        outputs = dict(self._loaded.flat(**pad_tokens(batch)))
        ends = np.cumsum([len(tokens) for tokens in batch])
        if ends[-1] * self._token_bytes >= _TRIMMED_BYTES:
            trim_heap()
        kept = range(self.n_layers)
        if layers == "top":
            kept = kept[-1:]
        # Copies, so that no sentence keeps the whole batch alive.
        arrays = [
            np.empty([len(kept), len(tokens), self.output_dim], np.float32)
            for tokens in batch
        ]
        for place, depth in enumerate(kept):
            # [tokens, output_dim], not copied; gone before the next layer
            layer = np.asarray(outputs.pop(f"layer_{depth}"))
            for array, end in zip(arrays, ends, strict=True):
                array[place] = layer[end - array.shape[1] : end]
        if layers == "top":
            return [array[0].copy() for array in arrays]
        if layers == "average":
            return [array.mean(axis=0) for array in arrays]
        return arrays

    def _language_model_function(self, name):
        if name not in self._functions:
            raise InputError(
                f"{self._name}: holds no softmax; export it from a model_dir"
            )
        return self._functions[name]

    def _flat_outputs(self):
        """What `flat` gives, without its values."""
        return self._loaded.flat.get_concrete_function().structured_outputs


def _sentence_score(tokens, outputs, row):
    """Makes a `SentenceScore` of a batch's outputs."""
    n = len(tokens)
    backward = outputs.get("backward_log_probability")
    begin = outputs.get("backward_begin_log_probability")
    return SentenceScore(
        tokens=tokens,
        forward=outputs["forward_log_probability"][row, :n],
        forward_end=float(outputs["forward_end_log_probability"][row]),
        backward=None if backward is None else backward[row, :n],
        backward_begin=None if begin is None else float(begin[row]),
    )


def _check_batch_size(batch_size):
    if batch_size is not None:
        _check_at_least_one("batch_size", batch_size)


def _check_at_least_one(name, value):
    if value < 1:
        raise InputError(f"{name}: found {value}, expected at least 1")


def _checked_sentences(sentences):
    """The sentences as a list, if they are sentences."""
    _check_no_string(sentences)
    sentences = list(sentences)
    for index, sentence in enumerate(sentences):
        if isinstance(sentence, str):
            continue
        if not isinstance(sentence, list | tuple) or not all(
            isinstance(token, str) for token in sentence
        ):
            raise InputError(
                f"sentences[{index}]: found {sentence!r:.80}, expected a "
                "string or a list of strings"
            )
    return sentences


def _check_no_string(sentences):
    if isinstance(sentences, str):
        raise InputError("sentences: found one string, expected a list of them")


def _as_numpy(outputs):
    return {name: value.numpy() for name, value in outputs.items()}
