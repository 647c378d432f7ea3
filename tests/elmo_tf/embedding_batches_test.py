import pytest

from elmo_tf.embedding_batches import batches_by_length
from elmo_tf.embedding_batches import chunks


def sentences_of(lengths):
    return [["a"] * n for n in lengths]


def batches(lengths, batch_size, max_tokens):
    """The lengths of each batch, after a check that nothing is lost."""
    indices = list(
        batches_by_length(sentences_of(lengths), batch_size, max_tokens)
    )
    assert sorted(sum(indices, [])) == list(range(len(lengths)))
    return [[lengths[index] for index in batch] for batch in indices]


class TestBatches:
    def test_one_batch_where_all_fits(self):
        assert batches([3, 0, 5], None, 14) == [[0, 3, 5]]

    def test_a_bound_on_the_sentences(self):
        assert batches([3, 1, 2, 5, 4], 2, 1000) == [[1, 2], [3, 4], [5]]

    def test_a_sentence_with_too_many_tokens_runs_alone(self):
        assert batches([3, 25, 3, 8, 0, 3], None, 20) == [
            *([0, 3, 3, 3], [8], [25]),
        ]

    def test_batches_share_the_tokens(self):
        # 4 tokens each with the boundaries: 10 fit, 12 are there.
        assert batches([2] * 12, None, 40) == [[2] * 6, [2] * 6]

    def test_no_sentences(self):
        assert batches([], None, 10) == []

    @pytest.mark.parametrize("batch_size", [None, 3])
    def test_bounds_hold(self, batch_size):
        lengths = [i * 37 % 23 for i in range(200)]
        found = batches(lengths, batch_size, 50)
        for batch in found:
            assert len(batch) <= (batch_size or len(batch))
            assert sum(n + 2 for n in batch) <= 50 or len(batch) == 1


class TestChunks:
    def test_order_and_bound(self):
        lengths = [i * 37 % 23 for i in range(200)]
        found = list(chunks(iter(sentences_of(lengths)), None, 50))
        assert [len(s) for chunk in found for s in chunk] == lengths
        for chunk in found:
            assert sum(len(s) + 2 for s in chunk) <= 100
        # As full as they may be.
        for chunk, following in zip(found, found[1:], strict=False):
            n_tokens = sum(len(s) + 2 for s in [*chunk, following[0]])
            assert n_tokens > 100

    def test_a_bound_on_the_sentences(self):
        found = chunks(sentences_of([1] * 5), 1, 1000)
        assert [len(chunk) for chunk in found] == [2, 2, 1]

    def test_a_sentence_with_too_many_tokens(self):
        found = chunks(sentences_of([1, 99, 1]), None, 10)
        assert [[len(s) for s in chunk] for chunk in found] == [[1], [99], [1]]

    def test_reads_no_further_than_it_must(self):
        def stream():
            yield from sentences_of([1, 1, 1])
            raise AssertionError("read too far")

        assert len(next(chunks(stream(), 1, 1000))) == 2

    def test_no_sentences(self):
        assert list(chunks([], None, 10)) == []
