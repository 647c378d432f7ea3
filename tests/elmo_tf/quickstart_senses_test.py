"""Ambiguous words, with vectors made by hand."""

import numpy as np
import pytest

from elmo_tf import quickstart_senses
from elmo_tf.senses.examples import read_examples

WORD = quickstart_senses.WORD


class FakeElmo:
    """Token layer: a word's letters; upper layer: the sense, and the sentence.

    The upper layer's vector of the labelled word stands by that of its right
    neighbour.
    """

    def embed(self, sentences):
        occurrences = read_examples()
        senses = sorted({found.sense for found in occurrences})
        arrays = []
        for index, (tokens, found) in enumerate(
            zip(sentences, occurrences, strict=True)
        ):
            assert tuple(tokens) == found.tokens
            array = np.zeros((2, len(tokens), 64), np.float32)
            for place, token in enumerate(tokens):
                for letter in token.lower():
                    array[0, place, ord(letter) % 64] += 1
            array[1, :, -1] = 1
            for place in (found.position, found.position + 1):
                array[1, place] = 0
                array[1, place, senses.index(found.sense)] = 1
                array[1, place, 60] = 0.001 * index
            arrays.append(array)
        return arrays


@pytest.fixture(scope="module")
def compared():
    return quickstart_senses.compare_senses(FakeElmo())


def test_accuracies(compared):
    results, _ = compared
    assert results["accuracies"][WORD] == {
        "layers": [pytest.approx(9 / 19), 1.0],
        "most_frequent_sense": 0.5,
    }


def test_neighbours(compared):
    results, _ = compared
    occurrences = [found for found in read_examples() if found.word == WORD]
    senses = list(dict.fromkeys(found.sense for found in occurrences))
    assert list(results["neighbours"]) == senses
    for sense, found in results["neighbours"].items():
        first = next(o for o in occurrences if o.sense == sense)
        assert found["sentence"].replace(f"[{WORD}]", WORD) == " ".join(
            first.tokens
        )
        token_layer, top_layer = found["layers"]
        # All are equally near; the words are those of like letters.
        assert token_layer["occurrences"] == []
        assert WORD not in token_layer["words"]
        assert len(set(token_layer["words"])) == 5
        assert [
            neighbour_sense
            for _, neighbour_sense, _ in top_layer["occurrences"]
        ] == [sense, sense]
        similarities = [row[0] for row in top_layer["occurrences"]]
        assert similarities == sorted(similarities, reverse=True)
        # What stands on the right of the word.
        assert top_layer["words"][0] == first.tokens[first.position + 1].lower()


def test_maps(compared):
    _, maps = compared
    first, second = maps.values()
    assert first.shape == second.shape == (2, 10, 2)
    # All in one point, and in two.
    np.testing.assert_allclose(first[0], 0, atol=1e-6)
    distance = np.linalg.norm(first[1].mean(axis=0) - second[1].mean(axis=0))
    assert distance == pytest.approx(2**0.5, abs=0.05)
