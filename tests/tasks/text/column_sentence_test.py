import pytest

from elmo_tf.errors import InputError
from tasks.text.column_sentence import ColumnSentence


@pytest.fixture
def sentence():
    return ColumnSentence(
        path="a.conll",
        rows=(("The", "DT", ""), ("end", "NN", "X")),
        lines=(7, 9),
        document=0,
    )


def test_columns(sentence):
    assert len(sentence) == 2
    assert sentence.column(0) == sentence.column(-3) == ["The", "end"]
    assert sentence.column(1) == sentence.column(-2) == ["DT", "NN"]
    assert sentence.column(2, may_be_empty=True) == ["", "X"]


def test_place(sentence):
    assert [sentence.place(i) for i in range(2)] == ["a.conll:7", "a.conll:9"]


@pytest.mark.parametrize("index, needed", [(3, 4), (5, 6), (-4, 4)])
def test_a_missing_column(sentence, index, needed):
    with pytest.raises(InputError) as info:
        sentence.column(index)
    assert str(info.value) == (
        f"a.conll:7: found 3 columns, expected at least {needed}"
    )


def test_one_column_is_one():
    sentence = ColumnSentence("a.conll", (("a",),), (1,), 0)
    with pytest.raises(InputError, match="^a.conll:1: found 1 column, "):
        sentence.column(-2)


@pytest.mark.parametrize("index", [2, -1])
def test_an_empty_column(index):
    sentence = ColumnSentence(
        "a.conll", (("a", "DT", "X"), ("b", "NN", "")), (3, 4), 0
    )
    with pytest.raises(InputError) as info:
        sentence.column(index)
    assert str(info.value) == (
        "a.conll:4: found nothing in column 3, expected a value"
    )
