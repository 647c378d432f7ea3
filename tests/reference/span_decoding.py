"""The best spans, by trying each."""

import numpy as np


def best_spans(start_scores, end_scores, mask=None, max_length=None):
    """Lists all spans of one row, the best first.

    Args:
        start_scores: Float32 `[T]`.
        end_scores: Float32 `[T]`.
        mask: `[T]` bool, all True if None.
        max_length: The most tokens a span may have; None: any number.

    Returns:
        A list of tuples: start, end (included) and score. Of equal scores, the
        span with the smallest start, then the smallest end, comes first.
    """
    spans = []
    for start in range(len(start_scores)):
        for end in range(start, len(end_scores)):
            if mask is not None and not (mask[start] and mask[end]):
                continue
            if max_length is not None and end - start + 1 > max_length:
                continue
            score = np.float32(start_scores[start]) + np.float32(
                end_scores[end]
            )
            spans.append((start, end, score))
    return sorted(spans, key=lambda span: (-span[2], span[0], span[1]))
