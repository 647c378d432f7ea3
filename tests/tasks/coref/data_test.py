"""Files of either format; names that occur twice; numbers."""

import dataclasses

import pytest

from elmo_tf.errors import InputError
from tasks.coref import conll_file
from tasks.coref import data
from tasks.coref import json_lines
from tasks.coref.coref_document import CorefDocument
from tests import binaries
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


BINARIES = [
    ("convert", ["{}", "{}.out.conll"]),
    ("split", ["{}", "{}.out"]),
    ("metrics", ["{}", "{good}"]),
    ("metrics", ["{good}", "{}"]),
    ("baselines", ["{}", "{good}"]),
    ("baselines", ["{good}", "{}"]),
]


@pytest.mark.parametrize("name, arguments", BINARIES)
def test_every_binary_names_the_place(tmp_path, name, arguments):
    good = tmp_path / "good.conll"
    conll_file.write_conll(good, DOCUMENTS)
    text = good.read_text()
    line = text[: text.index("(0)")].count("\n") + 1
    outside = dataclasses.replace(DOCUMENTS[1], clusters=(((0, 1),),))
    json_lines.write_json_lines(tmp_path / "outside", [DOCUMENTS[0], outside])
    (tmp_path / "opened").write_text(text.replace("(0)", "(0", 1))
    (tmp_path / "closed").write_text(text.replace("(0)", "0)", 1))
    before = sorted(tmp_path.iterdir())
    for file, message in (
        ("opened", f"{line}: found (0, expected 0) after it in the document"),
        ("closed", f"{line}: found 0), expected (0 before it in the document"),
        (
            "outside",
            "2: clusters: found the mention [0, 1], expected the numbers of a "
            "first and a last token, from 0 to 0",
        ),
    ):
        path = tmp_path / file
        result = binaries.run(
            f"tasks.coref.{name}",
            *(argument.format(path, good=good) for argument in arguments),
        )
        binaries.check_mistake(result, name, f"{path}:{message}")
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("name, arguments", BINARIES)
def test_every_binary_takes_documents_with_little_in_them(
    tmp_path, name, arguments
):
    """No token, one, or no mention; in both formats."""
    documents = [
        CorefDocument("empty", None, (), (), ()),
        small_documents.make("Hi", key="token"),
        small_documents.make("It rains", key="none"),
    ]
    if name == "split":
        documents += [
            dataclasses.replace(documents[0], key=f"empty{i}") for i in range(7)
        ]
    for write in (conll_file.write_conll, json_lines.write_json_lines):
        path = tmp_path / write.__name__
        write(path, documents)
        assert data.read_documents(path) == documents
        result = binaries.run(
            f"tasks.coref.{name}",
            *(argument.format(path, good=path) for argument in arguments),
        )
        assert (result.returncode, result.stderr) == (0, "")


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
