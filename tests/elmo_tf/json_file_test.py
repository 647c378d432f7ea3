import pytest

from elmo_tf.errors import InputError
from elmo_tf.json_file import read_json
from elmo_tf.json_file import write_json


@pytest.mark.parametrize("indent", [None, 1, 2])
def test_written_and_read(tmp_path, indent):
    path = tmp_path / "values.json"
    value = {"ä": [1, 2.5, None, True], "b": {"c": "\n", "d": "\udcff"}}
    write_json(path, value, indent)
    assert read_json(path, "values") == value
    text = path.read_text(encoding="utf-8")
    assert text.endswith("}\n") and "ä" in text
    assert (text.count("\n") == 1) == (indent is None)


def test_what_cannot_be_written_leaves_the_old(tmp_path):
    path = tmp_path / "values.json"
    write_json(path, {"a": 1})
    with pytest.raises(TypeError, match="not JSON serializable"):
        write_json(path, {"a": {1, 2}})
    assert read_json(path, "values") == {"a": 1}
    assert [file.name for file in tmp_path.iterdir()] == ["values.json"]


@pytest.mark.parametrize(
    "content, found",
    [
        (b"", "Expecting value: line 1 column 1 (char 0)"),
        (b"\xff", "'utf-8' codec can't decode byte 0xff in position 0: "),
        (b"[1]", "no JSON object"),
        (b"3", "no JSON object"),
        (b'{"a": ' * 200_000, "maximum recursion depth exceeded"),
        (b'{"a": %s}' % (b"9" * 5_000), "Exceeds the limit (4300 digits) "),
    ],
)
def test_what_is_something_else(tmp_path, content, found):
    path = tmp_path / "values.json"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_json(path, "some values")
    assert str(caught.value).startswith(
        f"{path}: expected some values, found {found}"
    )


def test_what_is_not_there(tmp_path):
    with pytest.raises(InputError) as caught:
        read_json(tmp_path / "none", "some values")
    assert str(caught.value) == f"{tmp_path}/none: No such file or directory"
    with pytest.raises(InputError) as caught:
        read_json(tmp_path, "some values")
    assert str(caught.value) == f"{tmp_path}: Is a directory"
