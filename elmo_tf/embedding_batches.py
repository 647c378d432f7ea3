"""Batches of sentences for embedding, bounded by the memory they take."""

# The sentences of a batch are sorted by length, so that few of them go on alone
# for long; results come in the order given, so the more are sorted at once, the
# more results wait.
_BATCHES_SORTED_TOGETHER = 2


def token_counts(sentences):
    """Counts the positions that sentences take, their boundaries included.

    Args:
        sentences: A list of token lists.

    Returns:
        A list of integers.
    """
    return [len(tokens) + 2 for tokens in sentences]


def chunks(sentences, batch_size, max_tokens):
    """Cuts a stream of sentences into lists to sort and embed together.

    Args:
        sentences: An iterable of token lists.
        batch_size: Most sentences of a batch; None: no bound.
        max_tokens: Most tokens of a batch, boundaries counted.

    Yields:
        Lists of sentences, of a few batches each.
    """
    max_sentences = batch_size and batch_size * _BATCHES_SORTED_TOGETHER
    max_tokens *= _BATCHES_SORTED_TOGETHER
    chunk = []
    n_tokens = 0
    for sentence in sentences:
        (size,) = token_counts([sentence])
        if chunk and (
            len(chunk) == max_sentences or n_tokens + size > max_tokens
        ):
            yield chunk
            chunk = []
            n_tokens = 0
        chunk.append(sentence)
        n_tokens += size
    if chunk:
        yield chunk


def batches_by_length(sentences, batch_size, max_tokens):
    """Divides a list of sentences into batches of like length.

    The batches take about as many tokens each: a small one would be slow.

    Args:
        sentences: A list of token lists.
        batch_size: Most sentences of a batch; None: no bound.
        max_tokens: Most tokens of a batch, boundaries counted; only a sentence
            by itself may have more.

    Yields:
        Lists of indices.
    """
    counts = token_counts(sentences)
    total = sum(counts)
    n_batches = -(-total // max_tokens)
    target = min(max_tokens, -(-total // max(n_batches, 1)))
    batch = []
    n_tokens = 0
    for index in sorted(range(len(sentences)), key=lambda i: counts[i]):
        size = counts[index]
        if batch and (
            len(batch) == batch_size
            or n_tokens >= target
            or n_tokens + size > max_tokens
        ):
            yield batch
            batch = []
            n_tokens = 0
        batch.append(index)
        n_tokens += size
    if batch:
        yield batch
