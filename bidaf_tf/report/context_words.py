"""The words of contexts, and their vectors in a model's two spaces."""

import dataclasses

import numpy as np

from bidaf_tf.word_tokenizer import tokenize_to_lists

# Characters of context on each side of a word that is shown in its place.
_EXCERPT = 30
_CONTEXTS_AT_ONCE = 100


@dataclasses.dataclass(frozen=True)
class ContextWords:
    """The words of some contexts, one after another.

    Attributes:
        words: A list of str.
        excerpts: A list of where each stands, a few words with it in brackets.
        contextual_vectors: Float32 array `[words, features]`.
        word_vectors: Likewise, in the word space; None: the model reads no
            words.
        is_known: Bool array `[words]`: which have a vector of their own in
            the word space; None: likewise.
        n_contexts: How many contexts they are of.
        n_all_contexts: How many there were to choose from.
    """

    words: list
    excerpts: list
    contextual_vectors: np.ndarray
    word_vectors: np.ndarray | None
    is_known: np.ndarray | None
    n_contexts: int
    n_all_contexts: int

    @property
    def first_places(self):
        """Where each word that has a vector of its own stands first.

        In the word space all its places have the same vector.
        """
        places = {}
        for index in np.flatnonzero(self.is_known).tolist():
            places.setdefault(self.words[index], index)
        return list(places.values())


def choose_contexts(questions, most_words, generator):
    """Draws contexts until they hold a number of words.

    Args:
        questions: A list of `SquadQuestion`.
        most_words: The largest number of tokens in all; one context at least
            is drawn.
        generator: A NumPy generator.

    Returns:
        A tuple of the contexts drawn, in the order of the questions, and how
        many there are.
    """
    contexts = list(dict.fromkeys(question.context for question in questions))
    order = generator.permutation(len(contexts)).tolist()
    drawn, n_words = [], 0
    for index, length in zip(order, _lengths(contexts, order), strict=False):
        n_words += length
        if drawn and n_words > most_words:
            break
        drawn.append(index)
    return [contexts[index] for index in sorted(drawn)], len(contexts)


def gather_context_words(model, contexts, n_all_contexts):
    """Looks up the words of contexts in a model.

    Args:
        model: The `ExportedModel`.
        contexts: A list of contexts.
        n_all_contexts: How many they were drawn from.

    Returns:
        The `ContextWords`, in the contexts' order.
    """
    texts = [None] * len(contexts)
    # The encoder reads a context without its question.
    for index, inspection in model.inspect(
        [(text, "") for text in contexts], "context"
    ):
        texts[index] = inspection.context
    words, excerpts = [], []
    for context, text in zip(contexts, texts, strict=True):
        words += text.tokens
        excerpts += [
            _excerpt(context, start, end)
            for start, end in zip(
                text.starts.tolist(), text.ends.tolist(), strict=True
            )
        ]
    reads_words = texts[0].word_vectors is not None
    return ContextWords(
        words,
        excerpts,
        np.concatenate([text.contextual_vectors for text in texts]),
        np.concatenate([text.word_vectors for text in texts])
        if reads_words
        else None,
        np.concatenate([text.is_known for text in texts])
        if reads_words
        else None,
        len(contexts),
        n_all_contexts,
    )


def _lengths(contexts, order):
    """Yields the numbers of tokens of contexts."""
    for start in range(0, len(order), _CONTEXTS_AT_ONCE):
        indices = order[start : start + _CONTEXTS_AT_ONCE]
        for tokens in tokenize_to_lists([contexts[i] for i in indices]):
            yield len(tokens.texts)


def _excerpt(context, start, end):
    before = context[max(0, start - _EXCERPT) : start].lstrip()
    after = context[end : end + _EXCERPT].rstrip()
    return f"…{before}[{context[start:end]}]{after}…"
