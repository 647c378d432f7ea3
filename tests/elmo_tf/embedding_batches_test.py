from elmo_tf.embedding_batches import batches_by_length
from elmo_tf.embedding_batches import chunks


def sentences_of(lengths):
    return [["a"] * n for n in lengths]


def lengths_of(lists):
    return [[len(sentence) for sentence in sentences] for sentences in lists]


class TestChunks:
    def test_order_and_bound(self):
        lengths = [i * 37 % 23 for i in range(200)]
        found = lengths_of(chunks(iter(sentences_of(lengths)), 100))
        assert sum(found, []) == lengths
        sizes = [sum(n + 2 for n in chunk) for chunk in found]
        assert max(sizes) <= 100
        # As full as they may be, but for the last ones.
        for size, following in zip(sizes[:-3], found[1:-2], strict=True):
            assert size + following[0] + 2 > 100

    def test_all_in_one(self):
        found = chunks(sentences_of([3, 4, 1]), 14)
        assert lengths_of(found) == [[3, 4, 1]]

    def test_the_last_two_are_of_like_size(self):
        found = chunks(sentences_of([2] * 6), 20)
        assert lengths_of(found) == [[2] * 3, [2] * 3]
        found = chunks(sentences_of([8] * 3), 20)
        assert lengths_of(found) == [[8], [8, 8]]

    def test_a_sentence_with_too_many_tokens(self):
        found = chunks(sentences_of([1, 99, 1]), 10)
        assert lengths_of(found) == [[1], [99], [1]]
        assert lengths_of(chunks(sentences_of([99]), 10)) == [[99]]

    def test_reads_no_further_than_it_must(self):
        def stream():
            yield from sentences_of([1] * 5)
            raise AssertionError("read too far")

        assert len(next(chunks(stream(), 6))) == 2

    def test_no_sentences(self):
        assert list(chunks([], 10)) == []


class TestBatches:
    def test_sorted_by_length(self):
        sentences = sentences_of([3, 1, 2, 5, 4, 1])
        found = list(batches_by_length(sentences, 100, 2))
        assert found == [[1, 5], [2, 0], [4, 3]]

    def test_all_in_one(self):
        assert list(batches_by_length(sentences_of([3, 0]), 7)) == [[1, 0]]

    def test_batches_of_like_size(self):
        lengths = [i * 37 % 23 for i in range(200)]
        found = list(batches_by_length(sentences_of(lengths), 400))
        order = sum(found, [])
        assert order == sorted(range(200), key=lambda i: lengths[i])
        sizes = [sum(lengths[i] + 2 for i in batch) for batch in found]
        assert len(sizes) == -(-sum(sizes) // 400)
        assert max(sizes) <= 400
        # Within two sentences.
        assert max(sizes) - min(sizes) <= 2 * 25

    def test_a_sentence_with_too_many_tokens(self):
        found = batches_by_length(sentences_of([99, 1, 50]), 10)
        assert list(found) == [[1], [2], [0]]

    def test_both_bounds(self):
        sentences = sentences_of([8, 1, 8, 1, 1, 8])
        found = list(batches_by_length(sentences, 20, 2))
        assert found == [[1, 3], [4, 0], [2, 5]]

    def test_no_sentences(self):
        assert list(batches_by_length([], 10)) == []
        assert list(batches_by_length([], 10, 3)) == []
