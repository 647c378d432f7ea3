"""The binary that tokenises running text, run as a user runs it."""

import gzip
import json
import os

import pytest

from tests import binaries

TEXT = """A TITLE

“It’s late,” said Mr. Smith. "Isn't
it?" She didn't answer.

Another paragraph
"""
TOKENIZED = b"""A TITLE
`` It 's late , '' said Mr. Smith .
`` Is n't it ? ''
She did n't answer .
Another paragraph
"""


@pytest.fixture
def text_file(tmp_path):
    path = tmp_path / "raw.txt"
    path.write_text(TEXT, encoding="utf-8")
    return str(path)


def run(input_path, output, *arguments):
    return binaries.run(
        "elmo_tf.tokenize_text",
        f"--input_path={input_path}",
        f"--output={output}",
        *arguments,
    )


def test_running_text(text_file, tmp_path):
    output = tmp_path / "train.txt"
    result = run(text_file, output)
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout) == {
        "files": 1,
        "sentences": 5,
        "tokens": len(TOKENIZED.split()),
    }
    assert output.read_bytes() == TOKENIZED
    assert result.stderr == "read 0.0 of 0.0 MB | 0:00:00 left\n"


def test_gzip_out_of_several_files(text_file, tmp_path):
    (tmp_path / "more.txt").write_bytes(gzip.compress(b"More."))
    output = tmp_path / "out.gz"
    assert run(f"{tmp_path}/*.txt", output).returncode == 0
    first = output.read_bytes()
    assert gzip.decompress(first) == b"More .\n" + TOKENIZED
    assert run(f"{tmp_path}/*.txt", output).returncode == 0
    assert output.read_bytes() == first


def test_lines_of_tokens_stay_as_they_are(tmp_path):
    path = tmp_path / "raw.txt"
    path.write_text("“It’s late.” He\n\n said (so)\n", encoding="utf-8")
    output = tmp_path / "out.txt"
    result = run(
        *(path, output, "--tokenizer=whitespace", "--sentence_breaker=line")
    )
    assert result.returncode == 0, result.stderr
    assert output.read_text(encoding="utf-8") == (
        "“It’s late.” He\nsaid (so)\n"
    )


@pytest.mark.parametrize("output", ["", "none/out.txt", "raw.txt"])
def test_an_output_that_cannot_be(text_file, tmp_path, output):
    reason = "expected a file in an existing folder"
    if output == "raw.txt":
        reason = "is one of the input files"
    binaries.check_mistake(
        run(text_file, f"{tmp_path}/{output}"),
        "tokenize_text",
        f"--output={tmp_path}/{output}: {reason}",
    )
    assert os.listdir(tmp_path) == ["raw.txt"]


@pytest.mark.parametrize(
    "content, message",
    [
        (None, "raw.txt: no such file"),
        (b"", "raw.txt: empty file, expected one sentence a line"),
        (b"\n \n", "found no word, expected text"),
        (b"Good.\n\nb\xffd", "raw.txt:3: byte 0xff at position 2"),
    ],
)
def test_nothing_is_written_after_a_mistake(tmp_path, content, message):
    path = tmp_path / "raw.txt"
    if content is not None:
        path.write_bytes(content)
    result = run(path, tmp_path / "out.txt")
    assert message in result.stderr.splitlines()[-1]
    assert result.returncode == 2
    assert not (tmp_path / "out.txt").exists()
    assert not list(tmp_path.glob(".partial-*"))
