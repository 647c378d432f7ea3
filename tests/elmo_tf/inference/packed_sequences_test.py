import numpy as np
import pytest
import tensorflow as tf

from elmo_tf.inference.packed_sequences import PackedSequences

CASES = {
    "of many lengths": [2, 5, 0, 3, 5, 1],
    "of one length": [3, 3],
    "one": [4],
    "all empty": [0, 0],
    "none": [],
    "many": [i * 37 % 23 for i in range(301)],
}


def by_hand(lengths):
    """Sequence and step of each element, in packed order."""
    order = sorted(range(len(lengths)), key=lambda i: -lengths[i])
    return [
        (sequence, step)
        for step in range(max(lengths, default=0))
        for sequence in order
        if lengths[sequence] > step
    ]


def sequences(lengths):
    return PackedSequences(tf.constant(lengths, tf.int32))


@pytest.fixture(params=CASES.values(), ids=CASES)
def lengths(request):
    return request.param


def test_sizes(lengths):
    packed = sequences(lengths)
    sizes = [
        sum(n > step for n in lengths)
        for step in range(max(lengths, default=0))
    ]
    assert packed.n_elements.numpy() == sum(lengths)
    assert packed.n_steps.numpy() == len(sizes)
    assert packed.batch_sizes.numpy().tolist() == sizes
    assert packed.offsets.numpy().tolist() == [
        sum(sizes[:step]) for step in range(len(sizes))
    ]


def test_rounded_sizes_are_few(lengths):
    packed = sequences(lengths)
    sizes = packed.batch_sizes.numpy()
    rounded = packed.rounded_sizes.numpy()
    for step, (size, found) in enumerate(zip(sizes, rounded, strict=True)):
        unit = 1
        while size >= 64 * unit:
            unit *= 2
        assert found == min(-(-size // unit) * unit, sizes[step:].sum())
        assert size <= found <= 1.03125 * size
    assert sorted(rounded, reverse=True) == rounded.tolist()


@pytest.mark.parametrize("reverse", [False, True])
def test_pack(lengths, reverse):
    time = max(lengths, default=0) + 1
    values = np.arange(len(lengths) * time * 2).reshape(-1, time, 2)
    expected = [
        values[sequence, lengths[sequence] - 1 - step if reverse else step]
        for sequence, step in by_hand(lengths)
    ]
    found = sequences(lengths).pack(tf.constant(values), reverse)
    np.testing.assert_array_equal(found, np.reshape(expected, [-1, 2]))


@pytest.mark.parametrize("reverse", [False, True])
def test_row_finds_what_pack_put(lengths, reverse):
    time = max(lengths, default=0)
    values = tf.reshape(tf.range(len(lengths) * time), [len(lengths), time])
    packed = sequences(lengths)
    flat = packed.pack(values, reverse)
    sequence, step = (
        np.array(
            [(b, t) for b, n in enumerate(lengths) for t in range(n)], np.int32
        )
        .reshape(-1, 2)
        .T
    )
    rows = packed.row(tf.constant(sequence), tf.constant(step), reverse)
    np.testing.assert_array_equal(
        tf.gather(flat, rows), values.numpy()[sequence, step]
    )
