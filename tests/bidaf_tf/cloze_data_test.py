"""The files of the cloze test: what is read, written, and wrong with them."""

import dataclasses
import gzip
import io
import os
import tarfile

import pytest

from bidaf_tf.cloze_data import read_questions
from bidaf_tf.cloze_data import write_question
from bidaf_tf.cloze_question import ClozeQuestion
from elmo_tf.errors import InputError

TEXT = """\
http://example.com/a

@entity3 met @entity12 in Zürich .

@placeholder met @entity12

@entity3

@entity3:Ann
@entity12:Bo: the 2nd"""
LINES = TEXT.split("\n")
QUESTION = ClozeQuestion(
    "a.question",
    "http://example.com/a",
    "@entity3 met @entity12 in Zürich .",
    "@placeholder met @entity12",
    "@entity3",
    ("@entity3:Ann", "@entity12:Bo: the 2nd"),
)


def changed(number, text):
    """The file with another line in place of one."""
    lines = list(LINES)
    lines[number - 1] = text
    return "\n".join(lines)


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "cnn" / "questions" / "test"
    folder.mkdir(parents=True)
    for name in "cab":
        write(folder / f"{name}.question", TEXT)
    write(folder / "notes.txt", "no question")
    write(folder / "._a.question", "\0")
    return folder


def write(path, text):
    path.write_text(text, encoding="utf-8")


def ids(questions):
    return [question.id for question in questions]


def make_archive(path, members, mode="w:gz"):
    with tarfile.open(path, mode) as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return path


def test_reads_a_file(folder):
    assert read_questions(folder / "a.question") == [QUESTION]
    assert read_questions(folder / "a.question", with_answers=False) == [
        dataclasses.replace(QUESTION, answer="")
    ]


@pytest.mark.parametrize(
    "content",
    [
        TEXT.encode() + b"\n\n",
        TEXT.replace("\n", "\r\n").encode(),
        b"\xef\xbb\xbf" + TEXT.encode(),
        gzip.compress(TEXT.encode()),
    ],
    ids=["blank lines", "line ends", "mark", "gzip"],
)
def test_reads_other_forms(tmp_path, content):
    (tmp_path / "a.question").write_bytes(content)
    assert read_questions(tmp_path / "a.question") == [QUESTION]


@pytest.mark.parametrize(
    "text", [TEXT, "\n".join(LINES[:6]), changed(7, ""), changed(7, "?")]
)
def test_answers_may_be_missing_where_none_is_needed(tmp_path, text):
    write(tmp_path / "a.question", text)
    (question,) = read_questions(tmp_path / "a.question", with_answers=False)
    assert (question.context, question.answer) == (QUESTION.context, "")


def test_reads_folders_and_globs_in_the_order_of_names(folder):
    expected = ["a.question", "b.question", "c.question"]
    assert ids(read_questions(folder)) == expected
    assert ids(read_questions(f"{folder}/[ab].question")) == expected[:2]
    assert ids(read_questions(f"{folder}/c.question,{folder}/a.question")) == [
        "a.question",
        "c.question",
    ]


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:xz"])
def test_reads_an_archive(tmp_path, mode):
    data = TEXT.encode()
    path = make_archive(
        tmp_path / "cnn.tgz",
        {
            "cnn/questions/training/c.question": data,
            "cnn/questions/training/b.question": b"\xef\xbb\xbf" + data,
            "cnn/questions/training/._b.question": b"\0",
            "cnn/questions/training/deep/e.question": data,
            "./cnn/questions/test/a.question": data,
            "cnn/questions/README": b"\xff",
        },
        mode,
    )
    inside = f"{path}/cnn/questions"
    assert read_questions(f"{inside}/test") == [QUESTION]
    assert read_questions(f"{inside}/test/") == [QUESTION]
    assert read_questions(f"{inside}/test/a.question") == [QUESTION]
    training = read_questions(f"{inside}/training")
    assert ids(training) == ["b.question", "c.question"]
    assert training[0] == dataclasses.replace(QUESTION, id="b.question")
    assert ids(read_questions(f"{inside}/t*/[ac].question")) == [
        "a.question",
        "c.question",
    ]
    # The published archives hold what to train on and what to test on.
    with pytest.raises(InputError) as error:
        read_questions(path)
    assert str(error.value) == (
        f"{path}: found questions in cnn/questions/training and "
        "cnn/questions/training/deep, expected one folder; say which, as "
        f"{path}/cnn/questions/training"
    )
    with pytest.raises(InputError) as error:
        read_questions(f"{inside}/validation")
    assert str(error.value) == (
        f"{inside}/validation: found no file *.question, expected at least "
        "one; there are some in cnn/questions/test and cnn/questions/training"
    )


def test_reads_an_archive_of_one_folder_as_a_whole(tmp_path):
    path = make_archive(
        tmp_path / "test.tar.gz", {"test/a.question": TEXT.encode()}
    )
    assert read_questions(path) == [QUESTION]
    # Nothing was unpacked.
    assert os.listdir(tmp_path) == ["test.tar.gz"]


def test_a_damaged_archive(tmp_path):
    path = make_archive(
        tmp_path / "test.tar.gz",
        {"test/a.question": os.urandom(5000).hex().encode()},
    )
    path.write_bytes(path.read_bytes()[:2000])
    with pytest.raises(InputError, match="test.tar.gz: damaged archive"):
        read_questions(path)


def test_mistakes_in_an_archive(tmp_path):
    path = make_archive(tmp_path / "a.tar", {"x/a.question": b"a\n\n\xff"}, "w")
    with pytest.raises(InputError, match="a.tar/x/a.question:3: byte 0xff"):
        read_questions(path)
    make_archive(path, {"x/a.question": b""}, "w")
    with pytest.raises(InputError, match="a.tar/x/a.question: empty file"):
        read_questions(path)
    make_archive(path, {"x/a.question": b"a\n\nb"}, "w")
    with pytest.raises(InputError, match="a.tar/x/a.question:3: found the end"):
        read_questions(path)
    make_archive(path, {"x/a.txt": b"a"}, "w")
    with pytest.raises(InputError, match="a.tar: found no file [*].question, "):
        read_questions(path)


def test_what_is_written_is_read(tmp_path):
    write_question(tmp_path, QUESTION)
    assert (tmp_path / "a.question").read_text(encoding="utf-8") == TEXT
    assert read_questions(tmp_path) == [QUESTION]


@pytest.mark.parametrize(
    "text, message",
    [
        ("a", "1: found the end of the file, expected the context in line 3"),
        (
            "\n".join(LINES[:4]),
            "3: found the end of the file, expected the question in line 5",
        ),
        (
            "\n".join(LINES[:6]),
            "5: found the end of the file, expected the answer in line 7",
        ),
        (
            changed(4, "x" * 70),
            f"4: found '{'x' * 60}…', expected a blank line after the context",
        ),
        (
            changed(8, "@entity3:Ann"),
            "8: found '@entity3:Ann', expected a blank line after the answer",
        ),
        (changed(3, " "), "3: found an empty context, expected tokens"),
        (
            changed(3, "@entity3's dog"),
            "3: found no entity in the context, expected at least one such as "
            "@entity0",
        ),
        (
            changed(5, "Who left ?"),
            "5: found 0 times @placeholder in the question, expected it once",
        ),
        (
            changed(5, "@placeholder is @placeholder"),
            "5: found 2 times @placeholder in the question, expected it once",
        ),
        (
            changed(7, "Ann"),
            "7: found 'Ann' as the answer, expected an entity such as @entity0",
        ),
        (
            changed(9, "Ann"),
            "9: found 'Ann', expected an entity and its name, as @entity0:Name",
        ),
        (
            changed(10, "@entity3:Bo"),
            "10: found @entity3 again, expected each entity once",
        ),
    ],
)
def test_mistakes(tmp_path, text, message):
    path = tmp_path / "a.question"
    write(path, text)
    with pytest.raises(InputError) as error:
        read_questions(path)
    assert str(error.value) == f"{path}:{message}"


def test_mistakes_of_files(folder, tmp_path):
    path = folder / "a.question"
    path.write_bytes(b"a\n\n\xe9\n")
    with pytest.raises(InputError, match="a.question:3: byte 0xe9"):
        read_questions(folder)
    path.write_bytes(b"")
    with pytest.raises(InputError, match="a.question: empty file"):
        read_questions(folder)
    with pytest.raises(InputError, match="found no file [*].question in this"):
        read_questions(tmp_path)
    with pytest.raises(InputError, match="nothing: no such file"):
        read_questions(tmp_path / "nothing")
    with pytest.raises(InputError, match="nothing/x: no such file"):
        read_questions(folder / "b.question" / "nothing" / "x")


def test_two_files_of_a_name(folder):
    other = folder / "more"
    other.mkdir()
    write(other / "a.question", TEXT)
    with pytest.raises(InputError) as error:
        read_questions(f"{folder}/a.question,{other}/a.question")
    assert str(error.value) == (
        f"{other}/a.question: found the name of an earlier file, expected one "
        "of its own"
    )
