"""Messages that everybody can read."""

from elmo_tf.errors import InputError
from elmo_tf.errors import one_line
from elmo_tf.errors import shorten


def test_a_short_text_stays():
    assert shorten("abc", 3) == "abc"


def test_of_a_long_text_the_beginning_and_the_end_stay():
    assert shorten("a" * 50 + "b" * 50, 9) == "aaaa…bbbb"


def test_an_error_does_not_repeat_all_that_was_found():
    text = str(InputError(f"file:3: found {'x' * 10_000}, expected a word"))
    assert len(text) < 1001
    assert text.startswith("file:3: found x")
    assert text.endswith("x, expected a word")


def test_one_line():
    assert one_line(ValueError("a\n  b")) == "a b"
    assert one_line(KeyError()) == "KeyError"
