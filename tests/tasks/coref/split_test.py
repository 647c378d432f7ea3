"""Training, development and test data by name."""

import json

import pytest

from elmo_tf.errors import InputError
from tasks.coref import json_lines
from tasks.coref.split import split_documents
from tests import binaries
from tests.tasks.coref import small_documents


def documents(*keys):
    return [small_documents.make("a b", key=key) for key in keys]


def test_names_in_alphabetical_order():
    # "10" comes before "9".
    keys = [str(number) for number in range(2, 27)]
    pieces = split_documents(documents(*keys))
    assert list(pieces) == ["train", "dev", "test"]
    found = [[d.key for d in piece] for piece in pieces.values()]
    # 20 names end at 0.8 · 25, 22 at 0.9 · 25.
    assert [len(names) for names in found] == [20, 2, 3]
    assert sum(found, []) == sorted(keys)
    assert found[2] == ["7", "8", "9"]


def test_parts_stay_together():
    parts = [
        small_documents.make("a", key=key, part=part)
        for part in (1, 0)
        for key in "abcdefghij"
    ]
    pieces = split_documents(parts)
    assert [(d.key, d.part) for d in pieces["dev"]] == [("i", 1), ("i", 0)]
    assert [(d.key, d.part) for d in pieces["test"]] == [("j", 1), ("j", 0)]


def test_too_few():
    with pytest.raises(InputError) as error:
        split_documents(documents(*"abcd"))
    assert str(error.value) == (
        "found documents of 4 names, expected so many that 10 percent of them, "
        "for dev, are at least one"
    )


def test_binary(tmp_path):
    source = tmp_path / "all.jsonl"
    json_lines.write_json_lines(source, documents(*"jihgfedcba"))
    folder = tmp_path / "new" / "split"
    result = binaries.run("tasks.coref.split", source, folder)
    assert (result.returncode, result.stderr) == (0, "")
    printed = json.loads(result.stdout)
    assert list(printed) == ["train", "dev", "test"]
    for name, keys in (("train", "abcdefgh"), ("dev", "i"), ("test", "j")):
        found = json_lines.read_json_lines(folder / f"{name}.jsonlines")
        assert found == documents(*keys)
        assert printed[name]["documents"] == len(keys)
        assert printed[name]["tokens"] == 2 * len(keys)
    result = binaries.run("tasks.coref.split", source, folder)
    binaries.check_mistake(
        result, "split", f"{folder}: exists already; remove it first"
    )
