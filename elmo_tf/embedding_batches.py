"""Batches of sentences for embedding, bounded by the memory they take."""

# Layers of the sentences that run at once, and whose results wait for one
# another, for the memory: 8,192 tokens of the original biLM. With half as many
# it reads its weights nearly twice as often: some 10 % slower.
_MAX_BYTES = 96 * 2**20


def batches(sentences, token_bytes, batch_size=None):
    """Divides a stream of sentences into batches that the memory is meant for.

    Args:
        sentences: An iterable of token lists.
        token_bytes: What the layers of a token take.
        batch_size: Most sentences of a batch; None: as many as the memory
            allows.

    Yields:
        Sentences that follow one another in the stream, a list, and their
        batches, a list of lists of indices.
    """
    for chunk in chunks(sentences, max(1, _MAX_BYTES // token_bytes)):
        yield chunk, list(batches_by_length(chunk, batch_size))


def chunks(sentences, max_tokens):
    """Cuts a stream of sentences into lists that the memory is meant for.

    The last two are of like size: a small one would be slow.

    Args:
        sentences: An iterable of token lists.
        max_tokens: Most tokens of a list, sentence boundaries counted; only a
            sentence by itself may have more.

    Yields:
        Lists of sentences.
    """
    waiting = []
    n_waiting = 0
    for sentence in sentences:
        waiting.append(sentence)
        n_waiting += _n_tokens(sentence)
        while n_waiting > 2 * max_tokens and len(waiting) > 1:
            chunk = _first(waiting, max_tokens)
            n_waiting -= sum(map(_n_tokens, chunk))
            waiting = waiting[len(chunk) :]
            yield chunk
    if n_waiting > max_tokens:
        chunk = _first(waiting, (n_waiting + 1) // 2)
        waiting = waiting[len(chunk) :]
        yield chunk
    while waiting:
        chunk = _first(waiting, max_tokens)
        waiting = waiting[len(chunk) :]
        yield chunk


def _n_tokens(sentence):
    return len(sentence) + 2


def _first(sentences, max_tokens):
    """The first sentences, one at least, with at most so many tokens."""
    n_tokens = 0
    for index, sentence in enumerate(sentences):
        n_tokens += _n_tokens(sentence)
        if n_tokens > max_tokens and index > 0:
            return sentences[:index]
    return sentences


def batches_by_length(sentences, batch_size=None):
    """Divides sentences into batches of like length.

    Args:
        sentences: A list of token lists.
        batch_size: Most sentences of a batch; None: all are one.

    Yields:
        Lists of indices.
    """
    indices = sorted(range(len(sentences)), key=lambda i: len(sentences[i]))
    size = batch_size or max(len(indices), 1)
    for start in range(0, len(indices), size):
        yield indices[start : start + size]
