"""JSON lines of e2e-coref: what is read and written, what is wrong."""

import json

import pytest

from elmo_tf.errors import InputError
from tasks.coref.json_lines import read_json_lines
from tasks.coref.json_lines import write_json_lines
from tests.tasks.coref import small_documents

VALUES = {
    "doc_key": "nw/a_0",
    "sentences": [["Ann", "came"], ["She"]],
    "speakers": [["B", "B"], ["C"]],
    "clusters": [[[0, 0], [2, 2]], [[0, 2]]],
}


@pytest.fixture
def write(tmp_path):
    """A function that writes objects, a line each, and returns the path."""

    def write_file(*lines):
        path = tmp_path / "a.jsonlines"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return str(path)

    return write_file


def read_error(path):
    with pytest.raises(InputError) as error:
        read_json_lines(path)
    return str(error.value)


def test_read(write):
    path = write(VALUES, {**VALUES, "doc_key": "b", "constituents": []})
    first, second = read_json_lines(path)
    assert (first.key, first.part) == ("nw/a", 0)
    assert first.sentences == (("Ann", "came"), ("She",))
    assert first.speakers == (("B", "B"), ("C",))
    assert first.clusters == (((0, 0), (2, 2)), ((0, 2),))
    assert first.place == f"{path}:1"
    assert (second.key, second.part) == ("b", None)
    assert second.place == f"{path}:2"


def test_other_names_stay(write, tmp_path):
    others = {"constituents": [[0, 1, "NP"]], "é": {"a": None, "b": [1.5]}}
    path = write({**others, **VALUES})
    (document,) = read_json_lines(path)
    assert document.others == others
    copy = tmp_path / "b.jsonl"
    write_json_lines(copy, [document])
    assert json.loads(copy.read_text("utf-8")) == {**others, **VALUES}


def test_what_may_be_missing(write):
    path = write({"doc_key": "b", "sentences": [["Ann", "came"], ["She"]]})
    expected = small_documents.make("Ann came / She", key="b")
    assert read_json_lines(path) == [expected]
    path = write({**VALUES, "speakers": [["", "B"], ["-"]]})
    assert read_json_lines(path)[0].speakers == (("-", "B"), ("-",))


@pytest.mark.parametrize(
    "name, key, part",
    [
        ("a_12", "a", 12),
        ("a_b_0", "a_b", 0),
        # Written as they were.
        ("train_00001", "train_00001", None),
        ("a_-1", "a_-1", None),
        ("_1", "_1", None),
    ],
)
def test_names(write, name, key, part):
    (document,) = read_json_lines(write({**VALUES, "doc_key": name}))
    assert (document.key, document.part, document.name) == (key, part, name)


def test_write(write, tmp_path):
    documents = read_json_lines(write(VALUES))
    path = tmp_path / "b.jsonl"
    write_json_lines(path, [*documents, small_documents.make("Zoë", key="c")])
    first, second = path.read_text(encoding="utf-8").splitlines()
    assert json.loads(first) == VALUES
    assert second == (
        '{"doc_key": "c", "sentences": [["Zoë"]], "speakers": [["-"]], '
        '"clusters": []}'
    )
    assert read_json_lines(path)[0] == documents[0]


def test_no_document(tmp_path):
    path = tmp_path / "a"
    path.write_text("\n \n")
    assert read_error(path) == (
        f"{path}: found no document, expected one JSON object a line, with "
        "doc_key, sentences and clusters"
    )


def test_no_json(tmp_path):
    path = tmp_path / "a"
    path.write_text('\n{"a": }\n')
    assert read_error(path) == (
        f"{path}:2: found no JSON (Expecting value at position 7 of the line), "
        "expected one JSON object a line, with doc_key, sentences and clusters"
    )


@pytest.mark.parametrize(
    "change",
    [
        {"doc_key": "a\ud83d"},
        {"sentences": [["Ann", "\ud83d"], ["She"]]},
        {"others": {"\ud83d": 1}},
    ],
)
def test_half_a_character(write, change):
    path = write({**VALUES, **change})
    assert read_error(path) == (
        f"{path}:1: found the character \\ud83d by itself, expected a pair of "
        "them"
    )
    whole = write({**VALUES, "sentences": [["Ann", "\ud83d\ude00"], ["She"]]})
    assert read_json_lines(whole)[0].tokens[1] == "\N{GRINNING FACE}"


MENTION = (
    "clusters: found the mention {}, expected the numbers of a first and a "
    "last token, from 0 to 2"
)


@pytest.mark.parametrize(
    "change, message",
    [
        ({"doc_key": None}, "doc_key: found null, expected a name"),
        ({"doc_key": ""}, 'doc_key: found "", expected a name'),
        (
            {"sentences": None},
            "sentences: found null, expected a list of lists of texts",
        ),
        (
            {"sentences": ["Ann came"]},
            'sentences: found ["Ann came"], expected a list of lists of texts',
        ),
        (
            {"sentences": [["a"], [1] * 30]},
            'sentences: found [["a"], [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, '
            "1, 1, 1, ..., expected a list of lists of texts",
        ),
        (
            {"sentences": [["a", "b", "c"], []], "speakers": None},
            "sentences: found [] as number 2, expected tokens that are not "
            "empty",
        ),
        (
            {"sentences": [["a", "b", ""]], "speakers": None},
            'sentences: found ["a", "b", ""] as number 1, expected tokens that '
            "are not empty",
        ),
        (
            {"speakers": [["B"], ["B", "C"]]},
            "speakers: found lists of the lengths [1, 2], expected those of "
            "the sentences, [2, 1]",
        ),
        (
            {"speakers": "B"},
            'speakers: found "B", expected a list of lists of texts',
        ),
        (
            {"clusters": {}},
            "clusters: found {}, expected a list of lists of mentions",
        ),
        (
            {"clusters": [3]},
            "clusters: found [3], expected a list of lists of mentions",
        ),
        *(
            ({"clusters": [[[0, 0], mention]]}, MENTION.format(text))
            for mention, text in [
                (3, "3"),
                ([1], "[1]"),
                ([0, 1, 2], "[0, 1, 2]"),
                ([1, 0], "[1, 0]"),
                ([-1, 0], "[-1, 0]"),
                ([2, 3], "[2, 3]"),
                ([0, 1.0], "[0, 1.0]"),
                ([False, True], "[false, true]"),
            ]
        ),
    ],
)
def test_mistakes(write, change, message):
    path = write({**VALUES, "doc_key": "b"}, {**VALUES, **change})
    assert read_error(path) == f"{path}:2: {message}"


def test_another_value_than_an_object(write):
    path = write([1])
    assert read_error(path) == (
        f"{path}:1: found [1], expected one JSON object a line, with doc_key, "
        "sentences and clusters"
    )
