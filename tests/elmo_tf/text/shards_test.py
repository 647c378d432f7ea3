"""Reading the files of a corpus, and what is said about bad ones."""

import gzip
import os
import re

import pytest

from elmo_tf.errors import InputError
from elmo_tf.text import shards


@pytest.fixture
def write(tmp_path):
    """A function that writes bytes to a file and returns its path."""

    def write_file(name, content):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return str(path)

    return write_file


def message_of(function, *args):
    """The message of the InputError that a call raises, one line."""
    with pytest.raises(InputError) as info:
        function(*args)
    message = str(info.value)
    assert "\n" not in message
    return message


class TestListShards:
    def test_globs_commas_and_lists(self, write, tmp_path):
        b = write("b.txt", b"x")
        a = write("a.txt", b"x")
        c = write("sub/c.gz", gzip.compress(b"x"))
        assert shards.list_shards(a) == [a]
        assert shards.list_shards(f"{tmp_path}/*.txt") == [a, b]
        assert shards.list_shards(f"{b},{tmp_path}/sub/*") == [b, c]
        assert shards.list_shards(f"{tmp_path}/**/*.*") == [a, b, c]
        assert shards.list_shards([c, f"{tmp_path}/?.txt"]) == [a, b, c]
        assert shards.list_shards(tmp_path / "a.txt") == [a]

    def test_each_file_is_taken_once(self, write, tmp_path):
        a = write("a.txt", b"x")
        assert shards.list_shards(f"{a}, {tmp_path}/*.txt,{a}") == [a]

    def test_an_existing_name_is_taken_literally(self, write):
        for name in ("a[1].txt", "a,b.txt", "what?.txt"):
            path = write(name, b"x")
            assert shards.list_shards(path) == [path]
            assert shards.list_shards([path]) == [path]

    def test_nothing_matches(self, write, tmp_path):
        assert (
            message_of(shards.list_shards, f"{tmp_path}/*.txt")
            == f"{tmp_path}/*.txt: no such file"
        )
        a = write("a.txt", b"x")
        assert (
            message_of(shards.list_shards, f"{a},{tmp_path}/b.txt")
            == f"{tmp_path}/b.txt: no such file"
        )

    @pytest.mark.parametrize("nothing", ["", " , ", []])
    def test_no_pattern(self, nothing):
        assert message_of(shards.list_shards, nothing) == (
            f"input_path: found {nothing!r}, expected the path or glob of text "
            "files"
        )

    @pytest.mark.parametrize("content", [b"", gzip.compress(b"", mtime=0)])
    def test_an_empty_shard(self, write, tmp_path, content):
        write("a.txt", b"x")
        empty = write("b.txt", content)
        assert message_of(shards.list_shards, f"{tmp_path}/*") == (
            f"{empty}: empty file, expected one sentence a line"
        )

    def test_a_folder_matches(self, write, tmp_path):
        write("sub/a.txt", b"x")
        assert message_of(shards.list_shards, f"{tmp_path}/*") == (
            f"{tmp_path}/sub: is a folder, expected a file with one sentence a "
            "line"
        )

    def test_a_dangling_link(self, tmp_path):
        os.symlink("nowhere", tmp_path / "a.txt")
        assert message_of(shards.list_shards, f"{tmp_path}/*") == (
            f"{tmp_path}/a.txt: cannot be read: No such file or directory"
        )

    @pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
    def test_no_permission(self, write):
        path = write("a.txt", b"x")
        os.chmod(path, 0)
        assert message_of(shards.list_shards, path) == (
            f"{path}: cannot be read: Permission denied"
        )

    @pytest.mark.skipif(
        not os.path.exists("/proc/self/mem"), reason="needs Linux's /proc"
    )
    def test_reading_fails(self):
        # Its first page is not mapped.
        path = "/proc/self/mem"
        expected = f"{path}:1: cannot be read: Input/output error"
        assert message_of(shards.list_shards, path) == expected
        assert message_of(list, shards.read_lines(path)) == expected

    def test_gzip_cut_in_its_header(self, write):
        path = write("a.gz", gzip.compress(b"x")[:5])
        assert message_of(shards.list_shards, path).startswith(
            f"{path}:1: damaged gzip file (Compressed file ended"
        )


class TestReadLines:
    @pytest.mark.parametrize(
        "content, lines",
        [
            (b"a b\nc\n", [b"a b", b"c"]),
            (b"a b\nc", [b"a b", b"c"]),
            (b"a\r\nb\r\n", [b"a", b"b"]),
            (b"\n\na\n\n", [b"", b"", b"a", b""]),
            (b"\xef\xbb\xbfa\n\xef\xbb\xbfb\n", [b"a", b"\xef\xbb\xbfb"]),
            (b"\xef\xbb\xbf", []),
            (b"a \r b\n", [b"a \r b"]),
            (
                "\u00e9\u2028\u00a0 \n".encode(),
                ["\u00e9\u2028\u00a0 ".encode()],
            ),
            (b"a\0b\n", [b"a\0b"]),
            (b"", []),
        ],
    )
    @pytest.mark.parametrize("compress", [bytes, gzip.compress])
    @pytest.mark.parametrize("block_size", [1, 3, 1 << 20])
    def test_line_ends(
        self, write, content, lines, compress, block_size, monkeypatch
    ):
        monkeypatch.setattr(shards, "_BLOCK_SIZE", block_size)
        # The name does not tell whether it is gzip.
        path = write("a.txt", compress(content))
        assert list(shards.read_lines(path)) == lines

    def test_a_very_long_line(self, write):
        line = b"word " * 1_000_000
        path = write("a.txt", b"a\n" + line + b"\nb\n")
        assert list(shards.read_lines(path)) == [b"a", line, b"b"]

    def test_blocks_are_whole_lines(self, write, monkeypatch):
        monkeypatch.setattr(shards, "_BLOCK_SIZE", 4)
        path = write("a.txt", b"ab\ncdefghij\nk\nl")
        blocks = list(shards.read_blocks(path))
        assert b"".join(blocks) == b"ab\ncdefghij\nk\nl"
        assert len(blocks) > 1
        assert all(block.endswith(b"\n") for block in blocks[:-1])

    @pytest.mark.parametrize("block_size", [1, 7, 1 << 20])
    @pytest.mark.parametrize("compress", [bytes, gzip.compress])
    def test_invalid_utf8(self, write, block_size, compress, monkeypatch):
        monkeypatch.setattr(shards, "_BLOCK_SIZE", block_size)
        path = write("a.txt", compress(b"good\n\xc3\xa9\nab\xff c\nmore\n"))
        assert message_of(list, shards.read_lines(path)) == (
            f"{path}:3: byte 0xff at position 3 of the line is not UTF-8 "
            "(invalid start byte); expected UTF-8 text, plain or gzip"
        )

    def test_a_character_is_cut_at_the_end(self, write):
        path = write("a.txt", "good\né".encode()[:-1])
        assert message_of(list, shards.read_lines(path)) == (
            f"{path}:2: byte 0xc3 at position 1 of the line is not UTF-8 "
            "(unexpected end of data); expected UTF-8 text, plain or gzip"
        )

    @pytest.mark.parametrize(
        "garbage",
        [
            "\ud800".encode("utf-8", "surrogatepass"),
            b"\xc0\x80",
            b"\xff\xfea\0",
        ],
    )
    def test_not_quite_utf8(self, write, garbage):
        path = write("a.txt", garbage)
        message = message_of(list, shards.read_lines(path))
        assert message.startswith(f"{path}:1: byte 0x")

    def test_binary_garbage(self, write):
        path = write("a.txt", bytes(range(256)) * 10)
        assert message_of(list, shards.read_lines(path)).startswith(
            f"{path}:2: byte 0x80 at position 118 of the line is not UTF-8"
        )

    def test_truncated_gzip(self, write):
        content = b"".join(b"line %d\n" % i for i in range(300_000))
        path = write("a.gz", gzip.compress(content)[:-300])
        message = message_of(list, shards.read_lines(path))
        match = re.fullmatch(
            re.escape(path) + r":(\d+): damaged gzip file \(Compressed file "
            r"ended before the end-of-stream marker was reached\); the lines "
            r"before this one are intact",
            message,
        )
        # Found in the block in which it is.
        assert 100_000 < int(match[1]) <= 300_000

    def test_corrupt_gzip(self, write):
        compressed = bytearray(gzip.compress(b"some text\n" * 1000))
        compressed[-8] ^= 1  # The checksum.
        path = write("a.gz", bytes(compressed))
        message = message_of(list, shards.read_lines(path))
        assert message.startswith(f"{path}:1: damaged gzip file (CRC check")

    def test_garbage_after_gzip(self, write):
        path = write("a.gz", gzip.compress(b"some text\n") + b"garbage")
        message = message_of(list, shards.read_lines(path))
        assert message.startswith(f"{path}:1: damaged gzip file (Not a gzip")

    def test_concatenated_gzip(self, write):
        path = write("a.gz", gzip.compress(b"a\nb") + gzip.compress(b"c\n"))
        assert list(shards.read_lines(path)) == [b"a", b"bc"]


class TestReadSentences:
    def test_files_in_order(self, write, tmp_path):
        write("b.txt", b"d e\n")
        write("a.txt", b"a b\n\nc")
        sentences = shards.read_sentences(f"{tmp_path}/*")
        assert list(sentences) == [[b"a", b"b"], [], [b"c"], [b"d", b"e"]]

    def test_tokens_are_those_of_str_split(self, write):
        text = "a\u00a0b c\u3000d\te\r\nf\x1cg\u200bh\u2028i \n"
        path = write("a.txt", text.encode())
        expected = [
            [token.encode() for token in line.split()]
            for line in text.removesuffix("\n").split("\n")
        ]
        assert list(shards.read_sentences(path)) == expected
        assert expected[0] == [b"a", b"b", b"c", b"d", b"e"]


class TestProgress:
    @pytest.mark.parametrize("compress", [bytes, gzip.compress])
    def test_ends_at_the_size_on_disk(self, write, compress, monkeypatch):
        monkeypatch.setattr(shards, "_BLOCK_SIZE", 1 << 16)
        content = b"".join(b"line %d\n" % i for i in range(50_000))
        paths = [write(name, compress(content)) for name in ("a", "b")]
        calls = []
        advance = shards.progress_over(
            paths, lambda done, total: calls.append((done, total))
        )
        for path in paths:
            assert b"".join(shards.read_blocks(path, advance)) == content
        total = sum(map(os.path.getsize, paths))
        assert calls[-1] == (total, total)
        assert len(calls) > 4
        assert calls == sorted(calls) and {t for _, t in calls} == {total}
