import pytest

from elmo_tf.errors import InputError
from tasks.text.column_sentence import ColumnSentence
from tasks.text.treebank_words import word_rows


def sentence(numbers):
    numbers = numbers.split()
    return ColumnSentence(
        "a.conllu",
        tuple(("word", number) for number in numbers),
        tuple(range(7, 7 + len(numbers))),
        0,
    )


@pytest.mark.parametrize(
    "numbers, places",
    [
        ("1", (0,)),
        ("1-2 1 2 3", (1, 2, 3)),
        ("0.1 1 1.1 1.2 2-11 2", (1, 5)),
        ("1 2 3 4 5 6 7 8 9 10-11 10 11", (*range(9), 10, 11)),
    ],
)
def test_word_rows(numbers, places):
    assert word_rows(sentence(numbers), 1) == places


@pytest.mark.parametrize(
    "numbers, message",
    [
        ("1 3", "8: found '3' in the column ID, expected 2"),
        ("0 1", "7: found '0' in the column ID, expected 1"),
        ("1 1", "8: found '1' in the column ID, expected 2"),
        ("1 2-", "8: found '2-' in the column ID, expected 2"),
        ("1 01", "8: found '01' in the column ID, expected 2"),
        ("1 1.1.1", "8: found '1.1.1' in the column ID, expected 2"),
        ("1-2", "7: found a sentence without words, expected at least one"),
    ],
)
def test_errors(numbers, message):
    with pytest.raises(InputError) as error:
        word_rows(sentence(numbers), 1)
    assert str(error.value) == f"a.conllu:{message}"
