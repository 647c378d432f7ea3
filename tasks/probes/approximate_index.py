"""The approximate search for the nearest of very many vectors, by FAISS."""

import math

import numpy as np

from elmo_tf.atomic_file import write_file

# Below so many there is nothing to approximate, and too little to learn from.
LEAST_VECTORS = 1000

_ROWS_AT_ONCE = 65536
# Vectors to learn each list's centre from.
_SAMPLE_OF_LIST = 64
# Which part of the lists is searched.
_SEARCHED_SHARE = 16


class ApproximateIndex:
    """Lists of like vectors, of which a search reads the nearest lists.

    A list holds a code of each vector, a byte for each value. Codes only
    choose candidates: their cosines are to be computed from the vectors.

    Args:
        path: The file that `build` has written. It stays on disk, mapped.
    """

    def __init__(self, path):
        import faiss

        self._index = faiss.read_index(path, faiss.IO_FLAG_MMAP)
        n_lists = self._index.nlist
        self._index.nprobe = max(8, math.ceil(n_lists / _SEARCHED_SHARE))

    @staticmethod
    def build(path, vectors, progress=None):
        """Makes the lists.

        Args:
            path: The file to write; appears when it is complete.
            vectors: Float array `[rows, dim]` of vectors of length one,
                `LEAST_VECTORS` or more; it may be on disk. In memory is a
                sample of them, and the codes of all.
            progress: Called with the number of vectors done, and of those that
                were done since the last call; None: nothing is called.
        """
        import faiss

        n_rows, dim = vectors.shape
        n_lists = max(1, math.isqrt(n_rows))
        index = faiss.index_factory(
            dim, f"IVF{n_lists},SQ8", faiss.METRIC_INNER_PRODUCT
        )
        # Fewer are no reason to complain.
        index.cp.min_points_per_centroid = 1
        n_sample = min(n_rows, max(LEAST_VECTORS, _SAMPLE_OF_LIST * n_lists))
        sample = np.random.default_rng(0).choice(
            n_rows, n_sample, replace=False, shuffle=False
        )
        index.train(vectors[np.sort(sample)].astype(np.float32))
        for start in range(0, n_rows, _ROWS_AT_ONCE):
            block = vectors[start : start + _ROWS_AT_ONCE]
            index.add(block.astype(np.float32))
            if progress is not None:
                progress(start + len(block), len(block))
        with write_file(path) as partial:
            faiss.write_index(index, partial)

    def candidates(self, query, n):
        """Finds vectors that may be the nearest.

        Args:
            query: Float32 `[dim]`, of length one.
            n: How many to find.

        Returns:
            Numbers of rows, int64, rising; n of them at most.
        """
        _, rows = self._index.search(query[None], n)
        return np.sort(rows[rows >= 0])
