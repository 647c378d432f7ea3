"""The tokens of a text that a served biLM uses most like a sentence's."""

import asyncio
import collections
import hashlib
import weakref

import grpc
import numpy as np

from elmo_tf.nearest_rows import nearest_rows
from elmo_tf.nearest_rows import unit_vectors
from elmo_tf.senses.examples import read_sentences
from elmo_tf.serving.serving_error import ServingError
from elmo_tf.text.sentences import break_sentences

# Of the sentence in question, whose neighbours are found all at once.
MAX_SENTENCE_TOKENS = 100
# 100 MB of the original biLM's vectors.
MAX_TEXT_TOKENS = 8192
# Of each version of a model.
_MAX_CACHED_BYTES = 2**27
_MAX_CACHED_TEXTS = 16
_ROWS_AT_ONCE = 32
_STRINGS_AT_ONCE = 256


class NeighbourSearch:
    """The tokens of a text that a served biLM uses most like a sentence's.

    Near is what has a large cosine, in each layer by itself (table 4 of Peters
    et al. 2018). The vectors of a text are kept for the next sentence, as long
    as its version of the model is loaded and the memory that they may take
    suffices; if a request ends before they are all there, the next goes on.

    Its methods run in the event loop, everything longer in the server's
    threads.

    Args:
        server: The `ModelServer`.
    """

    def __init__(self, server):
        self._server = server
        # From each loaded version to its texts, the last used one last.
        self._texts = weakref.WeakKeyDictionary()
        # Of each loaded version, so that one text is embedded at a time.
        self._locks = weakref.WeakKeyDictionary()
        self._n_running = 0

    async def search(self, loaded, sentence, text, n, same_word):
        """Finds each token's neighbours in each layer.

        Args:
            loaded: The `LoadedVersion` of a biLM.
            sentence: A raw sentence, a str that has a UTF-8 form.
            text: The text to search, likewise; None: the sentences with
                ambiguous words that come with the package.
            n: How many neighbours to find.
            same_word: Whether to search other occurrences of the token only.

        Returns:
            A dictionary for JSON: the sentence's `tokens`; `neighbours`, a list
            by layer, token layer first, of a list by token of a list of lists
            of cosine, number of a sentence and place of a token there, nearest
            first; `sentences`, a dictionary from these numbers to lists of
            tokens; and how many there are to be found, `n_sentences` and
            `n_tokens`. Of the text the sentence itself, if it is there, is left
            out.

        Raises:
            ServingError: The sentence or the text is empty or too long, the
                model fails, or too many are searching already.
        """
        max_queue = self._server.limits.max_queue
        if self._n_running >= max_queue:
            raise ServingError(
                grpc.StatusCode.RESOURCE_EXHAUSTED,
                f"{max_queue} searches are waiting already; try again later",
            )
        self._n_running += 1
        try:
            return await self._search(loaded, sentence, text, n, same_word)
        finally:
            self._n_running -= 1

    async def _search(self, loaded, sentence, text, n, same_word):
        await self._server.convert(self._check_words, sentence, text)
        (tokens,) = await self._tokenize(loaded, "sentence", [sentence])
        _check_length("sentence", len(tokens), MAX_SENTENCE_TOKENS)
        # [n_layers, tokens, dim]
        query = (await self._embed(loaded, [tokens]))[0]
        async with self._locks.setdefault(loaded, asyncio.Lock()):
            indexed = await self._index(loaded, text)
        return await self._server.convert(
            indexed.describe_nearest, tokens, query, n, same_word
        )

    async def _index(self, loaded, text):
        """Returns the `_IndexedText` of a text, all its vectors there."""
        texts = self._texts.setdefault(loaded, collections.OrderedDict())
        key = text and hashlib.sha256(text.encode()).digest()
        if key not in texts:
            raw = await self._server.convert(_sentences, text)
            texts[key] = _IndexedText(await self._tokenize(loaded, "text", raw))
        texts.move_to_end(key)
        indexed = texts[key]
        while (batch := self._next_batch(indexed)) is not None:
            vectors = await self._embed(
                loaded, [indexed.sentences[number] for number in batch]
            )
            indexed.add(batch, vectors)
            while len(texts) > 1 and (
                len(texts) > _MAX_CACHED_TEXTS
                or sum(found.n_bytes for found in texts.values())
                > _MAX_CACHED_BYTES
            ):
                texts.popitem(last=False)
        return indexed

    def _next_batch(self, indexed):
        """The numbers of sentences to embed next; None: there are no more."""
        limits = self._server.limits
        batch = []
        for number in indexed.without_vectors:
            # The longest come first.
            longest = len(indexed.sentences[batch[0] if batch else number])
            n_rows = len(batch) + 1
            if batch and (
                n_rows > min(_ROWS_AT_ONCE, limits.max_rows)
                or n_rows * longest > limits.max_tokens
            ):
                break
            batch.append(number)
        return batch or None

    async def _tokenize(self, loaded, what, strings):
        """Returns a list of a list of tokens, bytes, of each raw sentence."""
        sentences = []
        for start in range(0, len(strings), _STRINGS_AT_ONCE):
            rows = strings[start : start + _STRINGS_AT_ONCE]
            outputs = await loaded.batcher.predict(
                "tokenize",
                {"strings": np.array([row.encode() for row in rows], object)},
            )
            sentences += [
                row[:length].tolist()
                for row, length in zip(
                    outputs["tokens"], outputs["sequence_len"], strict=True
                )
            ]
            _check_length(what, sum(map(len, sentences)), MAX_TEXT_TOKENS)
        if not any(sentences):
            raise ServingError.invalid(f"{what}: there is no word in it")
        return sentences

    async def _embed(self, loaded, sentences):
        """Returns a list of `[n_layers, tokens, dim]`, of length one."""
        lengths = np.array(list(map(len, sentences)), np.int32)
        tokens = np.full([len(sentences), lengths.max()], b"", object)
        for row, sentence in zip(tokens, sentences, strict=True):
            row[: len(sentence)] = sentence
        inputs = {"tokens": tokens, "sequence_len": lengths}
        self._server.check_inputs(loaded.model.signature("tokens"), inputs)
        outputs = await loaded.batcher.predict("tokens", inputs)

        def normalize():
            # [time, n_layers, dim] → [n_layers, tokens, dim]
            return [
                unit_vectors(np.swapaxes(row[:length], 0, 1))
                for row, length in zip(outputs["layers"], lengths, strict=True)
            ]

        return await self._server.convert(normalize)

    def _check_words(self, sentence, text):
        for what, value in (("sentence", sentence), ("text", text)):
            if value is not None:
                self._server.limits.check_strings(what, [value.encode()])


class _IndexedText:
    """A text and, after a while, the vectors of its tokens.

    Args:
        sentences: A list of lists of tokens, bytes.

    Attributes:
        sentences: The same.
        without_vectors: The numbers of the sentences whose vectors are not
            there yet, the longest ones first.
    """

    def __init__(self, sentences):
        self.sentences = sentences
        lengths = list(map(len, sentences))
        self.without_vectors = sorted(
            (number for number, length in enumerate(lengths) if length),
            key=lambda number: -lengths[number],
        )
        self._ends = np.cumsum(lengths)
        self._tokens = [token for sentence in sentences for token in sentence]
        # [n_layers, tokens, dim]
        self._vectors = None

    @property
    def n_bytes(self):
        """How much memory the vectors take."""
        return 0 if self._vectors is None else self._vectors.nbytes

    def add(self, numbers, vectors):
        """Adds vectors.

        Args:
            numbers: The numbers of the first sentences without vectors.
            vectors: A list of their float32 `[n_layers, tokens, dim]`.
        """
        if self._vectors is None:
            n_layers, _, dim = vectors[0].shape
            self._vectors = np.zeros(
                [n_layers, len(self._tokens), dim], np.float32
            )
        for number, rows in zip(numbers, vectors, strict=True):
            end = self._ends[number]
            self._vectors[:, end - rows.shape[1] : end] = rows
        del self.without_vectors[: len(numbers)]

    def describe_nearest(self, tokens, query, n, same_word):
        """See `NeighbourSearch.search`."""
        excluded = np.flatnonzero(
            np.repeat(
                [sentence == tokens for sentence in self.sentences],
                list(map(len, self.sentences)),
            )
        )
        found = [
            [
                self._nearest(layer, query[layer, place], n, rows, excluded)
                for place, rows in enumerate(self._rows(tokens, same_word))
            ]
            for layer in range(len(query))
        ]
        numbers = {
            number
            for by_token in found
            for neighbours in by_token
            for _, number, _ in neighbours
        }
        return {
            "tokens": _decode(tokens),
            "neighbours": found,
            "sentences": {
                number: _decode(self.sentences[number])
                for number in sorted(numbers)
            },
            "n_sentences": sum(map(bool, self.sentences)),
            "n_tokens": len(self._tokens),
        }

    def _rows(self, tokens, same_word):
        """Yields which tokens may be the neighbours of each; None: all."""
        for token in tokens:
            yield (
                [row for row, own in enumerate(self._tokens) if own == token]
                if same_word
                else None
            )

    def _nearest(self, layer, vector, n, rows, excluded):
        found = []
        for cosine, row in zip(
            *nearest_rows(self._vectors[layer], vector, n, rows, excluded),
            strict=True,
        ):
            number = int(np.searchsorted(self._ends, row, side="right"))
            start = int(self._ends[number]) - len(self.sentences[number])
            found.append([round(float(cosine), 6), number, int(row) - start])
        return found


def _sentences(text):
    """The raw sentences of a text."""
    if text is None:
        return read_sentences()
    lines = (" ".join(line.split()) for line in text.splitlines())
    return [
        sentence
        for found in break_sentences([line for line in lines if line])
        for sentence in found
    ]


def _decode(tokens):
    return [token.decode("utf-8", "replace") for token in tokens]


def _check_length(what, n_tokens, limit):
    if n_tokens > limit:
        raise ServingError.invalid(
            f"{what}: found {n_tokens} words and punctuation marks, at most "
            f"{limit} are allowed"
        )
