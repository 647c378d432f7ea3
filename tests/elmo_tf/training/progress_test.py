import pytest

from elmo_tf.training.progress import Progress
from elmo_tf.training.progress import format_duration


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


def test_a_line_every_so_many_seconds(capsys):
    clock = Clock()
    progress = Progress(100, seconds=10, unit="tokens", clock=clock)
    for step in range(1, 11):
        clock.now += 2
        speed = progress.update(step, 500, {"loss": 2.0, "perplexity": 7.389})
        assert (speed is None) == (step % 5 != 0)
        if speed is not None:
            assert speed == 250.0
    assert capsys.readouterr().out.splitlines() == [
        "step 5/100 | 250 tokens/s | loss 2 | perplexity 7.389 | 0:03:10 left",
        "step 10/100 | 250 tokens/s | loss 2 | perplexity 7.389 | 0:03:00 left",
    ]


def test_a_line_for_the_last_step(capsys):
    clock = Clock()
    progress = Progress(1234, first_step=1232, seconds=10, clock=clock)
    clock.now += 1
    assert progress.update(1233, 1, {}) is None
    clock.now += 1
    assert progress.update(1234, 1, {"loss": 0.5}) == 1.0
    assert capsys.readouterr().out == (
        "step 1,234/1,234 | 1 tokens/s | loss 0.5 | 0:00:00 left\n"
    )


def test_time_left_is_smoothed(capsys):
    clock = Clock()
    progress = Progress(100, seconds=1, clock=clock)
    clock.now += 1
    progress.update(1, 10, {})
    clock.now += 11
    progress.update(2, 10, {})
    # 0.7 · 1 s + 0.3 · 11 s = 4 s a step, 98 steps.
    assert capsys.readouterr().out.splitlines()[1].endswith("0:06:32 left")


def test_a_pause_does_not_count():
    clock = Clock()
    progress = Progress(100, seconds=1, clock=clock)
    clock.now += 1
    progress.pause()
    clock.now += 3600
    progress.resume()
    clock.now += 1
    assert progress.update(1, 100, {}) == 50.0


def test_no_time_at_all(capsys):
    progress = Progress(2, seconds=0, clock=lambda: 5.0)
    assert progress.update(1, 10, {}) > 0
    assert "left" in capsys.readouterr().out


@pytest.mark.parametrize(
    "seconds, expected",
    [
        (0, "0:00:00"),
        (0.4, "0:00:00"),
        (59.6, "0:01:00"),
        (3599.7, "1:00:00"),
        (86399, "23:59:59"),
        (86400 * 2 + 3661, "2 d 1:01:01"),
    ],
)
def test_format_duration(seconds, expected):
    assert format_duration(seconds) == expected
