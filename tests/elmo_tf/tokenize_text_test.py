"""The binary that tokenises running text, run as a user runs it."""

import gzip
import json
import os
import subprocess
import sys

import pytest
from absl.testing import flagsaver

from elmo_tf import tokenize_text
from elmo_tf.errors import InputError

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


def run_main(**flags):
    """Calls the binary's main in this process with flags set."""
    if not tokenize_text.FLAGS.is_parsed():
        tokenize_text.FLAGS(["tokenize_text"])
    with flagsaver.flagsaver(**flags):
        return tokenize_text.main([])


def run_binary(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "elmo_tf.tokenize_text", *arguments],
        capture_output=True,
        text=True,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(sys.path),
            # As the binary sets it where the user has not.
            "TF_CPP_MIN_LOG_LEVEL": "3",
        },
    )


def test_as_a_program(text_file, tmp_path):
    output = tmp_path / "train.txt"
    result = run_binary(f"--input_path={text_file}", f"--output={output}")
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout) == {
        "files": 1,
        "sentences": 5,
        "tokens": len(TOKENIZED.split()),
    }
    assert output.read_bytes() == TOKENIZED
    assert result.stderr == "read 0.0 of 0.0 MB | 0:00:00 left\n"


def test_a_mistake_is_one_line(tmp_path):
    result = run_binary(
        f"--input_path={tmp_path}/none.txt", f"--output={tmp_path}/out.txt"
    )
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr == (
        f"tokenize_text.py: error: {tmp_path}/none.txt: no such file\n"
    )
    assert os.listdir(tmp_path) == []


def test_gzip_out_of_several_files(text_file, tmp_path, capsys):
    (tmp_path / "more.txt").write_bytes(gzip.compress(b"More."))
    output = tmp_path / "out.gz"
    run_main(input_path=f"{tmp_path}/*.txt", output=str(output))
    first = output.read_bytes()
    assert gzip.decompress(first) == b"More .\n" + TOKENIZED
    run_main(input_path=f"{tmp_path}/*.txt", output=str(output))
    assert output.read_bytes() == first


def test_lines_of_tokens_stay_as_they_are(tmp_path):
    (tmp_path / "raw.txt").write_text("“It’s late.” He\n\n said (so)\n")
    output = tmp_path / "out.txt"
    run_main(
        input_path=f"{tmp_path}/raw.txt",
        output=str(output),
        tokenizer="whitespace",
        sentence_breaker="line",
    )
    assert output.read_text() == "“It’s late.” He\nsaid (so)\n"


@pytest.mark.parametrize("output", ["", "none/out.txt", "raw.txt"])
def test_an_output_that_cannot_be(text_file, tmp_path, output):
    reason = "expected a file in an existing folder"
    if output == "raw.txt":
        reason = "is one of the input files"
    with pytest.raises(InputError) as info:
        run_main(input_path=text_file, output=f"{tmp_path}/{output}")
    assert str(info.value) == f"--output={tmp_path}/{output}: {reason}"


@pytest.mark.parametrize(
    "content, message",
    [
        (b"\n \n", "found no word, expected text"),
        (b"Good.\n\nb\xffd", "raw.txt:3: byte 0xff"),
    ],
)
def test_nothing_is_left_after_a_mistake(tmp_path, content, message):
    (tmp_path / "raw.txt").write_bytes(content)
    with pytest.raises(InputError, match=message):
        run_main(input_path=f"{tmp_path}/raw.txt", output=f"{tmp_path}/out.txt")
    assert os.listdir(tmp_path) == ["raw.txt"]
