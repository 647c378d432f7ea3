"""What a document says of itself."""

import pytest

from tests.tasks.coref import small_documents


def test_tokens():
    document = small_documents.make("Anna came . / She left")
    assert document.tokens == ("Anna", "came", ".", "She", "left")
    assert document.sentences == (("Anna", "came", "."), ("She", "left"))


@pytest.mark.parametrize(
    "key, genre",
    [
        ("bc/cctv/00/cctv_0000", "bc"),
        ("nw/wsj/24/wsj_2405", "nw"),
        ("1023_bleak_house_brat", None),
        ("bc", None),
        ("books/emma", None),
    ],
)
def test_genre(key, genre):
    assert small_documents.make("a", key=key).genre == genre


@pytest.mark.parametrize("part, name", [(None, "a"), (0, "a_0"), (12, "a_12")])
def test_name(part, name):
    assert small_documents.make("a", key="a", part=part).name == name


def test_its_place_is_not_part_of_it():
    one, other = (small_documents.make("a", place=place) for place in "xy")
    assert one == other
