"""The exact search for the nearest of many vectors."""

import numpy as np

_ROWS_AT_ONCE = 32768
# So that equal vectors are equally near, whatever they are multiplied with.
_DIGITS = 6


def nearest_rows(vectors, query, n, rows=None, excluded=()):
    """Finds the vectors with the largest cosine to another one.

    Args:
        vectors: Float array `[rows, dim]` of vectors of length one; it may be
            on disk, a part of it is in memory at a time.
        query: Float32 `[dim]`, of length one.
        n: How many to find.
        rows: The numbers of the rows to search, rising; None: all.
        excluded: Numbers of rows that are not to be found.

    Returns:
        A tuple of the cosines, float32, and the rows' numbers, int64: at most n
        of both, the nearest first, of equally near ones the first first.
        Cosines are rounded to six digits.
    """
    best_cosines = np.empty(0, np.float32)
    best_rows = np.empty(0, np.int64)
    excluded = np.asarray(excluded, np.int64)
    n_rows = len(vectors) if rows is None else len(rows)
    for start in range(0, n_rows, _ROWS_AT_ONCE):
        end = min(start + _ROWS_AT_ONCE, n_rows)
        if rows is None:
            numbers = np.arange(start, end)
            block = vectors[start:end]
        else:
            numbers = np.asarray(rows[start:end], np.int64)
            block = vectors[numbers]
        cosines = np.round(block.astype(np.float32) @ query, _DIGITS)
        is_candidate = ~np.isin(numbers, excluded)
        if len(best_rows) == n:
            is_candidate &= cosines > best_cosines[-1]
        best_cosines = np.concatenate([best_cosines, cosines[is_candidate]])
        best_rows = np.concatenate([best_rows, numbers[is_candidate]])
        order = np.argsort(-best_cosines, kind="stable")[:n]
        best_cosines, best_rows = best_cosines[order], best_rows[order]
    return best_cosines, best_rows


def unit_vectors(vectors):
    """Divides vectors by their length.

    Args:
        vectors: Float array `[..., dim]`.

    Returns:
        Float32 `[..., dim]`; zeros stay zeros.
    """
    norms = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return (vectors / np.maximum(norms, 1e-12)).astype(np.float32)
