"""From raw contexts and questions to answers, in the graph."""

import typing

import tensorflow as tf

from bidaf_tf import word_tokenizer

# Enough that the model's steps are well used, few enough for the memory.
_WINDOWS_AT_ONCE = 16


class _Windows(typing.NamedTuple):
    """The windows of a batch of contexts, each int32 `[windows]`.

    Attributes:
        rows: Of which context each is.
        starts: The number of its first token there.
        lengths: How many tokens it has.
    """

    rows: tf.Tensor
    starts: tf.Tensor
    lengths: tf.Tensor


def tokenize(texts):
    """Splits texts into the tokens that models take.

    Args:
        texts: String `[batch]`.

    Returns:
        The `Tokens` of `word_tokenizer`; a blank text has one, which is empty
        and at offset 0, as models take one at least.
    """
    tokens = word_tokenizer.tokenize(texts)
    n_missing = tf.cast(tokens.starts.row_lengths() == 0, tf.int64)
    nothing = tf.RaggedTensor.from_row_lengths(
        tf.zeros([tf.reduce_sum(n_missing)], tf.int32), n_missing
    )
    no_text = nothing.with_flat_values(tf.fill(tf.shape(nothing.values), ""))
    return word_tokenizer.Tokens(
        tf.concat([tokens.texts, no_text], axis=1),
        tf.concat([tokens.starts, nothing], axis=1),
        tf.concat([tokens.ends, nothing], axis=1),
    )


def answer_strings(strings, answer, n, max_length=None, stride=None):
    """Answers questions about contexts of any length.

    Long contexts are answered in windows, a few at a time, and the windows'
    answers compared, as `tasks.squad.data` and `rank_answers` do it.

    Args:
        strings: A list of the contexts and the questions, string `[batch]`.
            Where bytes are not UTF-8, a text is taken for what decoding with
            U+FFFD in their place gives.
        answer: A function from a list of tokens, string `[batch, time]`, and
            their numbers, int32 `[batch]`, of contexts and of questions to what
            `SquadTask.decode` gives.
        n: How many answers to give; `answer` must find as many.
        max_length: Number of tokens from which on a context becomes several
            windows; None: none does, and all run at once.
        stride: Tokens between the beginnings of two of its windows.

    Returns:
        A dictionary: `answers`, `starts`, `ends` and `scores`, `[batch, n]`, of
        the n best, with offsets in characters and probabilities; `answer`,
        `start`, `end` and `score`, `[batch]`, of the best one. Where there are
        fewer answers, the rest are empty texts at 0 with score 0.
    """
    contexts, questions = (
        tf.strings.unicode_transcode(texts, "UTF-8", "UTF-8")
        for texts in strings
    )
    context, question = tokenize(contexts), tokenize(questions)
    windows = _make_windows(context.starts.row_lengths(), max_length, stride)

    def answer_windows(chosen):
        return answer(
            [
                _window_tokens(context.texts, chosen),
                _padded(tf.gather(question.texts, chosen.rows)),
            ]
        )

    if max_length is None:
        found = answer_windows(windows)
    else:
        found = _answer_in_parts(windows, answer_windows, n)
    first, last, scores = _rank(windows, found, n, tf.size(contexts))
    starts, ends = _look_up(context.starts, first), _look_up(context.ends, last)
    is_answer = ends > starts
    starts, ends = tf.where(is_answer, starts, 0), tf.where(is_answer, ends, 0)
    several = {
        "answers": tf.strings.substr(
            tf.repeat(contexts[:, tf.newaxis], n, axis=1),
            starts,
            ends - starts,
            unit="UTF8_CHAR",
        ),
        "starts": starts,
        "ends": ends,
        "scores": tf.where(is_answer, scores, 0.0),
    }
    one = {
        name.removesuffix("s"): values[:, 0] for name, values in several.items()
    }
    return {**several, **one}


def _make_windows(n_tokens, max_length, stride):
    n_tokens = tf.cast(n_tokens, tf.int32)
    if max_length is None:
        rows = tf.range(tf.size(n_tokens))
        return _Windows(rows, tf.zeros_like(rows), n_tokens)
    # What does not fit into the first window.
    rest = tf.maximum(n_tokens - max_length, 0)
    # Ceiling division.
    numbers = tf.ragged.range(1 - (-rest // stride))
    rows = tf.cast(numbers.value_rowids(), tf.int32)
    return _Windows(
        rows,
        # The last one reaches the end.
        tf.minimum(numbers.flat_values * stride, tf.gather(rest, rows)),
        tf.gather(n_tokens - rest, rows),
    )


def _answer_in_parts(windows, answer_windows, n):
    """Answers a few windows at a time, those of like length together."""
    order = tf.argsort(windows.lengths, stable=True)
    windows = _Windows(*(tf.gather(values, order) for values in windows))
    signature = {
        "starts": tf.RaggedTensorSpec([None, n], tf.int32, ragged_rank=0),
        "ends": tf.RaggedTensorSpec([None, n], tf.int32, ragged_rank=0),
        "ranks": tf.RaggedTensorSpec([None, n], tf.float32, ragged_rank=0),
        "totals": tf.RaggedTensorSpec([None], tf.float32, ragged_rank=0),
    }

    def answer_part(start):
        part = slice(start, start + _WINDOWS_AT_ONCE)
        found = answer_windows(_Windows(*(values[part] for values in windows)))
        return {name: found[name] for name in signature}

    parts = tf.map_fn(
        answer_part,
        # One, which is empty, where there is no context.
        tf.range(0, tf.maximum(tf.size(order), 1), _WINDOWS_AT_ONCE),
        fn_output_signature=signature,
        # The memory would be several parts'.
        parallel_iterations=1,
    )
    place = tf.math.invert_permutation(order)
    return {
        name: tf.gather(values.merge_dims(0, 1), place)
        for name, values in parts.items()
    }


def _rank(windows, found, n, batch):
    """Finds each context's n best answers in all its windows.

    Args:
        windows: The `_Windows`.
        found: What `SquadTask.decode` gave for them.
        n: How many.
        batch: The number of contexts.

    Returns:
        The numbers of the first and of the last token in the context, int32
        `[batch, n]`, and the probabilities, float32; what is not there is -1,
        -1 and 0.
    """
    totals = _segment_log_sums(found["totals"], windows.rows, batch)
    # The rest are not there or at padding. [windows, n]
    is_span = (found["starts"] >= 0) & (
        found["ends"] < windows.lengths[:, tf.newaxis]
    )
    rows, firsts, lasts = (
        tf.cast(
            tf.boolean_mask(
                tf.broadcast_to(values, tf.shape(is_span)), is_span
            ),
            tf.int64,
        )
        for values in (
            windows.rows[:, tf.newaxis],
            found["starts"] + windows.starts[:, tf.newaxis],
            found["ends"] + windows.starts[:, tf.newaxis],
        )
    )
    ranks = tf.boolean_mask(found["ranks"], is_span)
    # Two windows may have the same span. One number for row, first and last:
    n_tokens = tf.cast(
        tf.reduce_max(windows.starts + windows.lengths), tf.int64
    )
    spans, indices = tf.unique((rows * n_tokens + firsts) * n_tokens + lasts)
    ranks = tf.math.unsorted_segment_max(ranks, indices, tf.size(spans))
    # Rows of spans, in the order of the windows.
    candidates = tf.RaggedTensor.from_value_rowids(
        ranks, spans // n_tokens**2, tf.cast(batch, tf.int64)
    )
    # [batch, n]
    ranks, places = tf.math.top_k(
        _with_n_columns(candidates, n, -float("inf")), n
    )
    firsts, lasts = (
        tf.cast(
            tf.gather(
                _with_n_columns(candidates.with_flat_values(values), n, -1),
                places,
                batch_dims=1,
            ),
            tf.int32,
        )
        for values in (spans // n_tokens % n_tokens, spans % n_tokens)
    )
    # Rounded, the sum may be less than its only part.
    scores = tf.minimum(tf.exp(ranks - totals[:, tf.newaxis]), 1.0)
    return firsts, lasts, scores


def _segment_log_sums(values, segments, n_segments):
    """The log of the sum of exp of the values of each segment."""
    largest = tf.math.unsorted_segment_max(values, segments, n_segments)
    sums = tf.math.unsorted_segment_sum(
        tf.exp(values - tf.gather(largest, segments)), segments, n_segments
    )
    return largest + tf.math.log(sums)


def _with_n_columns(ragged, n, value):
    """A ragged tensor as a dense one, with n columns more."""
    padded = ragged.to_tensor(default_value=tf.cast(value, ragged.dtype))
    return tf.pad(padded, [[0, 0], [0, n]], constant_values=value)


def _window_tokens(texts, windows):
    """The tokens of windows, string `[windows, time]`, and their numbers."""
    time = tf.reduce_max(tf.concat([windows.lengths, [1]], axis=0))
    mask = tf.sequence_mask(windows.lengths, time)
    begin = tf.cast(tf.gather(texts.row_starts(), windows.rows), tf.int32)
    # [windows, 1] + [time] → [windows, time]
    places = (begin + windows.starts)[:, tf.newaxis] + tf.range(time)
    tokens = tf.gather(texts.flat_values, tf.where(mask, places, 0))
    return tf.where(mask, tokens, ""), windows.lengths


def _padded(tokens):
    """Tokens `[batch, time]` with one step at least, and their numbers."""
    shape = tf.maximum(tokens.bounding_shape(), [0, 1])
    return (
        tokens.to_tensor(default_value="", shape=shape),
        tf.cast(tokens.row_lengths(), tf.int32),
    )


def _look_up(offsets, places):
    """Looks up tokens' offsets at places `[batch, n]`; -1 stays."""
    begin = tf.cast(offsets.row_starts(), tf.int32)[:, tf.newaxis]
    found = tf.gather(
        offsets.flat_values, tf.where(places >= 0, begin + places, 0)
    )
    return tf.where(places >= 0, found, -1)
