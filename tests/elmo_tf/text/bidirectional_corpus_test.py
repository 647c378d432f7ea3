"""Both directions together are the two readers."""

import json

import pytest

from elmo_tf.errors import InputError
from elmo_tf.text.bidirectional_corpus import BidirectionalCorpusReader
from elmo_tf.text.corpus import CorpusReader


@pytest.fixture
def corpus(tmp_path):
    for shard in range(3):
        lines = (f"a{shard}.{i} b c{i}" for i in range(10))
        (tmp_path / f"{shard}.txt").write_text("\n".join(lines))
    return f"{tmp_path}/*.txt"


@pytest.mark.parametrize("shuffle", [False, True])
def test_equals_the_two_readers(corpus, shuffle):
    both = BidirectionalCorpusReader(corpus, 3, 4, seed=1, shuffle=shuffle)
    forward = CorpusReader(corpus, 3, 4, 1, shuffle)
    backward = CorpusReader(corpus, 3, 4, 1, shuffle, backward=True)
    for _ in range(40):
        window = both.next_window()
        inputs, targets = forward.next_window()
        reverse_inputs, reverse_targets = backward.next_window()
        assert {name: array.tolist() for name, array in window.items()} == {
            "inputs": inputs.tolist(),
            "targets": targets.tolist(),
            "reverse_inputs": reverse_inputs.tolist(),
            "reverse_targets": reverse_targets.tolist(),
        }


def test_the_directions_see_different_sentences(corpus):
    reader = BidirectionalCorpusReader(corpus, 20, 1, seed=1)
    window = reader.next_window()
    # The first words are aSHARD.NUMBER, the last ones cNUMBER.
    forward = [word.split(b".")[1] for word in window["targets"][:, 0]]
    backward = [word[1:] for word in window["reverse_targets"][:, 0]]
    assert forward != backward


def test_one_direction(corpus):
    reader = BidirectionalCorpusReader(corpus, 3, 4, 1, bidirectional=False)
    window = reader.next_window()
    assert set(window) == {"inputs", "targets"}
    assert set(reader.state()) == {"forward"}
    inputs, _ = CorpusReader(corpus, 3, 4, 1).next_window()
    assert window["inputs"].tolist() == inputs.tolist()


@pytest.mark.parametrize("bidirectional", [False, True])
def test_resume(corpus, bidirectional):
    def reader():
        return BidirectionalCorpusReader(
            corpus, 3, 4, seed=1, bidirectional=bidirectional
        )

    uninterrupted = reader()
    for _ in range(50):
        resumed = reader()
        resumed.restore(json.loads(json.dumps(uninterrupted.state())))
        expected = uninterrupted.next_window()
        window = resumed.next_window()
        assert window.keys() == expected.keys()
        for name in expected:
            assert window[name].tolist() == expected[name].tolist()


@pytest.mark.parametrize("state", [None, {}, {"forward": {}}])
def test_state_of_other_directions(corpus, state):
    reader = BidirectionalCorpusReader(corpus, 3, 4, seed=1)
    with pytest.raises(InputError) as info:
        reader.restore(state)
    assert str(info.value) == (
        "corpus position: not one saved for the directions forward and backward"
    )


def test_the_directions_share_a_file_in_memory(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("a b\nc d\n")
    reader = BidirectionalCorpusReader(path, 1, 3, seed=1)
    reader.next_window()
    forward, backward = reader._readers.values()
    assert forward._shard is backward._shard
