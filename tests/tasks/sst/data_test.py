import collections
import gzip
import io
import json

import pytest

from elmo_tf.errors import InputError
from tasks.label_prediction import LabelPrediction
from tasks.sst.data import SSTExample
from tasks.sst.data import read_examples
from tasks.sst.data import read_sentences_to_label
from tasks.sst.data import write_examples

TREES = """\
(3 (2 It) (4 (4 (2 's) (4 (2 a) (3 treat))) (2 .)))

(0 (1 (2 -LRB-) (1 dull)) (2 -RRB-))
(2 (2 so\\/so) (2 \\*))
"""


@pytest.fixture
def write(tmp_path):
    def write(text):
        path = tmp_path / "trees.txt"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def example(label, text):
    return SSTExample(tuple(text.split()), label)


class TestSentences:
    def test_fine(self, write):
        assert read_examples(write(TREES), "fine") == [
            example("positive", "It 's a treat ."),
            example("very negative", "( dull )"),
            example("neutral", "so/so *"),
        ]

    def test_binary(self, write):
        assert read_examples(write(TREES), "binary") == [
            example("positive", "It 's a treat ."),
            example("negative", "( dull )"),
        ]

    @pytest.mark.parametrize(
        "digit, fine, binary",
        [
            (0, "very negative", "negative"),
            (1, "negative", "negative"),
            (2, "neutral", None),
            (3, "positive", "positive"),
            (4, "very positive", "positive"),
        ],
    )
    def test_labels(self, write, digit, fine, binary):
        path = write(f"({digit} word)\n(0 bad)\n")
        assert read_examples(path, "fine")[0] == example(fine, "word")
        labels = [found.label for found in read_examples(path, "binary")]
        assert labels == [*([binary] if binary else []), "negative"]

    def test_gzip(self, tmp_path, write):
        path = tmp_path / "trees.gz"
        path.write_bytes(gzip.compress(TREES.encode()))
        assert read_examples(path, "fine") == read_examples(
            write(TREES), "fine"
        )

    def test_all_escapes(self, write):
        path = write(
            "(2 (2 -LSB-) (2 -RSB-) (2 -LCB-) (2 -RCB-) (2 a\\/b\\/c) "
            "(2 \\*\\*) (2 x-LRB-) (2 ``))"
        )
        assert read_examples(path, "fine") == [
            example("neutral", "[ ] { } a/b/c ** x-LRB- ``")
        ]

    def test_whitespace(self, write):
        path = write("  ( 3(2 8\u00a01\\/2) (2\tmiles ) )  \r\n")
        assert read_examples(path, "fine") == [
            example("positive", "8 1/2 miles")
        ]

    def test_deep_trees(self, write):
        depth = 5000
        path = write("(1 " * depth + "down" + ")" * depth)
        assert read_examples(path, "fine") == [example("negative", "down")]


class TestPhrases:
    def test_from_two_words_on(self, write):
        assert read_examples(write(TREES), "fine", 2) == [
            example("very positive", "a treat"),
            example("very positive", "'s a treat"),
            example("very positive", "'s a treat ."),
            example("positive", "It 's a treat ."),
            example("negative", "( dull"),
            example("very negative", "( dull )"),
            example("neutral", "so/so *"),
        ]

    def test_short_sentences_are_left_out(self, write):
        assert read_examples(write(TREES), "fine", 4) == [
            example("very positive", "'s a treat ."),
            example("positive", "It 's a treat ."),
        ]

    def test_words(self, write):
        assert read_examples(write(TREES), "binary", 1)[:3] == [
            example("positive", "treat"),
            example("positive", "a treat"),
            example("positive", "'s a treat"),
        ]

    def test_repeated_phrases_stay(self, write):
        found = read_examples(
            write("(3 (3 so good))\n(3 so good)\n"), "fine", 2
        )
        assert found == [example("positive", "so good")] * 3


class TestWithoutLabels:
    @pytest.mark.parametrize("blank", ["", "\n \n"])
    def test_trees(self, write, blank):
        assert read_sentences_to_label(write(blank + TREES)) == [
            example(None, "It 's a treat ."),
            example(None, "( dull )"),
            example(None, "so/so *"),
        ]

    def test_text(self, write):
        path = write("\nIt 's a  treat .\n\n( dull )\n(3 what\n")
        assert read_sentences_to_label(path) == [
            example(None, "It 's a treat ."),
            example(None, "( dull )"),
            example(None, "(3 what"),
        ]

    def test_text_that_begins_with_a_bracket(self, write):
        assert read_sentences_to_label(write("( 3 stars )\n")) == [
            example(None, "( 3 stars )")
        ]

    @pytest.mark.parametrize(
        "text, message",
        [
            ("", "{}: empty file, expected one sentence a line, or one tree"),
            (" \n", "{}: found no sentence, expected one sentence a line, or"),
            ("(3 a)\n(a)\n", "{}:2: found no word in '(a)', expected one"),
            ("(3 a)\nfine\n", "{}:2: found 'fine', expected a tree, as (3"),
        ],
    )
    def test_errors(self, write, text, message):
        path = write(text)
        with pytest.raises(InputError) as info:
            read_sentences_to_label(path)
        assert str(info.value).startswith(message.format(path))


class TestErrors:
    def message(self, path, *args):
        with pytest.raises(InputError) as info:
            read_examples(path, "fine", *args)
        return str(info.value)

    @pytest.mark.parametrize(
        "line, found",
        [
            ("(3 (2 a) (2 b)", "the end of the line, expected ')'"),
            ("(3 (2 a", "the end of the line, expected ')'"),
            ("(3 (2 a)) )", "')' after the tree, expected the end of the line"),
            ("(3 a) b", "'b' after the tree, expected the end of the line"),
            ("(3 a) (3 b)", "'(' after the tree, expected the end of the line"),
            (") (3 a)", "')', expected a tree, as (3 (2 It) (4 works))"),
            ("3 a", "'3', expected a tree, as (3 (2 It) (4 works))"),
            ("((2 a) (2 b))", "no label, expected a label from 0 to 4"),
            ("(3 (a b) (2 b))", "'a', expected a label from 0 to 4"),
            ("(5 a)", "'5', expected a label from 0 to 4"),
            ("(-1 a)", "'-1', expected a label from 0 to 4"),
            ("(² a)", "'²', expected a label from 0 to 4"),
            ("(2.0 a)", "'2.0', expected a label from 0 to 4"),
            ("(", "the end of the line, expected ')'"),
            ("()", "no word in '()', expected one or more"),
            ("(3 (2 a) (2))", "no word in '(2)', expected one or more"),
            ("(3)", "no word in '(3)', expected one or more"),
        ],
    )
    def test_what_is_no_tree(self, write, line, found):
        path = write(f"(3 fine)\n\n{line}\n(3 fine)\n")
        assert self.message(path) == f"{path}:3: found {found}"

    def test_missing_file(self, tmp_path):
        path = tmp_path / "none.txt"
        assert self.message(path) == (
            f"{path}: cannot be read: No such file or directory"
        )

    def test_empty_file(self, write):
        path = write("")
        assert self.message(path) == (
            f"{path}: empty file, expected one tree a line, as "
            "(3 (2 It) (4 works))"
        )

    def test_blank_file(self, write):
        path = write("\n \n")
        assert self.message(path) == (
            f"{path}: found no tree, expected one tree a line, as "
            "(3 (2 It) (4 works))"
        )

    def test_not_utf8(self, tmp_path):
        path = tmp_path / "latin1.txt"
        path.write_bytes(b"(3 fine)\n(3 na\xefve)\n")
        assert self.message(path).startswith(f"{path}:2: byte 0xef")

    def test_no_phrase_is_long_enough(self, write):
        path = write(TREES)
        assert self.message(path, 6) == (
            f"{path}: found no phrase of 6 or more words, expected some"
        )

    def test_neutral_only(self, write):
        path = write("(2 (3 so) (2 so))\n")
        for length, kind in (
            (None, "sentence"),
            (2, "phrase of 2 or more words"),
        ):
            with pytest.raises(InputError) as info:
                read_examples(path, "binary", length)
            assert str(info.value) == (
                f"{path}: found no {kind} that is not neutral, expected some"
            )


def test_written_predictions(write):
    examples = read_examples(write(TREES), "binary")
    predictions = [
        LabelPrediction("positive", {"negative": 0.25, "positive": 0.75}),
        LabelPrediction("positive", {"negative": 0.5, "positive": 0.5}),
    ]
    file = io.StringIO()
    write_examples(examples, predictions, file)
    first, second = file.getvalue().splitlines()
    assert first == (
        '{"tokens": ["It", "\'s", "a", "treat", "."], "gold": "positive", '
        '"label": "positive", '
        '"probabilities": {"negative": 0.25, "positive": 0.75}}'
    )
    assert json.loads(second)["gold"] == "negative"
    assert file.getvalue().endswith("}\n")


def test_written_predictions_for_text(write):
    file = io.StringIO()
    write_examples(
        read_sentences_to_label(write("naïve .")),
        [LabelPrediction("negative", {"negative": 1.0})],
        file,
    )
    assert file.getvalue() == (
        '{"tokens": ["naïve", "."], "label": "negative", '
        '"probabilities": {"negative": 1.0}}\n'
    )


def test_real_data(shared_data):
    folder = shared_data / "data" / "sst"
    phrases = read_examples(folder / "train.txt.gz", "fine", 4)
    assert len(phrases) == 93570
    assert len(set(phrases)) == 93165
    assert collections.Counter(found.label for found in phrases) == {
        "very negative": 6099,
        "negative": 20024,
        "neutral": 37260,
        "positive": 22794,
        "very positive": 7393,
    }
    words = {word for found in phrases for word in found.tokens}
    assert not [word for word in words if "\\" in word]
    assert not words & {"-LRB-", "-RRB-"}
    # The sizes that the literature gives.
    for name, n_fine, n_binary in (
        ("train.txt.gz", 8544, 6920),
        ("dev.txt", 1101, 872),
        ("test.txt", 2210, 1821),
    ):
        assert len(read_examples(folder / name, "fine")) == n_fine
        assert len(read_examples(folder / name, "binary")) == n_binary
