import pytest

from elmo_tf.errors import InputError
from tasks.srl.file_layout import LAYOUTS
from tasks.srl.file_layout import begins_document
from tasks.srl.file_layout import layout_named
from tasks.srl.file_layout import recognise_layout
from tasks.text.column_sentence import ColumnSentence
from tests.tasks.srl.tiny_srl import TEXTS


def sentences_of(text):
    """A list of `ColumnSentence`, without lines that begin documents."""
    blocks = [
        [line.split() for line in block.splitlines() if line[0] != "#"]
        for block in text.split("\n\n")
    ]
    return [
        ColumnSentence("a", tuple(map(tuple, rows)), tuple(range(1, 99)), 0)
        for rows in blocks
        if rows
    ]


# In this layout a line may begin with a word that is `#`.
@pytest.mark.parametrize(
    "name", sorted(set(LAYOUTS) - {"words_and_props", "conll2005"})
)
def test_each_is_recognised(name):
    assert recognise_layout(sentences_of(TEXTS[name])) is LAYOUTS[name]


@pytest.mark.parametrize("name", ["words_and_props", "conll2005"])
def test_those_with_words_in_front(name):
    text = TEXTS[name].replace("#", "Old")
    assert recognise_layout(sentences_of(text)) is LAYOUTS[name]


@pytest.mark.parametrize("name", LAYOUTS)
def test_without_predicates(name):
    text = TEXTS[name].split("\n\n")[-1]
    assert recognise_layout(sentences_of(text)) is LAYOUTS[name]


@pytest.mark.parametrize("name", LAYOUTS)
def test_names(name):
    assert layout_named(name) is LAYOUTS[name]


def test_a_mistake_in_a_cell():
    """It must not hide the layout, for a good message."""
    text = TEXTS["props"].replace("(C-ARG1*", "C-ARG1", 1)
    assert recognise_layout(sentences_of(text)) is LAYOUTS["props"]


def test_words_that_look_like_brackets():
    text = "* -\n* -\n\n* run *\n* - *)\n"
    assert recognise_layout(sentences_of(text)) is LAYOUTS["words_and_props"]


def test_begins_document():
    assert begins_document("#begin document (a); part 000")
    assert not begins_document("#end document")
    assert not begins_document("# -")


def test_another_name():
    with pytest.raises(InputError) as info:
        layout_named("conll")
    assert str(info.value) == (
        "layout: found 'conll', expected one of props, words_and_props, "
        "conll2005, propbank, conll2012"
    )


def test_another_layout():
    with pytest.raises(InputError) as info:
        recognise_layout(sentences_of("a b c *\nd e f *\n"))
    assert str(info.value) == (
        "a:1: found a file with 3 columns before those with brackets, expected "
        "1 (props), 2 (words and props), 6 (CoNLL-2005), or the columns of "
        "PropBank or CoNLL-2012"
    )
