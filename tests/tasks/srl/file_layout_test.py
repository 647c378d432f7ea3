import pytest

from elmo_tf.errors import InputError
from tasks.srl.file_layout import LAYOUTS
from tasks.srl.file_layout import UNIVERSAL_PROPBANK
from tasks.srl.file_layout import begins_universal_propbank
from tasks.srl.file_layout import layout_named
from tasks.srl.file_layout import recognise_beginning
from tasks.srl.file_layout import recognise_layout
from tasks.text.column_sentence import ColumnSentence
from tests.tasks.srl.tiny_srl import TEXTS

BRACKETS = sorted(name for name in LAYOUTS if LAYOUTS[name].has_brackets)


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
    "name", sorted(set(BRACKETS) - {"words_and_props", "conll2005"})
)
def test_each_is_recognised(name):
    assert recognise_layout(sentences_of(TEXTS[name])) is LAYOUTS[name]


@pytest.mark.parametrize("name", ["words_and_props", "conll2005"])
def test_those_with_words_in_front(name):
    text = TEXTS[name].replace("#", "Old")
    assert recognise_layout(sentences_of(text)) is LAYOUTS[name]


@pytest.mark.parametrize("name", BRACKETS)
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


@pytest.mark.parametrize("name", LAYOUTS)
def test_beginnings(name):
    """Only two layouts have one of their own."""
    lines = TEXTS[name].splitlines()
    expected = LAYOUTS[name] if LAYOUTS[name].has_documents else None
    assert recognise_beginning(iter(lines)) is expected
    assert recognise_beginning(["", " ", *lines]) is expected


def test_there_may_be_nothing():
    assert recognise_beginning([]) is None
    assert recognise_beginning(["", "#", " "]) is None


@pytest.mark.parametrize("number", ["1", "1-2", "0.1"])
@pytest.mark.parametrize("head", ["0", "12", "_"])
def test_a_treebank(number, head):
    row = "\t".join([number, *"abcde", head, *"fgh"])
    for lines in ([row], ["# sent_id = 1", row], [f"{row}\t_\tA0"]):
        assert recognise_beginning(lines) is LAYOUTS[UNIVERSAL_PROPBANK]


@pytest.mark.parametrize(
    "line",
    [
        "1\tCD\t*\t*\t-\t-\t(A1*)\t*\t*\t*",
        "1 a b c d e 0 f g h",
        "1\ta\tb\tc\td\te\t0\tf\tg",
        "2\ta\tb\tc\td\te\t0\tf\tg\th",
    ],
)
def test_no_treebank(line):
    assert recognise_beginning([line]) is None


def test_first_lines():
    assert begins_universal_propbank("# global.columns = ID FORM")
    assert begins_universal_propbank("#global.columns=ID")
    assert not begins_universal_propbank("# global.columns")
    assert recognise_beginning(["#end document"]) is None


def test_another_name():
    with pytest.raises(InputError) as info:
        layout_named("conll")
    assert str(info.value) == (
        "layout: found 'conll', expected one of props, words_and_props, "
        "conll2005, propbank, conll2012, universal_propbank"
    )


def test_another_layout():
    with pytest.raises(InputError) as info:
        recognise_layout(sentences_of("a b c *\nd e f *\n"))
    assert str(info.value) == (
        "a:1: found a file with 3 columns before those with brackets, expected "
        "1 (props), 2 (words and props), 6 (CoNLL-2005), or the columns of "
        "PropBank, CoNLL-2012 or Universal PropBank"
    )
