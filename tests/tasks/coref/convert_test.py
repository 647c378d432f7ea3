"""Conversion between the two formats."""

import json

from tasks.coref import conll_file
from tasks.coref import json_lines
from tests import binaries
from tests.tasks.coref import small_documents

DOCUMENTS = [
    small_documents.make("Ann came / She left", [[(0, 0), (2, 2)]], "a", 0),
    small_documents.make("It", [[(0, 0)]], "b"),
]


def test_both_ways(tmp_path):
    conll, jsonl = tmp_path / "a.conll", tmp_path / "a.jsonlines"
    back = tmp_path / "b.conll"
    conll_file.write_conll(conll, DOCUMENTS)
    for source, target in ((conll, jsonl), (jsonl, back)):
        result = binaries.run("tasks.coref.convert", source, target)
        assert (result.returncode, result.stderr) == (0, "")
        assert json.loads(result.stdout) == {
            "documents": 2,
            "sentences": 3,
            "tokens": 5,
            "clusters": 2,
            "mentions": 3,
        }
    assert json_lines.read_json_lines(jsonl) == DOCUMENTS
    assert back.read_text() == conll.read_text()


def test_mistakes(tmp_path):
    path = tmp_path / "a.conll"
    conll_file.write_conll(path, DOCUMENTS)
    text = path.read_text()
    for arguments, message in (
        ([path, tmp_path / "a.txt"], f"{tmp_path}/a.txt: expected a name that"),
        ([path, path], f"{path}: is one of the input files"),
        ([tmp_path / "b", path], f"{tmp_path}/b: no such file"),
        ([path], "missing argument OUTPUT; --help tells more"),
    ):
        result = binaries.run("tasks.coref.convert", *arguments)
        binaries.check_mistake(result, "convert", message)
    assert path.read_text() == text
