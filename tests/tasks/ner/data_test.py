import gzip
import io

import pytest

from elmo_tf.errors import InputError
from tasks.ner.data import check_classes
from tasks.ner.data import classes_of
from tasks.ner.data import read_examples
from tasks.ner.data import read_sentences_to_tag
from tasks.ner.data import write_examples
from tasks.ner.metrics import score
from tasks.ner.metrics import score_file

TOKENS = [["Ann", "Lee", "in", "Oslo", "Bergen"], ["no", "one"]]
# The same entities in each encoding that is read.
TAGS = {
    "BIO": [["B-PER", "I-PER", "O", "B-LOC", "B-LOC"], ["O", "O"]],
    "IOB1": [["I-PER", "I-PER", "O", "I-LOC", "B-LOC"], ["O", "O"]],
    "BIOUL": [["B-PER", "L-PER", "O", "U-LOC", "U-LOC"], ["O", "O"]],
    "IOBES": [["B-PER", "E-PER", "O", "S-LOC", "S-LOC"], ["O", "O"]],
}


def write(path, tokens, tags):
    path.write_text(
        "-DOCSTART- -X- O\n\n"
        + "\n".join(
            "".join(
                f"{token} NN {tag}\n" for token, tag in zip(*pair, strict=True)
            )
            for pair in zip(tokens, tags, strict=True)
        ),
        encoding="utf-8",
    )
    return str(path)


class TestReadExamples:
    @pytest.mark.parametrize("source", TAGS)
    @pytest.mark.parametrize("target", ["BIO", "IOB1", "BIOUL"])
    def test_encodings(self, tmp_path, source, target):
        path = write(tmp_path / "data", TOKENS, TAGS[source])
        examples = read_examples(path, target)
        assert [list(example.tokens) for example in examples] == TOKENS
        assert [list(example.tags) for example in examples] == TAGS[target]
        # IOBES is BIOUL in other letters.
        found = "BIOUL" if source == "IOBES" else source
        assert {example.encoding for example in examples} == {found}

    def test_the_whole_file_tells_the_encoding(self, tmp_path):
        """Each of its sentences might be of another one."""
        tokens = [["a"], ["b", "c"]]
        path = write(tmp_path / "data", tokens, [["I-X"], ["I-X", "B-X"]])
        examples = read_examples(path, "BIO")
        assert [example.tags for example in examples] == [
            ("B-X",),
            ("B-X", "B-X"),
        ]

    def test_columns(self, tmp_path):
        path = tmp_path / "data"
        path.write_text("1 B-X Ann x\n2 I-X Lee y\n")
        (example,) = read_examples(str(path), "BIO", 2, 1)
        assert example.tokens == ("Ann", "Lee")
        assert example.tags == ("B-X", "I-X")
        (example,) = read_examples(str(path), "BIO", 2, -3)
        assert example.tags == ("B-X", "I-X")

    def test_gzip(self, tmp_path):
        plain = write(tmp_path / "data", TOKENS, TAGS["BIO"])
        path = tmp_path / "data.gz"
        path.write_bytes(gzip.compress((tmp_path / "data").read_bytes()))
        for packed, expected in zip(
            read_examples(str(path), "BIO"),
            read_examples(plain, "BIO"),
            strict=True,
        ):
            assert packed.tokens == expected.tokens
            assert packed.tags == expected.tags

    @pytest.mark.parametrize(
        "text, message",
        [
            (
                "Ann B-PER\nLee X-PER\n",
                "data:2: found 'X-PER', expected a tag: O, or one of B, I, L, ",
            ),
            (
                "a O\n\nAnn B-PER\nin O\nOslo I-LOC\nB B-X\n",
                "data:5: found I-LOC after O, expected O or B-… in BIO",
            ),
            ("a B-X\nb\n", "data:2: found 1 column, expected 2 as in line 1, "),
            ("", "data: empty file, expected one token a line and blank lines"),
            ("Ann\n", "data:1: found 'Ann', expected a tag: O, or one of "),
        ],
    )
    def test_mistakes(self, tmp_path, monkeypatch, text, message):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "data").write_text(text)
        with pytest.raises(InputError) as error:
            read_examples("data", "BIOUL")
        assert str(error.value).startswith(message)

    @pytest.mark.parametrize(
        "columns, expected", [((0, 2), 3), ((0, -3), 3), ((4, 1), 5)]
    )
    def test_no_such_column(self, tmp_path, monkeypatch, columns, expected):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "data").write_text("\nAnn B-X\n")
        with pytest.raises(InputError) as error:
            read_examples("data", "BIO", *columns)
        assert str(error.value) == (
            f"data:2: found 2 columns, expected at least {expected}"
        )

    def test_missing_file(self, tmp_path):
        with pytest.raises(InputError, match="none: cannot be read: No such"):
            read_examples(f"{tmp_path}/none", "BIO")


class TestReadSentencesToTag:
    def read(self, tmp_path, text, *columns):
        (tmp_path / "data").write_text(text)
        examples = read_sentences_to_tag(str(tmp_path / "data"), *columns)
        assert all(example.tags is None for example in examples)
        return examples

    def test_words_alone(self, tmp_path):
        """A word that looks like a tag is none."""
        examples = self.read(tmp_path, "to\nI-95\n\nI-X\n")
        assert [example.tokens for example in examples] == [
            ("to", "I-95"),
            ("I-X",),
        ]
        assert {example.encoding for example in examples} == {"BIO"}

    @pytest.mark.parametrize("encoding", ["BIO", "IOB1", "BIOUL"])
    def test_encoding_of_the_tags(self, tmp_path, encoding):
        path = write(tmp_path / "data", TOKENS, TAGS[encoding])
        for example in read_sentences_to_tag(path):
            assert example.encoding == encoding

    def test_what_is_no_tag(self, tmp_path):
        (example,) = self.read(tmp_path, "Ann NNP\nsings VBZ\n")
        assert example.tokens == ("Ann", "sings")
        assert example.encoding == "BIO"

    def test_no_tag_at_all(self, tmp_path):
        (example,) = self.read(tmp_path, "Ann\tx\t\nsings\tx\t\n")
        assert example.tokens == ("Ann", "sings")
        (example,) = self.read(tmp_path, "Ann x\nsings x\n", 0, 3)
        assert example.tokens == ("Ann", "sings")
        (example,) = self.read(tmp_path, "Ann x\nsings x\n", 0, -3)
        assert example.tokens == ("Ann", "sings")

    def test_no_word(self, tmp_path):
        with pytest.raises(
            InputError, match="data:1: found 1 column, expected"
        ):
            self.read(tmp_path, "Ann\n", 1)
        with pytest.raises(InputError, match="data:2: found nothing in col"):
            self.read(tmp_path, "Ann\tO\n\tO\n")


class TestClasses:
    def test_sorted_and_distinct(self, tmp_path):
        path = write(tmp_path / "data", TOKENS, TAGS["BIO"])
        assert classes_of(read_examples(path, "BIOUL")) == ["LOC", "PER"]
        assert classes_of(read_examples(path, "BIOUL")[1:]) == []

    def test_a_hyphen_in_a_class(self, tmp_path):
        path = write(tmp_path / "data", [["a"]], [["B-X-Y"]])
        assert classes_of(read_examples(path, "BIOUL")) == ["X-Y"]

    def test_unknown(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        write(tmp_path / "data", TOKENS, TAGS["BIO"])
        examples = read_examples("data", "BIOUL")
        check_classes(examples, ["LOC", "MISC", "PER"])
        with pytest.raises(InputError) as error:
            check_classes(examples, ["MISC", "PER"])
        # The first of its tokens: the fourth one.
        assert str(error.value) == (
            "data:6: found an entity of the class LOC, expected one of the "
            "training data's: MISC, PER"
        )


class TestWriteExamples:
    PREDICTED = [["U-PER", "O", "B-LOC", "L-LOC", "U-LOC"], ["O", "U-X"]]

    @pytest.mark.parametrize(
        "encoding, column",
        [
            ("BIO", ["B-PER", "O", "B-LOC", "I-LOC", "B-LOC", "O", "B-X"]),
            ("IOB1", ["I-PER", "O", "I-LOC", "I-LOC", "B-LOC", "O", "I-X"]),
            ("BIOUL", ["U-PER", "O", "B-LOC", "L-LOC", "U-LOC", "O", "U-X"]),
        ],
    )
    def test_in_the_encoding_of_the_file(self, tmp_path, encoding, column):
        path = write(tmp_path / "data", TOKENS, TAGS[encoding])
        file = io.StringIO()
        write_examples(read_examples(path, "BIOUL"), self.PREDICTED, file)
        lines = file.getvalue().split("\n")
        # A blank line after each sentence.
        assert lines[5] == lines[8] == lines[9] == ""
        rows = [line.split(" ") for line in lines if line]
        assert [row[0] for row in rows] == TOKENS[0] + TOKENS[1]
        assert {row[1] for row in rows} == {"NN"}
        assert [row[2] for row in rows] == TAGS[encoding][0] + TAGS[encoding][1]
        assert [row[3] for row in rows] == column

    @pytest.mark.parametrize("encoding", ["BIO", "IOB1", "BIOUL"])
    def test_scores_like_the_predictions(self, tmp_path, encoding):
        path = write(tmp_path / "data", TOKENS, TAGS[encoding])
        examples = read_examples(path, "BIOUL")
        with open(tmp_path / "out", "w", encoding="utf-8") as file:
            write_examples(examples, self.PREDICTED, file)
        found = score_file(str(tmp_path / "out"))
        expected = score(
            [list(example.tags) for example in examples], self.PREDICTED
        )
        for name in ("phrases", "found", "correct", "f1", "tokens"):
            assert found[name] == expected[name]
        assert (found["phrases"], found["found"], found["correct"]) == (3, 4, 1)

    @pytest.mark.parametrize(
        "text, expected",
        [
            ("New York\tB-X\n", "New York\tB-X\tB-Y\n\n"),
            ("Oslo\t\tB-X\n", "Oslo\t\tB-X\tB-Y\n\n"),
            ("Oslo\tB-X\n", "Oslo B-X B-Y\n\n"),
        ],
    )
    def test_tabs_where_spaces_will_not_do(self, tmp_path, text, expected):
        (tmp_path / "data").write_text(text)
        file = io.StringIO()
        write_examples(
            read_examples(str(tmp_path / "data"), "BIOUL"), [["U-Y"]], file
        )
        assert file.getvalue() == expected

    def test_words_alone(self, tmp_path):
        (tmp_path / "data").write_text("Oslo\nis\n")
        file = io.StringIO()
        write_examples(
            read_sentences_to_tag(str(tmp_path / "data")), [["U-Y", "O"]], file
        )
        assert file.getvalue() == "Oslo B-Y\nis O\n\n"
