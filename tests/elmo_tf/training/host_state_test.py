import tensorflow as tf

from elmo_tf.training.host_state import HostState


def test_bytes_survive_a_checkpoint(tmp_path):
    saved = bytes(range(256)) * 3
    restored = []
    checkpoint = tf.train.Checkpoint(
        state=HostState(lambda: saved, restored.append)
    )
    path = checkpoint.save(str(tmp_path / "ckpt"))
    assert restored == []
    tf.train.Checkpoint(state=HostState(lambda: b"", restored.append)).restore(
        path
    ).assert_consumed()
    assert restored == [saved]


def test_each_save_asks_anew(tmp_path):
    values = iter([b"first", b"second"])
    restored = []
    checkpoint = tf.train.Checkpoint(
        state=HostState(lambda: next(values), restored.append)
    )
    paths = [checkpoint.save(str(tmp_path / "ckpt")) for _ in range(2)]
    for path in reversed(paths):
        checkpoint.restore(path)
    assert restored == [b"second", b"first"]
