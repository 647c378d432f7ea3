from elmo_tf import embedding_batches
from elmo_tf.embedding_batches import batches
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
        found = list(batches_by_length(sentences, 4))
        assert found == [[1, 5, 2, 0], [4, 3]]

    def test_all_in_one(self):
        assert list(batches_by_length(sentences_of([3, 0]))) == [[1, 0]]

    def test_of_a_stream(self, monkeypatch):
        lengths = [i * 37 % 23 for i in range(200)]
        monkeypatch.setattr(embedding_batches, "_MAX_BYTES", 400 * 8)
        for batch_size in (None, 7):
            sentences = []
            for chunk, all_indices in batches(
                iter(sentences_of(lengths)), 8, batch_size
            ):
                sentences += chunk
                assert sum(len(sentence) + 2 for sentence in chunk) <= 400
                assert sorted(sum(all_indices, [])) == list(range(len(chunk)))
                if batch_size is None:
                    assert len(all_indices) == 1
                else:
                    assert len(all_indices) == -(-len(chunk) // batch_size)
                    assert max(map(len, all_indices)) <= batch_size
            assert [len(sentence) for sentence in sentences] == lengths

    def test_no_sentences(self):
        assert list(batches_by_length([])) == []
        assert list(batches_by_length([], 3)) == []
