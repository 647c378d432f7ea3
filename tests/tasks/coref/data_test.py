"""Files of either format; names that occur twice; numbers."""

import pytest

from elmo_tf.errors import InputError
from tasks.coref import conll_file
from tasks.coref import data
from tasks.coref import json_lines
from tests.tasks.coref import small_documents

DOCUMENTS = [
    small_documents.make("Ann came / She left", [[(0, 0), (2, 2)]], "a", 0),
    small_documents.make("It", [[(0, 0)]], "b"),
]


@pytest.mark.parametrize("name", ["a", "a.conll", "a.jsonl"])
@pytest.mark.parametrize(
    "write", [conll_file.write_conll, json_lines.write_json_lines]
)
def test_the_format_is_told_by_the_content(tmp_path, write, name):
    path = tmp_path / name
    write(path, DOCUMENTS)
    assert data.read_documents(path) == DOCUMENTS


def test_several_files(tmp_path):
    conll_file.write_conll(tmp_path / "2.x", DOCUMENTS[:1])
    json_lines.write_json_lines(tmp_path / "1.x", DOCUMENTS[1:])
    assert data.read_documents(tmp_path / "*.x") == DOCUMENTS[::-1]
    paths = f"{tmp_path / '2.x'},{tmp_path / '1.x'}"
    assert data.read_documents(paths) == DOCUMENTS[::-1]


def test_a_document_that_occurs_twice(tmp_path):
    conll_file.write_conll(tmp_path / "1.conll", DOCUMENTS)
    json_lines.write_json_lines(tmp_path / "2.jsonl", DOCUMENTS[:1])
    with pytest.raises(InputError) as error:
        data.read_documents(tmp_path / "*")
    assert str(error.value) == (
        f"{tmp_path}/2.jsonl:1: found the document a_0, expected each once: it "
        f"stands in {tmp_path}/1.conll:1 too"
    )


@pytest.mark.parametrize(
    "text, expected",
    [
        ("", "empty file, expected documents in CoNLL-2012's format or JSON "
             "lines"),
        ("\n", "found no document, expected #begin document (NAME); part 000"),
    ],
)  # fmt: skip
def test_an_empty_file(tmp_path, text, expected):
    path = tmp_path / "a"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        data.read_documents(path)
    assert str(error.value) == f"{path}: {expected}"


@pytest.mark.parametrize(
    "name, writer",
    [
        ("a.conll", conll_file.write_conll),
        ("a.v4_gold_conll", conll_file.write_conll),
        ("a.jsonl", json_lines.write_json_lines),
        ("a/b.jsonlines", json_lines.write_json_lines),
    ],
)
def test_find_writer(name, writer):
    assert data.find_writer(name) is writer


@pytest.mark.parametrize(
    "name, writer",
    [
        ("a.jsonl", json_lines.write_json_document),
        ("a/b.jsonlines", json_lines.write_json_document),
        ("a.conll", conll_file.write_conll_document),
        ("predictions.txt", conll_file.write_conll_document),
        ("jsonl", conll_file.write_conll_document),
    ],
)
def test_find_document_writer(name, writer):
    assert data.find_document_writer(name) is writer


def test_find_no_writer():
    with pytest.raises(InputError) as error:
        data.find_writer("a.json")
    assert str(error.value) == (
        "a.json: expected a name that ends in conll, .jsonl, .jsonlines"
    )


def test_count_documents():
    assert data.count_documents(DOCUMENTS) == {
        "documents": 2,
        "sentences": 3,
        "tokens": 5,
        "clusters": 2,
        "mentions": 3,
    }
