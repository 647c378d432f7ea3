"""The figures are those of conlleval, and of seqeval where that agrees."""

import gzip
import json

import numpy as np
import pytest
from seqeval.metrics import sequence_labeling

from elmo_tf.errors import InputError
from tasks.ner import metrics
from tasks.text import column_file
from tasks.text import tags
from tests import binaries

# Gold and predicted tags of sentences, and what conlleval.pl, version
# 2004-01-26, prints for them.
CASES = {
    "all right": (
        [
            ("B-PER I-PER O B-LOC", "B-PER I-PER O B-LOC"),
            ("O O", "O O"),
        ],
        """\
processed 6 tokens with 2 phrases; found: 2 phrases; correct: 2.
accuracy: 100.00%; precision: 100.00%; recall: 100.00%; FB1: 100.00
              LOC: precision: 100.00%; recall: 100.00%; FB1: 100.00  1
              PER: precision: 100.00%; recall: 100.00%; FB1: 100.00  1
""",
    ),
    "I after O begins an entity": (
        [("O B-PER I-PER", "O I-PER I-PER")],
        """\
processed 3 tokens with 1 phrases; found: 1 phrases; correct: 1.
accuracy:  66.67%; precision: 100.00%; recall: 100.00%; FB1: 100.00
              PER: precision: 100.00%; recall: 100.00%; FB1: 100.00  1
""",
    ),
    "I of another class begins an entity": (
        [("B-PER I-LOC I-LOC O", "B-PER B-LOC I-LOC O")],
        """\
processed 4 tokens with 2 phrases; found: 2 phrases; correct: 2.
accuracy:  75.00%; precision: 100.00%; recall: 100.00%; FB1: 100.00
              LOC: precision: 100.00%; recall: 100.00%; FB1: 100.00  1
              PER: precision: 100.00%; recall: 100.00%; FB1: 100.00  1
""",
    ),
    "half an entity of the right class is wrong": (
        [("B-PER I-PER I-PER O", "B-PER I-PER I-LOC O")],
        """\
processed 4 tokens with 1 phrases; found: 2 phrases; correct: 0.
accuracy:  75.00%; precision:   0.00%; recall:   0.00%; FB1:   0.00
              LOC: precision:   0.00%; recall:   0.00%; FB1:   0.00  1
              PER: precision:   0.00%; recall:   0.00%; FB1:   0.00  1
""",
    ),
    "cut at another place": (
        [("B-PER I-PER B-PER", "B-PER B-PER I-PER")],
        """\
processed 3 tokens with 2 phrases; found: 2 phrases; correct: 0.
accuracy:  33.33%; precision:   0.00%; recall:   0.00%; FB1:   0.00
              PER: precision:   0.00%; recall:   0.00%; FB1:   0.00  2
""",
    ),
    "an entity ends with its sentence": (
        [("O B-PER", "O B-PER"), ("I-PER O", "B-PER O")],
        """\
processed 4 tokens with 2 phrases; found: 2 phrases; correct: 2.
accuracy:  75.00%; precision: 100.00%; recall: 100.00%; FB1: 100.00
              PER: precision: 100.00%; recall: 100.00%; FB1: 100.00  2
""",
    ),
    "E ends an entity": (
        [("I-NP E-NP I-NP E-NP O", "I-NP I-NP I-NP E-NP O")],
        """\
processed 5 tokens with 2 phrases; found: 1 phrases; correct: 0.
accuracy:  80.00%; precision:   0.00%; recall:   0.00%; FB1:   0.00
               NP: precision:   0.00%; recall:   0.00%; FB1:   0.00  1
""",
    ),
    "no entities": (
        [("O O", "O O")],
        """\
processed 2 tokens with 0 phrases; found: 0 phrases; correct: 0.
accuracy: 100.00%; precision:   0.00%; recall:   0.00%; FB1:   0.00
""",
    ),
}

RATES = ["precision", "recall", "f1"]
COUNTS = ["phrases", "found", "correct"]


def conlleval_text(scores):
    """Prints scores as conlleval does."""
    lines = [
        f"processed {scores['tokens']} tokens with {scores['phrases']} phrases;"
        f" found: {scores['found']} phrases; correct: {scores['correct']}.\n",
        f"accuracy: {100 * scores['accuracy']:6.2f}%; ",
        rates_text(scores) + "\n",
    ]
    for label, row in scores["by_class"].items():
        lines.append(f"{label:>17}: {rates_text(row)}  {row['found']}\n")
    return "".join(lines)


def rates_text(row):
    precision, recall, f1 = (100 * row[key] for key in RATES)
    return (
        f"precision: {precision:6.2f}%; recall: {recall:6.2f}%; FB1: {f1:6.2f}"
    )


def file_text(sentences, delimiter=" ", boundary=""):
    """The input of conlleval for (gold, predicted) pairs of tags."""
    return "".join(
        "".join(
            delimiter.join(("token", *pair)) + "\n"
            for pair in zip(gold, predicted, strict=True)
        )
        + f"{boundary}\n"
        for gold, predicted in sentences
    )


def split_case(name):
    pairs, expected = CASES[name]
    return [
        (gold.split(), predicted.split()) for gold, predicted in pairs
    ], expected


def random_sentences(rng, names, n_sentences=12):
    """Random gold tags, and predictions that are often right."""
    sentences = []
    for _ in range(n_sentences):
        gold = rng.choice(names, size=rng.integers(1, 8))
        other = rng.choice(names, size=gold.size)
        predicted = np.where(rng.random(gold.size) < 0.6, gold, other)
        sentences.append((gold.tolist(), predicted.tolist()))
    return sentences


@pytest.fixture
def write(tmp_path):
    """A function that writes text to a file and returns its path."""

    def write_file(text, name="predictions.txt"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write_file


def message_of(function, *args):
    """The message of the InputError that a call raises, one line."""
    with pytest.raises(InputError) as info:
        function(*args)
    message = str(info.value)
    assert "\n" not in message
    return message


class TestScore:
    @pytest.mark.parametrize("name", CASES)
    def test_by_hand(self, write, name):
        sentences, expected = split_case(name)
        scores = metrics.score(*zip(*sentences, strict=True))
        assert conlleval_text(scores) == expected
        assert metrics.score_file(write(file_text(sentences))) == scores

    def test_what_is_in_it(self):
        assert metrics.score(
            [["B-B", "O", "B-A"], ["B-A"]], [["B-B", "B-B", "O"], ["B-A"]]
        ) == {
            "accuracy": 0.5,
            "precision": pytest.approx(2 / 3),
            "recall": pytest.approx(2 / 3),
            "f1": pytest.approx(2 / 3),
            "phrases": 3,
            "found": 3,
            "correct": 2,
            "tokens": 4,
            "by_class": {
                "A": {
                    "precision": 1.0,
                    "recall": 0.5,
                    "f1": pytest.approx(2 / 3),
                    "phrases": 2,
                    "found": 1,
                    "correct": 1,
                },
                "B": {
                    "precision": 0.5,
                    "recall": 1.0,
                    "f1": pytest.approx(2 / 3),
                    "phrases": 1,
                    "found": 2,
                    "correct": 1,
                },
            },
        }

    def test_classes_in_alphabetical_order(self):
        scores = metrics.score([["B-b", "B-a-c"]], [["B-c", "B-a"]])
        assert list(scores["by_class"]) == ["a", "a-c", "b", "c"]

    @pytest.mark.parametrize("sentences", [[], [[]]])
    def test_nothing(self, sentences):
        scores = metrics.score(sentences, sentences)
        assert scores == {
            **dict.fromkeys(["accuracy", *RATES], 0.0),
            **dict.fromkeys(["tokens", *COUNTS], 0),
            "by_class": {},
        }

    @pytest.mark.parametrize("prefixes", ["BI", "I", "B", "IE", "BIE", "BIES"])
    def test_seqeval_agrees(self, prefixes):
        names = ["O"] + [f"{p}-{c}" for p in prefixes for c in ("X", "Y", "Z")]
        rng = np.random.default_rng(0)
        for _ in range(50):
            gold, predicted = zip(*random_sentences(rng, names), strict=True)
            scores = metrics.score(gold, predicted)
            gold, predicted = list(gold), list(predicted)
            assert scores["accuracy"] == pytest.approx(
                sequence_labeling.accuracy_score(gold, predicted)
            )
            measure = sequence_labeling.precision_recall_fscore_support
            expected = measure(
                gold, predicted, average="micro", zero_division=0
            )
            np.testing.assert_allclose(
                [scores[key] for key in [*RATES, "phrases"]], expected
            )
            # [4, n_classes]
            expected = measure(gold, predicted, average=None, zero_division=0)
            np.testing.assert_allclose(
                [
                    [row[key] for row in scores["by_class"].values()]
                    for key in [*RATES, "phrases"]
                ],
                expected,
            )

    def test_the_encoding_makes_no_difference(self):
        rng = np.random.default_rng(0)
        names = tags.tag_set(["X", "Y"], "BIO")
        sentences = random_sentences(rng, names, 50)
        scores = {}
        for encoding in tags.ENCODINGS:
            gold, predicted = (
                [
                    tags.write_tags(
                        tags.read_spans_leniently(values), len(values), encoding
                    )
                    for values in side
                ]
                for side in zip(*sentences, strict=True)
            )
            scores[encoding] = metrics.score(gold, predicted)
            # That of the letters.
            del scores[encoding]["accuracy"]
        assert scores["BIO"]["found"] > scores["BIO"]["correct"] > 20
        assert scores["IOB1"] == scores["BIO"]
        assert scores["BIOUL"] == scores["BIO"]

    @pytest.mark.parametrize(
        "gold, predicted, message",
        [
            (
                [["O"], ["O"]],
                [["O"]],
                "found predicted tags of 1 sentences, expected 2",
            ),
            (
                [["O"], ["O", "O"]],
                [["O"], ["O"]],
                "sentence 2: found 1 predicted tags, expected 2",
            ),
            (
                [["O"], ["O", "PER"]],
                [["O"], ["O", "O"]],
                "sentence 2, tag 2: found 'PER', expected a tag: O, or one of "
                "B, I, L, U, E and S with a hyphen and a class",
            ),
            (
                [["O"], ["O"]],
                [["B"], ["O"]],
                "sentence 1, tag 1: found 'B', expected a tag: O, or one of "
                "B, I, L, U, E and S with a hyphen and a class",
            ),
        ],
    )
    def test_mistakes(self, gold, predicted, message):
        assert message_of(metrics.score, gold, predicted) == message


class TestScoreFile:
    @pytest.mark.parametrize(
        "text, delimiter",
        [
            ("a B-X B-X\nb I-X O\n\nc O B-Y\n", None),
            ("a\tB-X\tB-X\nb\tI-X\tO\n\t\t\nc\tO\tB-Y\n", None),
            ("a\tB-X\tB-X\nb\tI-X\tO\n\nc\tO\tB-Y\n", r"\t"),
            ("a\tB-X\tB-X\nb\tI-X\tO\n\nc\tO\tB-Y\n", "\t"),
            ("a|P N|B-X|B-X\nb||I-X|O\n\nc|P|O|B-Y\n", "|"),
            ("a P B-X B-X\nb  I-X O\n\nc P O B-Y\n", " "),
            ("B-X B-X\nI-X O\n\nO B-Y\n", None),
        ],
    )
    def test_columns(self, write, text, delimiter):
        assert metrics.score_file(write(text), delimiter) == metrics.score(
            [["B-X", "I-X"], ["O"]], [["B-X", "O"], ["B-Y"]]
        )

    def test_boundaries_and_document_starts(self, write):
        """As conlleval has it."""
        text = "-DOCSTART- -X- O O\n\na x I-X I-X\n-X- - B-X I-X\nb x I-X O\n"
        assert metrics.score_file(write(text)) == metrics.score(
            [["O"], ["I-X"], ["I-X"]], [["O"], ["I-X"], ["O"]]
        )

    @pytest.mark.parametrize(
        "text, delimiter, message",
        [
            ("\na\nb\n", None, "2: found 1 column, expected at least 2"),
            (
                "a O O\nb O\n",
                None,
                "2: found 2 columns, expected 3 as in line 1, with spaces or "
                "tabs between them",
            ),
            ("a O O\n\nb O X\n", None, "3: found 'X', expected a tag: O, or "),
            ("a O O\n\nb X O\n", None, "3: found 'X', expected a tag: O, or "),
            (
                "a\tO\tO\nb\tO\t\n",
                None,
                "2: found nothing in column 3, expected a value",
            ),
            ("a O O\n", ",", "1: found 1 column, expected at least 2"),
        ],
    )
    def test_mistakes(self, write, text, delimiter, message):
        path = write(text)
        assert message_of(metrics.score_file, path, delimiter).startswith(
            f"{path}:{message}"
        )

    def test_conll_2000_sample(self, shared_data):
        folder = shared_data / "data" / "ner" / "conlleval"
        scores = metrics.score_file(folder / "input-001.txt")
        expected = (folder / "input-001.expected").read_text()
        assert conlleval_text(scores) == expected
        # What another implementation printed for the same file.
        expected = (folder / "sighsmile_result.txt").read_text()
        assert conlleval_text(scores) == expected

    @pytest.mark.parametrize(
        "team, submission",
        [
            ("arcada", "arcada.gz"),
            ("flytxt", "flytxt.gz"),
            ("spinningbytes", "spinningbytes.txt.gz"),
            ("uh_ritual", "uh_ritual.gz"),
        ],
    )
    def test_the_scores_of_wnut_2017(self, shared_data, team, submission):
        ner = shared_data / "data" / "ner"
        folder = ner / "conlleval" / "wnut17-expected"
        scores = metrics.score_file(folder / f"{team}.conll.gz")
        expected = (folder / f"{team}.expected").read_text()
        assert conlleval_text(scores) == expected
        # The same from the test set and the submission as they were published.
        gold, predicted = (
            [s.column(-1) for s in column_file.read_sentences(path)]
            for path in (
                ner / "wnut17" / "emerging.test.annotated",
                ner / "wnut17" / "submissions" / submission,
            )
        )
        assert metrics.score(gold, predicted) == scores


class TestBinary:
    def test_it_prints_one_line(self, write):
        sentences, _ = split_case("half an entity of the right class is wrong")
        path = write(file_text(sentences))
        result = binaries.run("tasks.ner.metrics", path)
        assert (result.returncode, result.stderr) == (0, "")
        assert result.stdout.count("\n") == 1
        scores = json.loads(result.stdout)
        assert scores == metrics.score_file(path)
        assert list(scores) == [
            *("accuracy", *RATES, *COUNTS, "tokens", "by_class")
        ]

    def test_gzip_and_delimiter(self, tmp_path):
        sentences, expected = split_case("all right")
        path = tmp_path / "a.gz"
        path.write_bytes(gzip.compress(file_text(sentences, ", ").encode()))
        result = binaries.run("tasks.ner.metrics", "--delimiter=, ", path)
        assert result.returncode == 0, result.stderr
        assert conlleval_text(json.loads(result.stdout)) == expected
        # Without it the commas are part of the tags.
        result = binaries.run("tasks.ner.metrics", path)
        binaries.check_mistake(
            result, "metrics", f"{path}:3: found 'O,', expected a tag: "
        )

    @pytest.mark.parametrize(
        "arguments, message",
        [
            ([], "missing argument FILE; --help tells more"),
            (["a", "b"], "unexpected argument 'b'; every option is a flag"),
            (["none"], "none: cannot be read: No such file or directory"),
            (["--delimiter=", "a"], "delimiter: found nothing, expected what "),
            (["--delimitr=x", "a"], "Unknown command line flag 'delimitr'"),
        ],
    )
    def test_a_mistake_is_one_line(
        self, write, tmp_path, monkeypatch, arguments, message
    ):
        monkeypatch.chdir(tmp_path)
        write("token O O\n", "a")
        result = binaries.run("tasks.ner.metrics", *arguments)
        binaries.check_mistake(result, "metrics", message)
