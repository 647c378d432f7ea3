import numpy as np
import pytest
import tensorflow as tf

from elmo_tf.inference import input_stretches
from elmo_tf.inference.input_stretches import InputStretches
from elmo_tf.inference.packed_sequences import PackedSequences


def stretches_of(lengths, index, n_inputs):
    """Each stretch's first step, the one after its last, inputs and rows."""
    sequences = PackedSequences(tf.constant(lengths, tf.int32))
    found = InputStretches(tf.constant(index, tf.int32), sequences, n_inputs)
    step, stretches = 0, []
    while step < sequences.n_steps:
        end, others, place = (part.numpy() for part in found.stretch(step))
        stretches.append((step, int(end), others, place))
        step = int(end)
    return sequences, found.frequent.numpy(), stretches


@pytest.mark.parametrize("lengths", [[7], [3, 3, 9, 1], [5] * 70])
@pytest.mark.parametrize("most", [1, 3, 20])
@pytest.mark.parametrize("most_frequent", [0, 2])
def test_every_row_finds_its_input(monkeypatch, lengths, most, most_frequent):
    monkeypatch.setattr(input_stretches, "_MAX_INPUTS", most)
    monkeypatch.setattr(input_stretches, "_MAX_FREQUENT", most_frequent)
    monkeypatch.setattr(input_stretches, "_FREQUENT_UNIT", 1)
    generator = np.random.default_rng(0)
    index = generator.integers(0, 12, sum(lengths))
    sequences, frequent, stretches = stretches_of(lengths, index, 12)
    assert [stretch[0] for stretch in stretches[1:]] == [
        stretch[1] for stretch in stretches[:-1]
    ]
    offsets = sequences.offsets.numpy()
    sizes = sequences.rounded_sizes.numpy()
    for first, end, others, place in stretches:
        last = end - 1
        rows = index[offsets[first] : offsets[last] + sizes[last]]
        inputs = np.concatenate([frequent, others])
        np.testing.assert_array_equal(inputs[place], rows)
        assert len(set(inputs)) == len(inputs)
        # One step may need more, it cannot be divided.
        assert len(others) <= most or end == first + 1
        # Another step would not have fitted.
        if end < len(sizes):
            more = index[offsets[first] : offsets[end] + sizes[end]]
            assert len(set(more) - set(frequent)) > most


def test_rows_that_end_after_those_of_the_next_step(monkeypatch):
    monkeypatch.setattr(input_stretches, "_MAX_INPUTS", 1)
    # 257 rows, rounded up to 264, then one at a time.
    lengths = [12] + [1] * 256
    index = [0] * 259 + list(range(1, 10))
    sequences, _, stretches = stretches_of(lengths, index, None)
    offsets = sequences.offsets.numpy()
    ends = offsets + sequences.rounded_sizes.numpy()
    assert ends[0] > ends[1]
    for first, end, others, place in stretches:
        rows = index[offsets[first] : max(ends[first:end])]
        np.testing.assert_array_equal(others[place], rows)
    assert stretches[-1][1] == 12


def test_the_frequent_ones_are_those_that_occur_most_often(monkeypatch):
    monkeypatch.setattr(input_stretches, "_FREQUENT_UNIT", 2)
    # Thrice, four times, once, three times, never.
    index = [0] * 3 + [1] * 4 + [2] + [3] * 3
    _, frequent, _ = stretches_of([len(index)], index, 5)
    # Of three that occur often enough, a multiple of two.
    assert frequent.tolist() == [1, 0]
    monkeypatch.setattr(input_stretches, "_MIN_COUNT", 4)
    _, frequent, _ = stretches_of([len(index)], index, 5)
    assert frequent.tolist() == []


def test_where_each_element_has_its_own_input_none_is_frequent():
    _, frequent, stretches = stretches_of([5, 3], range(8), None)
    assert not frequent.size
    assert [stretch[2].tolist() for stretch in stretches] == [list(range(8))]


def test_nothing_to_run_over():
    assert stretches_of([], [], 3)[2] == []
    assert stretches_of([0, 0], [], 3)[2] == []
