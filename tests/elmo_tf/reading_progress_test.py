"""The progress line of a reading, with a clock that the test turns."""

from elmo_tf.reading_progress import ReadingProgress


def test_lines(capsys):
    clock = iter([0.0, 1.0, 3.0, 4.0, 4.5])
    progress = ReadingProgress(seconds=2.0, clock=lambda: next(clock))
    for done in (1_000_000, 3_000_000, 4_000_000, 6_000_000):
        progress(done, 6_000_000)
    assert capsys.readouterr().err.splitlines() == [
        "read 3.0 of 6.0 MB | 0:00:03 left",
        "read 6.0 of 6.0 MB | 0:00:00 left",
    ]
