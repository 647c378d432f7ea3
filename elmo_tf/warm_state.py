"""A typical LSTM state to start sentences from."""

import tensorflow as tf

from elmo_tf.token_batch import call_bilm
from elmo_tf.token_batch import pad_tokens

# Sentences that run side by side, each row carrying its state.
_ROWS = 32


def warm_state(bilm, sentences, max_sentences=3200, lookup=None):
    """Runs a biLM over text and averages the states that sentences end in.

    bilm-tf and AllenNLP carry states from one sentence to the next, as in
    training, so their users warm a model up on some text first. This state is
    what such a warm-up leads to, the same for every sentence.

    Args:
        bilm: The `BiLM`, built.
        sentences: An iterable of lists of tokens, str or UTF-8 bytes.
        max_sentences: How many sentences to use at most.
        lookup: As in `call_bilm`, for word input.

    Returns:
        The state, as `BiLM`'s `initial_state` with one row.

    Raises:
        ValueError: There are no sentences.
    """

    @tf.function(reduce_retracing=True)
    def run(tokens, sequence_len, state):
        outputs = call_bilm(bilm, tokens, sequence_len, state, lookup)
        return outputs["final_state"]

    total = bilm.zero_state(1)
    count = 0
    state = bilm.zero_state(_ROWS)
    for batch in _batches(sentences, max_sentences):
        n_rows = len(batch)
        rows_state = run(**pad_tokens(batch), state=_first_rows(state, n_rows))
        sums = tf.nest.map_structure(
            lambda part: tf.reduce_sum(part, axis=0, keepdims=True), rows_state
        )
        total = tf.nest.map_structure(tf.add, total, sums)
        count += n_rows
        if n_rows == _ROWS:
            state = rows_state
    if count == 0:
        raise ValueError("no sentences to warm up on")
    return tf.nest.map_structure(lambda part: part / count, total)


def _first_rows(state, n_rows):
    return tf.nest.map_structure(lambda part: part[:n_rows], state)


def _batches(sentences, max_sentences):
    batch = []
    for index, sentence in enumerate(sentences):
        if index == max_sentences:
            break
        batch.append(sentence)
        if len(batch) == _ROWS:
            yield batch
            batch = []
    if batch:
        yield batch
