"""Numbers of examples, and files that are not in their format."""

import json

import pytest

from elmo_tf.errors import InputError
from tasks.downloads import counting


@pytest.mark.parametrize(
    "text, expected", [("a\n\nb\n", 2), ("a\r\n \t\r\nb", 2), ("a\n", 1)]
)
def test_lines(tmp_path, text, expected):
    path = tmp_path / "file"
    path.write_bytes(text.encode())
    assert counting.count_lines(path) == expected


def test_lines_that_are_not_utf8(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"a\n\xff\n")
    with pytest.raises(InputError, match=f"^{path}:2: byte 0xff at position 1"):
        counting.count_lines(path)


def test_tagged_sentences(tmp_path):
    path = tmp_path / "file"
    path.write_text("-DOCSTART- -X- O\n\na X O\nb X O\n\nc X O\n")
    assert counting.count_tagged_sentences(path) == 2
    path.write_text("a X O\nb O\n")
    with pytest.raises(InputError, match=f"^{path}:2: found 2 columns"):
        counting.count_tagged_sentences(path)


def test_questions(tmp_path):
    path = tmp_path / "file"
    paragraphs = [{"qas": [1, 2]}, {"qas": [3]}]
    path.write_text(
        json.dumps({"data": [{"paragraphs": paragraphs}, {"paragraphs": []}]})
    )
    assert counting.count_questions(path) == 3


@pytest.mark.parametrize(
    "text, found",
    [
        ("{}", "KeyError: 'data', "),
        ("[]", "TypeError: list indices must be integers or slices, not str, "),
        ('{"data": [{}]}', "KeyError: 'paragraphs', "),
        ("{", "JSONDecodeError: Expecting property name enclosed in double "),
        (
            b"\xff" + b"a" * 999,
            "UnicodeDecodeError: 'utf-8' codec can't decode",
        ),
    ],
)
def test_no_questions(tmp_path, text, found):
    path = tmp_path / "file"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InputError) as info:
        counting.count_questions(path)
    message = str(info.value)
    assert message.startswith(f"{path}: found {found}")
    assert message.endswith(", expected questions in SQuAD's JSON format")
    assert len(message) < len(str(path)) + 200
