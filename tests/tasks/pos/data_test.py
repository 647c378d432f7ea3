import gzip
import io

import pytest

from elmo_tf.errors import InputError
from tasks.pos.data import read_examples
from tasks.pos.data import read_sentences_to_tag
from tasks.pos.data import write_examples
from tests.tasks.pos import tiny_pos

ROW = "{}\tword\tword\tNOUN\tNN\t_\t0\troot\t_\t_\n"


@pytest.fixture
def write(tmp_path):
    def write(text, name="data.txt"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.mark.parametrize("kind", tiny_pos.TEXTS)
class TestEveryFormat:
    def test_tags(self, write, kind):
        examples = read_examples(write(tiny_pos.TEXTS[kind]), "xpos")
        assert [example.tokens for example in examples] == tiny_pos.WORDS
        assert [example.tags for example in examples] == tiny_pos.XPOS

    def test_words_alone(self, write, kind):
        examples = read_sentences_to_tag(write(tiny_pos.TEXTS[kind]))
        assert [example.tokens for example in examples] == tiny_pos.WORDS
        assert [example.tags for example in examples] == [None, None]

    def test_gzip(self, tmp_path, write, kind):
        path = tmp_path / "data.gz"
        path.write_bytes(gzip.compress(tiny_pos.TEXTS[kind].encode()))
        assert [example.tokens for example in read_sentences_to_tag(path)] == (
            tiny_pos.WORDS
        )

    def test_written(self, write, kind):
        """Gold tags make the file again, if its format is written at all."""
        examples = read_examples(write(tiny_pos.TEXTS[kind]), "xpos")
        file = io.StringIO()
        write_examples(examples, tiny_pos.XPOS, "xpos", file)
        form = "conllu" if kind == "conllu" else "columns"
        assert file.getvalue() == tiny_pos.TEXTS[form]


class TestCoNLLU:
    def test_upos(self, write):
        examples = read_examples(write(tiny_pos.TEXTS["conllu"]), "upos")
        assert [example.tags for example in examples] == tiny_pos.UPOS

    @pytest.mark.parametrize("column, place", [("upos", 3), ("xpos", 4)])
    def test_predictions_stand_in_their_column(self, write, column, place):
        path = write(tiny_pos.TEXTS["conllu"])
        file = io.StringIO()
        write_examples(
            read_sentences_to_tag(path),
            [["X"] * len(words) for words in tiny_pos.WORDS],
            column,
            file,
        )
        expected = []
        for line in tiny_pos.TEXTS["conllu"].splitlines():
            row = line.split("\t")
            if row[0].isdigit():
                row[place] = "X"
            expected.append("\t".join(row))
        assert file.getvalue().splitlines() == expected

    def test_words_that_need_no_tags(self, write):
        text = ROW.format(1).replace("NN", "_").replace("NOUN", "_")
        (example,) = read_sentences_to_tag(write(text))
        assert example.tokens == ("word",)

    def test_only_empty_nodes_before_the_words(self, write):
        text = ROW.format("0.1") + ROW.format(1)
        (example,) = read_examples(write(text), "upos")
        assert (example.tags, example.row_numbers) == (("NOUN",), (1,))

    @pytest.mark.parametrize(
        "text, message",
        [
            (
                ROW.format(1) + ROW.format(2).replace("NN", "_"),
                "2: found no XPOS of 'word', expected one; which tags are read "
                "is task.column",
            ),
            (
                ROW.format(1) + ROW.format("x"),
                "2: found 'x' in the column ID, expected 2",
            ),
            (
                ROW.format(1) + "\n" + ROW.format("1.1"),
                "3: found a sentence without words, expected at least one",
            ),
            (
                ROW.format(1) + "\n1\tword\n",
                "3: found 2 columns, expected 10 as in line 1",
            ),
            (
                "# global.columns = ID FORM\n" + ROW.format(1)[:-1] + "\t_\n",
                "2: found 11 columns, expected the 10 of CoNLL-U",
            ),
        ],
    )
    def test_errors(self, write, text, message):
        path = write(text)
        with pytest.raises(InputError) as error:
            read_examples(path, "xpos")
        assert str(error.value).startswith(f"{path}:{message}")

    def test_many_comments(self, write):
        text = "# a comment\n" * 30
        (example,) = read_examples(write(text + ROW.format(1)), "upos")
        assert example.tokens == ("word",)
        with pytest.raises(InputError, match="found no token, expected one to"):
            read_examples(write(text), "upos")


class TestColumns:
    def test_more_columns(self, write):
        text = "-DOCSTART- -X- -X- O\n\nHe PRP B-NP O\n\nsings VBZ B-VP O\n"
        examples = read_examples(write(text), "upos")
        assert [example.tokens for example in examples] == [("He",), ("sings",)]
        assert [example.tags for example in examples] == [("PRP",), ("VBZ",)]

    @pytest.mark.parametrize(
        "text",
        ["He\n1/2\n#\n\n(\n", "(\n1/2\n#\n\n(\n", "#\nand/or\nHe\n\n=\n"],
    )
    def test_words_alone(self, write, text):
        examples = read_sentences_to_tag(write(text))
        assert [example.tokens for example in examples] == [
            tuple(part.split()) for part in text.split("\n\n")
        ]

    def test_a_missing_tag(self, write):
        path = write("He\nsings\n")
        with pytest.raises(InputError) as error:
            read_examples(path, "upos")
        assert str(error.value) == (
            f"{path}:1: found 1 column, expected at least 2"
        )


def test_several_files(write):
    write(tiny_pos.TEXTS["trees"], "wsj_0001.mrg")
    path = write(tiny_pos.TEXTS["trees"], "wsj_0002.mrg")
    other = write(tiny_pos.TEXTS["columns"], "more.txt")
    pattern = f"{path.parent}/wsj_*.mrg,{other}"
    expected = tiny_pos.WORDS * 3
    for examples in (
        read_examples(pattern, "xpos"),
        read_sentences_to_tag(pattern),
    ):
        assert [example.tokens for example in examples] == expected


def test_missing_and_empty_files(tmp_path, write):
    path = tmp_path / "none.txt"
    with pytest.raises(InputError) as error:
        read_examples(path, "xpos")
    assert str(error.value) == f"{path}: no such file"
    with pytest.raises(InputError, match="empty file, expected tagged words"):
        read_sentences_to_tag(write(""))
    with pytest.raises(InputError, match="found no token, expected one token"):
        read_sentences_to_tag(write("\n\n"))


def test_real_data(shared_data):
    path = shared_data / "data/pos/ud-ewt/en_ewt-ud-dev.conllu.gz"
    examples = read_examples(path, "upos")
    assert len(examples) == 2001
    assert sum(len(example.tokens) for example in examples) == 25147
    assert len({tag for example in examples for tag in example.tags}) == 17
    # All of the file, whatever else stands in it.
    file = io.StringIO()
    tags = [example.tags for example in examples]
    write_examples(examples, tags, "upos", file)
    with gzip.open(path, "rt", encoding="utf-8") as expected:
        assert file.getvalue() == expected.read()
