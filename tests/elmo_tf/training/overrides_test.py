import dataclasses

import pydantic
import pytest
from pydantic.dataclasses import dataclass

from elmo_tf.errors import InputError
from elmo_tf.training.overrides import override
from elmo_tf.training.overrides import read_overrides
from elmo_tf.training.overrides import to_dict
from elmo_tf.training.overrides import to_yaml

_STRICT = pydantic.ConfigDict(extra="forbid")


@dataclass(frozen=True, config=_STRICT)
class Inner:
    width: pydantic.PositiveInt = 3
    rate: float = 0.5
    pairs: tuple[tuple[int, int], ...] = ((1, 2),)


@dataclass(frozen=True, config=_STRICT)
class Outer:
    inner: Inner = dataclasses.field(default_factory=Inner)
    optional: Inner | None = None
    name: str = ""
    limit: int | None = 7


def changed(text):
    return override(Outer(), read_overrides(text, "--flag"), "--flag")


@pytest.mark.parametrize(
    "text",
    [
        "inner.width=4,name=a b,limit=null,inner.pairs=[[1, 2], [3, 4]]",
        "inner.width=4,inner.pairs=[[1,2],[3,4]],limit=null,name='a b'",
        "{inner: {width: 4, pairs: [[1, 2], [3, 4]]}, limit: null, name: a b}",
        '{"inner": {"width": 4, "pairs": [[1, 2], [3, 4]]}, "limit": null, '
        '"name": "a b"}',
        "inner.width: 4\ninner: {pairs: [[1, 2], [3, 4]]}\nlimit:\nname: a b\n",
    ],
)
def test_the_same_in_every_form(tmp_path, text):
    expected = Outer(
        inner=Inner(width=4, pairs=((1, 2), (3, 4))), name="a b", limit=None
    )
    assert changed(text) == expected
    if "=" not in text:
        path = tmp_path / "changes.yaml"
        path.write_text(text, encoding="utf-8")
        assert changed(str(path)) == expected


@pytest.mark.parametrize(
    "value, expected",
    [
        ("a/*.txt,b/*.txt", "a/*.txt,b/*.txt"),
        ("a/[0-9]*.txt,b.txt", "a/[0-9]*.txt,b.txt"),
        ("*.txt", "*.txt"),
        ("**/*.txt,!x", "**/*.txt,!x"),
        ("@a", "@a"),
        ("'x=1,y=2'", "x=1,y=2"),
        ('"x, y"', "x, y"),
        ("a=b", "a=b"),
        ("", ""),
        ("https://host/a:b", "https://host/a:b"),
    ],
)
def test_text(value, expected):
    if not value:
        assert changed("name=''").name == expected
        return
    assert changed(f"name={value}").name == expected
    assert changed(f"limit=1,name={value},inner.width=9") == Outer(
        name=expected, limit=1, inner=Inner(width=9)
    )


def test_numbers():
    assert changed("inner.rate=1e-3").inner.rate == 0.001
    assert changed("inner.rate=1.5e-3").inner.rate == 0.0015
    assert changed("inner.rate=2").inner.rate == 2.0
    assert changed("inner.width=1_000").inner.width == 1000


def test_a_comma_at_the_end():
    assert changed("limit=1,") == Outer(limit=1)
    assert changed(",limit=1,,inner.width=2") == Outer(
        limit=1, inner=Inner(width=2)
    )


def test_an_optional_part():
    once = override(Outer(), {"optional": {"width": 5}}, "x")
    assert once.optional == Inner(width=5)
    again = override(once, {"optional.rate": 0.25}, "x")
    assert again.optional == Inner(width=5, rate=0.25)
    assert override(again, {"optional": None}, "x") == Outer()


def test_nothing():
    assert changed("{}") == Outer()
    assert read_overrides("", "x") == {}
    assert override(Outer(), {}, "x") == Outer()


def test_the_configuration_stays_as_it_was():
    config = Outer()
    override(config, {"inner.width": 4}, "x")
    assert config == Outer()


def test_dict_and_yaml_round_trip():
    config = Outer(optional=Inner(width=9), name="ü: [1,", limit=None)
    values = to_dict(config)
    assert values["optional"] == {"width": 9, "rate": 0.5, "pairs": [[1, 2]]}
    assert list(values) == ["inner", "optional", "name", "limit"]
    text = to_yaml(config)
    assert override(Outer(), read_overrides(text, "x"), "x") == config


@pytest.mark.parametrize(
    "text, message",
    [
        (
            "inner.widht=4",
            "--flag: unknown option inner.widht; did you mean inner.width?",
        ),
        (
            "zzz=4",
            "--flag: unknown option zzz; expected one of inner, limit, name, "
            "optional",
        ),
        (
            "{inner: {zzz: 1}}",
            "--flag: unknown option inner.zzz; expected one of pairs, rate, "
            "width",
        ),
        (
            "inner.width=-1",
            "--flag: inner.width: input should be greater than 0, found -1",
        ),
        (
            "inner.width=two",
            "--flag: inner.width: input should be a valid integer, unable to "
            "parse string as an integer, found 'two'",
        ),
        (
            "name=5",
            "--flag: name: input should be a valid string, found 5",
        ),
        ("=4", "--flag: expected option=value, found '=4'"),
        (
            "inner.width",
            "--flag: expected a file, a YAML or JSON mapping or a.b=1,c.d=2, "
            "found 'inner.width'",
        ),
        (
            "{a: [1}",
            "--flag: not YAML or JSON: while parsing a flow sequence",
        ),
        (
            "limit=1,limit.x=2",
            "--flag: limit.x and limit cannot both be set",
        ),
    ],
)
def test_mistakes(text, message):
    with pytest.raises(InputError) as info:
        changed(text)
    assert str(info.value).startswith(message)
    assert "\n" not in str(info.value)


def test_a_value_in_the_place_of_a_part():
    with pytest.raises(InputError, match="^--flag: inner: input should be a"):
        changed("inner=5")


def test_a_mistake_in_a_file_names_it(tmp_path):
    path = tmp_path / "changes.yaml"
    path.write_text("{a: [1}", encoding="utf-8")
    with pytest.raises(InputError) as info:
        read_overrides(str(path), "--flag")
    assert str(info.value).startswith(f"--flag: {path}: not YAML or JSON: ")


def test_a_file_that_is_no_text(tmp_path):
    path = tmp_path / "changes.yaml"
    path.write_bytes(b"a: \xff\n")
    with pytest.raises(InputError) as info:
        read_overrides(str(path), "--flag")
    assert str(info.value) == f"--flag: {path}: not UTF-8 text"


def test_a_missing_file():
    with pytest.raises(InputError) as info:
        read_overrides("none/params.yaml", "--config_file none/params.yaml")
    assert str(info.value) == (
        "--config_file none/params.yaml: expected a file, a YAML or JSON "
        "mapping or a.b=1,c.d=2, found 'none/params.yaml'"
    )
