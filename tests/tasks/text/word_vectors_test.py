import gzip
import time

import numpy as np
import pytest

from elmo_tf.errors import InputError
from tasks.text.word_vectors import WordVectors

GLOVE = b"the 0.5 -1 2e-3\nof 1 2.25 .5\n"
EXPECTED = np.array([[0.5, -1, 0.002], [1, 2.25, 0.5]], np.float32)


def write(path, content):
    path.write_bytes(content)
    return str(path)


def load(tmp_path, content, **kwargs):
    return WordVectors.load(write(tmp_path / "v.txt", content), **kwargs)


def message_of(tmp_path, content, **kwargs):
    """The error's message without the folder."""
    with pytest.raises(InputError) as error:
        load(tmp_path, content, **kwargs)
    return str(error.value).replace(f"{tmp_path}/", "")


def assert_vectors(vectors, words, expected=EXPECTED):
    assert vectors.words == words
    assert vectors.vectors.dtype == np.float32
    np.testing.assert_array_equal(vectors.vectors, expected)


class TestFormats:
    @pytest.mark.parametrize(
        "content",
        [
            GLOVE,
            GLOVE.removesuffix(b"\n"),
            GLOVE.replace(b"\n", b"\r\n"),
            # As word2vec ends its lines.
            b"2 3\n" + GLOVE.replace(b"\n", b" \n"),
            b"2 3\r\n" + GLOVE,
            gzip.compress(GLOVE),
        ],
        ids=["GloVe", "no end", "CRLF", "word2vec", "header CRLF", "gzip"],
    )
    def test_words_and_vectors(self, tmp_path, content):
        assert_vectors(load(tmp_path, content), ["the", "of"])

    def test_access_by_word(self, tmp_path):
        vectors = load(tmp_path, GLOVE)
        assert len(vectors) == 2
        assert vectors.dim == 3
        assert "of" in vectors and "Of" not in vectors
        np.testing.assert_array_equal(vectors["of"], EXPECTED[1])
        with pytest.raises(KeyError):
            vectors["Of"]

    def test_several_files_each_with_its_header(self, tmp_path):
        first = write(tmp_path / "a.txt", b"1 3\nthe 0.5 -1 2e-3\n")
        second = write(
            tmp_path / "b.txt.gz", gzip.compress(b"1 3\nof 1 2.25 .5\n")
        )
        for path in ([second, first], f"{first},{second}", f"{tmp_path}/*"):
            assert_vectors(WordVectors.load(path), ["the", "of"])

    def test_words_with_spaces(self, tmp_path):
        content = GLOVE + b". . . 1 2 3\nto a@b.com 4 5 6\n"
        vectors = load(tmp_path, content)
        assert vectors.words[2:] == [". . .", "to a@b.com"]
        np.testing.assert_array_equal(
            vectors.vectors[2:], [[1, 2, 3], [4, 5, 6]]
        )
        # In the first line only the given width tells.
        vectors = load(tmp_path, b". . 1 2 3\n", dim=3)
        assert_vectors(vectors, [". ."], [[1, 2, 3]])

    def test_only_spaces_and_line_feeds_separate(self, tmp_path):
        words = ["\u00a0", "\u0085", "a\u2028b", "\u3000"]
        content = "".join(f"{word} 1 2 3\n" for word in words)
        assert load(tmp_path, content.encode()).words == words

    def test_words_that_could_not_be_read_are_left_out(self, tmp_path):
        content = "\ufffd 1 2 3\n" + GLOVE.decode() + "\ufffd 1 2 3\n"
        assert_vectors(load(tmp_path, content.encode()), ["the", "of"])
        content = "4 3\n" + content
        assert_vectors(load(tmp_path, content.encode()), ["the", "of"])

    def test_senna(self, tmp_path):
        words_path = write(tmp_path / "words.lst", b"the\nof\n")
        numbers = b"0.5 -1 2e-3\n1 2.25 .5\n"
        assert_vectors(
            load(tmp_path, numbers, words_path=words_path), ["the", "of"]
        )
        # Two whole numbers are a vector here.
        assert_vectors(
            load(tmp_path, b"5 3\n1 2\n", words_path=words_path),
            ["the", "of"],
            [[5, 3], [1, 2]],
        )

    def test_some_words(self, tmp_path):
        content = GLOVE + b"not a number\xe2\x80\xa6 1 x 3\n"
        assert_vectors(
            load(tmp_path, content, keep={"of", "other"}), ["of"], EXPECTED[1:]
        )
        nothing = load(tmp_path, content, keep=())
        assert len(nothing) == 0 and nothing.vectors.shape == (0, 3)

    def test_blocks_of_lines(self, tmp_path):
        """Files of more than one block of `read_blocks`."""
        expected = np.random.default_rng(0).normal(size=[20_000, 10])
        expected = expected.astype(np.float32)
        lines = [
            f"w{row} " + " ".join(map(str, vector)) + "\n"
            for row, vector in enumerate(expected)
        ]
        content = "20000 10\n" + "".join(lines)
        assert len(content) > 1.5 * 2**20
        vectors = load(tmp_path, content.encode())
        assert_vectors(vectors, [f"w{row}" for row in range(20_000)], expected)
        lines[19_998] = lines[19_998].replace(" ", " x", 1)
        message = message_of(tmp_path, ("20000 10\n" + "".join(lines)).encode())
        assert message.startswith("v.txt:20000: found 'x")

    def test_the_first_of_several_files_is_named(self, tmp_path):
        write(tmp_path / "a.txt", b"1 3\nthe 1 2 3\n")
        assert message_of(tmp_path, GLOVE + b"the 1 2 3", keep={"the"}) == (
            "v.txt:3: found 'the' again, which is at v.txt:1, expected "
            "distinct words"
        )
        with pytest.raises(InputError) as error:
            WordVectors.load(f"{tmp_path}/*.txt")
        assert str(error.value) == (
            f"{tmp_path}/v.txt:1: found 'the' again, which is at "
            f"{tmp_path}/a.txt:2, expected distinct words"
        )


class TestErrors:
    @pytest.mark.parametrize(
        "content, message",
        [
            (GLOVE + b"to 1 2\n", "v.txt:3: found 2 values, expected 3"),
            (GLOVE + b"to\n", "v.txt:3: found 0 values, expected 3"),
            (GLOVE + b"to 1 2 3 4\n", "v.txt:3: found 4 values, expected 3"),
            (GLOVE + b"to  1 2 3\n", "v.txt:3: found 4 values, expected 3"),
            (GLOVE + b"\n", "v.txt:3: found no word for the vector"),
            (GLOVE + b" 1 2 3\n", "v.txt:3: found no word for the vector"),
            (
                GLOVE + b"to 1 1.2.3 3\n",
                "v.txt:3: found '1.2.3', expected a finite number",
            ),
            (
                b"2 3\n" + GLOVE.replace(b"2.25", b"x"),
                "v.txt:3: found 'x', expected a finite number",
            ),
            (
                GLOVE + b"to 1  3\n",
                "v.txt:3: found '', expected a finite number",
            ),
            (
                GLOVE + b"to nan 2 3\n",
                "v.txt:3: found 'nan', expected a finite number",
            ),
            (
                GLOVE + b"to 1e39 2 3\n",
                "v.txt:3: found '1e39', expected a finite number",
            ),
            (
                GLOVE + b"to\xff 1 2 3\n",
                "v.txt:3: byte 0xff at position 3 of the line is not UTF-8 "
                "(invalid start byte); expected UTF-8 text, plain or gzip",
            ),
            (
                b"3 3\n" + GLOVE,
                "v.txt: found 2 words, expected 3 by the first line",
            ),
            (
                b"1 3\n" + GLOVE,
                "v.txt: found 2 words, expected 1 by the first line",
            ),
            (
                b"2 0\n",
                "v.txt:1: found vectors of 0 values, expected at least 1",
            ),
            (
                b"the\n",
                "v.txt:1: found 'the', expected a word and its vector with "
                "spaces between them",
            ),
            (b"", "v.txt: empty file, expected a word and its vector a line"),
        ],
    )
    def test_content(self, tmp_path, content, message):
        assert message_of(tmp_path, content) == message

    def test_width(self, tmp_path):
        assert message_of(tmp_path, GLOVE, dim=4) == (
            "v.txt:1: found 3 values, expected 4"
        )
        assert message_of(tmp_path, b"2 3\n" + GLOVE, dim=4) == (
            "v.txt:1: found vectors of 3 values, expected 4"
        )

    def test_no_file(self, tmp_path):
        with pytest.raises(InputError, match="absent.txt: no such file"):
            WordVectors.load(str(tmp_path / "absent.txt"))

    @pytest.mark.parametrize(
        "words, numbers, message",
        [
            (
                b"the\nof\nto\n",
                b"1 2\n3 4\n",
                "v.txt: ends before the vector of 'to' in words.lst, expected "
                "a line for each of its words",
            ),
            (
                b"the\n",
                b"1 2\n3 4\n",
                "v.txt:2: found a vector, expected the end of the file, as "
                "words.lst has no more words",
            ),
            (
                b"the\n\n",
                b"1 2\n3 4\n",
                "v.txt:2: found no word for the vector",
            ),
            (b"the\nof\n", b"1 2\n3\n", "v.txt:2: found 1 values, expected 2"),
            (b"the\n", b"", "v.txt: empty file, expected a vector a line"),
            (b"", b"1 2\n", "words.lst: empty file, expected one word a line"),
        ],
    )
    def test_senna(self, tmp_path, words, numbers, message):
        words_path = write(tmp_path / "words.lst", words)
        assert message_of(tmp_path, numbers, words_path=words_path) == message


def test_the_real_ones(shared_data):
    pattern = shared_data / "data" / "vectors" / "glove6b50d" / "*.gz"
    vectors = WordVectors.load(pattern)
    assert vectors.vectors.shape == (29_257, 50)
    # The first values in the file.
    np.testing.assert_array_equal(
        vectors["the"][:3], np.array([0.418, 0.24968, -0.41242], np.float32)
    )
    some = WordVectors.load(pattern, keep={"paris", "the", "Paris"})
    assert sorted(some.words) == ["paris", "the"]
    np.testing.assert_array_equal(some["paris"], vectors["paris"])


@pytest.mark.slow
def test_speed(tmp_path):
    """400,000 words of 50 values are there in some seconds."""
    values = np.round(np.random.default_rng(0).normal(size=[4000, 50]), 5)
    rows = [" ".join(map(str, row)) for row in values]
    path = tmp_path / "vectors.txt"
    with open(path, "w") as file:
        for i in range(400_000):
            file.write(f"word{i} {rows[i % 4000]}\n")
    start = time.monotonic()
    vectors = WordVectors.load(str(path))
    assert vectors.vectors.shape == (400_000, 50)
    # A loaded machine may take several times as long as a free one.
    assert time.monotonic() - start < 30
