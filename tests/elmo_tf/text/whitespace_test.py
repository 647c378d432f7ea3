"""One definition of whitespace, that of Python's str.split."""

import random
import sys

from elmo_tf.text import whitespace


def test_whitespace_is_that_of_str():
    characters = map(chr, range(sys.maxunicode + 1))
    assert set(whitespace.WHITESPACE) == {c for c in characters if c.isspace()}


def test_each_character_splits():
    for character in whitespace.WHITESPACE:
        text = f"a{character}b".encode()
        assert whitespace.normalize(text).split() == [b"a", b"b"]


def test_no_other_character_splits():
    # Surrogates are not characters, and UTF-8 has none.
    points = [c for c in range(sys.maxunicode + 1) if not 0xD800 <= c < 0xE000]
    text = "".join(map(chr, points))
    words = whitespace.normalize(text.encode()).split()
    assert [word.decode() for word in words] == text.split()


def test_random_text_splits_as_str():
    generator = random.Random(0)
    # Characters whose bytes are parts of those of whitespace characters.
    alphabet = whitespace.WHITESPACE + "abé\u0440\u1681\u200b\u3001\u2080😀"
    for _ in range(200):
        text = "".join(generator.choices(alphabet, k=50))
        words = whitespace.normalize(text.encode()).split()
        assert [word.decode() for word in words] == text.split()


def test_line_feeds_are_kept():
    text = "a\u2028b\nc\x85d\re\n".encode()
    assert whitespace.normalize(text) == b"a b\nc d\re\n"


def test_text_without_rare_whitespace_is_not_copied():
    text = "a “quoted” word\n".encode()
    assert whitespace.normalize(text) is text
