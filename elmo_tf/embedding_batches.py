"""Batches of sentences for embedding, bounded by the memory they take."""

import bisect
import itertools

# Layers of the sentences that are read ahead to be sorted by length, and of
# those that run at once, for the memory: 8,192 and 4,096 tokens of the original
# biLM.
_MAX_CHUNK_BYTES = 96 * 2**20
_MAX_BATCH_BYTES = 48 * 2**20


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
    for chunk in chunks(sentences, max(1, _MAX_CHUNK_BYTES // token_bytes)):
        yield (
            chunk,
            list(
                batches_by_length(
                    chunk, max(1, _MAX_BATCH_BYTES // token_bytes), batch_size
                )
            ),
        )


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


def batches_by_length(sentences, max_tokens, batch_size=None):
    """Divides sentences into batches of like length.

    Args:
        sentences: A list of token lists.
        max_tokens: Most tokens of a batch, sentence boundaries counted; only a
            sentence by itself may have more.
        batch_size: Most sentences of a batch; None: as many as `max_tokens`
            allows.

    Yields:
        Lists of indices.
    """
    indices = sorted(range(len(sentences)), key=lambda i: len(sentences[i]))
    # Tokens up to each sentence.
    ends = list(itertools.accumulate(_n_tokens(sentences[i]) for i in indices))
    n_batches = -(-ends[-1] // max_tokens) if ends else 0
    start = n_done = 0
    while start < len(indices):
        # Batches of like size: a small one would be slow.
        share = -(-(ends[-1] - n_done) // max(n_batches, 1))
        end = bisect.bisect_right(ends, n_done + min(share, max_tokens))
        end = max(end, start + 1)
        if batch_size is not None:
            end = min(end, start + batch_size)
        yield indices[start:end]
        start = end
        n_done = ends[end - 1]
        n_batches -= 1
