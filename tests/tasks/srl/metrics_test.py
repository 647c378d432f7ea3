"""The figures are those of srl-eval.pl, and of a count by brute force."""

import collections
import dataclasses
import gzip
import json

import numpy as np
import pytest

from elmo_tf.errors import InputError
from tasks.srl import metrics
from tasks.srl.data import read_sentences
from tasks.srl.data import write_sentences
from tasks.srl.proposition import Proposition
from tasks.srl.srl_sentence import SRLSentence
from tasks.text.span import Span
from tests import binaries

# Gold and predicted props, and what the script of CoNLL-2005 prints for them.
CASES = {
    "pieces and references": (
        """\
say (V*) *
- (A1* *
- *) (A1*)
- * *
go (C-A1* (V*)
- *) (C-V*)
- (R-A0*) (R-A1*)
""",
        """\
say (V*) *
- (A1* *
- *) (A1*)
- * *
go (C-A1*) (V*
- * *)
- (R-A1*) (R-A1*)
""",
        """\
Number of Sentences    :           1
Number of Propositions :           2
Percentage of perfect props :  50.00

              corr.  excess  missed    prec.    rec.      F1
------------------------------------------------------------
   Overall        2       2       2    50.00   50.00   50.00
----------
        A1        1       1       1    50.00   50.00   50.00
      R-A0        0       0       1     0.00    0.00    0.00
      R-A1        1       1       0    50.00  100.00   66.67
------------------------------------------------------------
         V        1       1       1    50.00   50.00   50.00
------------------------------------------------------------
""",
    ),
    "pieces that continue nothing, or the latest": (
        """\
go (V*)
- (C-A0*)
- (A1*)
- (A1*)
- (C-A1*)
- (C-AM-TMP*)
- (C-C-A0*)

go (V*)
- (A1*)
- (C-A1*)
""",
        """\
go (V*)
- (A0*)
- (A1*)
- (A1*)
- (C-A1*)
- (AM-TMP*)
- *

go (V*)
- (A1*
- *)
""",
        """\
Number of Sentences    :           2
Number of Propositions :           2
Percentage of perfect props :   0.00

              corr.  excess  missed    prec.    rec.      F1
------------------------------------------------------------
   Overall        4       1       2    80.00   66.67   72.73
----------
        A0        1       0       0   100.00  100.00  100.00
        A1        2       1       1    66.67   66.67   66.67
    AM-TMP        1       0       0   100.00  100.00  100.00
      C-A0        0       0       1     0.00    0.00    0.00
------------------------------------------------------------
         V        2       0       0   100.00  100.00  100.00
------------------------------------------------------------
""",
    ),
    "arguments inside others": (
        """\
- (A1(A0*)
say (V*)
- *)
- (A2(A3*))
- (A0(A1*))
- (R-A0(R-A0*))

- (A1(A0*)
say (V*)
- *)
- (A2(A3*))
- (A0*
- *)

- (A1*
say (V*)
- *)
- (C-A1*
- *)
""",
        """\
- (A1(A2*)
say (V*)
- *)
- (A2*)
- (A1(A0*))
- (R-A0*)

- (A1*
say (V*)
- *)
- (A3*)
- (A0(A0*)
- *)

- (A1(C-A1*)
say (V*)
- *)
- (C-A1(C-A1*)
- *)
""",
        """\
Number of Sentences    :           3
Number of Propositions :           3
Percentage of perfect props :   0.00

              corr.  excess  missed    prec.    rec.      F1
------------------------------------------------------------
   Overall        3       7       7    30.00   30.00   30.00
----------
        A0        0       3       3     0.00    0.00    0.00
        A1        1       2       3    33.33   25.00   28.57
        A2        0       2       0     0.00    0.00    0.00
        A3        1       0       1   100.00   50.00   66.67
      R-A0        1       0       0   100.00  100.00  100.00
------------------------------------------------------------
         V        3       0       0   100.00  100.00  100.00
------------------------------------------------------------
""",
    ),
    "predicates that are others": (
        """\
say (V*) *
- (A0*) *
go * (V*)
- * (A1*)

-
-

say (V*)
- (A0*)
- *

go *
- *
""",
        """\
say (V*) *
- (A0*) *
gone * (V*)
- * (A1*)

say (V*)
- (A0*)

- *
- (A0*)
say (V*)

go *
- *
""",
        """\
Number of Sentences    :           4
Number of Propositions :           4
Percentage of perfect props :  50.00

              corr.  excess  missed    prec.    rec.      F1
------------------------------------------------------------
   Overall        1       0       2   100.00   33.33   50.00
----------
        A0        1       0       1   100.00   50.00   66.67
        A1        0       0       1     0.00    0.00    0.00
------------------------------------------------------------
         V        1       0       2   100.00   33.33   50.00
------------------------------------------------------------
""",
    ),
    "no predicates": (
        """\
-
-
""",
        """\
-
-
""",
        """\
Number of Sentences    :           1
Number of Propositions :           0
Percentage of perfect props :   0.00

              corr.  excess  missed    prec.    rec.      F1
------------------------------------------------------------
   Overall        0       0       0     0.00    0.00    0.00
----------
------------------------------------------------------------
------------------------------------------------------------
""",
    ),
}

RATES = ["correct", "excess", "missed", "precision", "recall", "f1"]


@pytest.fixture
def write(tmp_path):
    """A function that writes text to a file and returns its path."""

    def write_file(text, name):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write_file


def sentence(*propositions, length=4):
    """A sentence with propositions of (predicate, lemma, spans)."""
    return SRLSentence(
        length,
        tuple(
            Proposition(
                predicate,
                lemma,
                arguments=tuple(Span(*span) for span in spans),
            )
            for predicate, lemma, spans in propositions
        ),
    )


def random_spans(rng, length):
    """Spans without others inside; sometimes pieces before their argument."""
    spans = []
    start = 0
    while start < length:
        end = start + int(rng.integers(1, 4))
        if end <= length and rng.random() < 0.7:
            label = str(rng.choice(["V", "A0", "A1", "C-A0", "C-A1", "R-A0"]))
            spans.append(Span(label, start, end))
        start = end
    return tuple(spans)


def arguments_by_definition(spans):
    """The arguments as (role, tokens, tokens of each piece), a counter."""
    arguments = []
    for label, start, end in spans:
        role = label.removeprefix("C-")
        earlier = [a for a in arguments if a[0] == role]
        if label.startswith("C-") and earlier:
            earlier[-1][1].append((start, end))
        else:
            arguments.append((role, [(start, end)]))
    return collections.Counter(
        (role, tuple(pieces)) for role, pieces in arguments
    )


def message_of(function, *args):
    """The message of the InputError that a call raises, one line."""
    with pytest.raises(InputError) as info:
        function(*args)
    message = str(info.value)
    assert "\n" not in message
    return message


class TestScore:
    @pytest.mark.parametrize("name", CASES)
    def test_the_script_agrees(self, write, name):
        gold, predicted, expected = CASES[name]
        gold = read_sentences(write(gold, "gold"), "props")
        predicted = read_sentences(write(predicted, "predicted"), "props")
        scores = metrics.score(gold, predicted)
        assert metrics.format_table(scores) == expected

    def test_what_is_in_it(self):
        gold = [
            sentence((1, "go", [("A0", 0, 1), ("V", 1, 2), ("A1", 2, 4)])),
            sentence((0, "be", [("V", 0, 1)])),
            sentence(),
        ]
        predicted = [
            sentence((1, "go", [("A0", 0, 1), ("V", 1, 2), ("A1", 2, 3)])),
            sentence((0, "be", [("V", 0, 2)]), (3, "do", [("A0", 0, 1)])),
            sentence(),
        ]
        assert metrics.score(gold, predicted) == {
            "sentences": 3,
            "propositions": 2,
            "perfect_propositions": 1,
            "perfect": 0.5,
            **dict(zip(RATES, [1, 1, 1, 0.5, 0.5, 0.5], strict=True)),
            "by_role": {
                "A0": dict(zip(RATES, [1, 0, 0, 1.0, 1.0, 1.0], strict=True)),
                "A1": dict(zip(RATES, [0, 1, 1, 0.0, 0.0, 0.0], strict=True)),
            },
            "verb": dict(zip(RATES, [1, 1, 1, 0.5, 0.5, 0.5], strict=True)),
            "missing_predicates": 0,
            "excess_predicates": 1,
        }

    def test_by_brute_force(self):
        rng = np.random.default_rng(0)
        n_correct = 0
        for _ in range(300):
            gold, other = (random_spans(rng, 9) for _ in range(2))
            # Often right: a part of the sentence is as in gold.
            cut = int(rng.integers(0, 10))
            predicted = (
                *(span for span in gold if span.end <= cut),
                *(span for span in other if span.start >= cut),
            )
            scores = metrics.score(
                [SRLSentence(9, (Proposition(0, "go", arguments=gold),))],
                [SRLSentence(9, (Proposition(0, "go", arguments=predicted),))],
            )
            gold = arguments_by_definition(gold)
            predicted = arguments_by_definition(predicted)
            counts = {}
            for name, arguments in (
                ("correct", gold & predicted),
                ("excess", predicted - gold),
                ("missed", gold - predicted),
            ):
                counts[name] = collections.Counter()
                for (role, _), number in arguments.items():
                    counts[name][role] += number
            for name, counter in counts.items():
                assert {
                    role: rates[name]
                    for role, rates in scores["by_role"].items()
                    if rates[name]
                } == {r: n for r, n in counter.items() if r != "V"}
                assert scores["verb"][name] == counter["V"]
                assert scores[name] == counter.total() - counter["V"]
            n_correct += scores["correct"]
        assert n_correct > 50

    def test_lemmas(self):
        gold = [sentence((1, "go", [("A0", 0, 1)]))]
        predicted = [sentence((1, "went", [("A0", 0, 1)]))]
        scores = metrics.score(gold, predicted)
        assert (scores["correct"], scores["missed"]) == (0, 1)
        assert scores["excess"] == 0
        assert scores["missing_predicates"] == scores["excess_predicates"] == 1
        scores = metrics.score(gold, predicted, ignore_lemmas=True)
        assert (scores["correct"], scores["missed"]) == (1, 0)
        assert scores["missing_predicates"] == scores["excess_predicates"] == 0

    def test_arguments_that_overlap(self):
        """Such as programs have found; neither is a piece of the other."""
        gold = [sentence((3, "go", [("A0", 0, 2), ("A1", 1, 3)]))]
        predicted = [sentence((3, "go", [("A0", 0, 2)]))]
        scores = metrics.score(gold, predicted)
        assert (scores["correct"], scores["missed"]) == (1, 1)
        assert scores["excess"] == 0
        assert metrics.score(gold, gold)["correct"] == 2

    def test_nothing(self):
        scores = metrics.score([], [])
        assert scores == {
            **dict.fromkeys(
                ["sentences", "propositions", "perfect_propositions"], 0
            ),
            "perfect": 0.0,
            **dict.fromkeys(RATES, 0),
            "by_role": {},
            "verb": dict.fromkeys(RATES, 0),
            "missing_predicates": 0,
            "excess_predicates": 0,
        }

    def test_sentences_of_other_lengths(self, write):
        gold = read_sentences(write("-\n\n-\n-\n", "gold"))
        predicted = read_sentences(write("-\n\n\n-\n-\n-\n", "predicted"))
        assert message_of(metrics.score, gold, predicted) == (
            f"{predicted[0].path}:4: found a sentence of 3 tokens, expected 2 "
            f"as in {gold[0].path}:3"
        )
        assert message_of(
            metrics.score, [sentence()], [sentence(length=5)]
        ) == (
            "sentence 1, token 1: found a sentence of 5 tokens, expected 4 as "
            "in sentence 1, token 1"
        )

    def test_another_number_of_sentences(self, write):
        gold = read_sentences(write("-\n\n-\n", "gold"))
        predicted = read_sentences(write("-\n", "predicted"))
        assert message_of(metrics.score, gold, predicted) == (
            f"{predicted[0].path}: found 1 sentences, expected 2"
        )
        assert message_of(metrics.score, [sentence()], []) == (
            "found 0 sentences, expected 1"
        )


class TestFindMismatches:
    def test_each_kind(self, write):
        gold = read_sentences(write("- *\ngo *\n\nbe * *\ndo * *", "g"))
        predicted = read_sentences(write("have *\n- *\n\nis *\n- *", "p"))
        path = predicted[0].path
        messages = metrics.find_mismatches(gold, predicted)
        assert messages == [
            f"{path}:2: found no predicate, expected go; all its arguments "
            "count as missed",
            f"{path}:1: found the predicate have, expected none; its "
            "arguments are left out",
            f"{path}:4: found the predicate is, expected be; all its "
            "arguments count as missed",
            f"{path}:5: found no predicate, expected do; all its arguments "
            "count as missed",
        ]
        assert metrics.find_mismatches(gold, predicted, True) == [
            *messages[:2],
            messages[3],
        ]
        assert metrics.find_mismatches(gold, gold) == []

    def test_without_files(self):
        messages = metrics.find_mismatches(
            [sentence(), sentence((1, "go", []))], [sentence(), sentence()]
        )
        assert messages == [
            "sentence 2, token 2: found no predicate, expected go; all its "
            "arguments count as missed"
        ]


class TestSharedData:
    @pytest.fixture(scope="class")
    def gold(self, shared_data):
        folder = shared_data / "data" / "srl" / "srl-eval"
        return read_sentences(folder / "gold.props.gz")

    def test_noisy_props(self, shared_data, gold):
        folder = shared_data / "data" / "srl" / "srl-eval"
        predicted = read_sentences(folder / "noisy.props.gz")
        scores = metrics.score(gold, predicted)
        expected = (folder / "noisy.expected").read_text()
        assert metrics.format_table(scores) == expected
        assert round(100 * scores["f1"], 2) == 78.49

    def test_gold_of_another_layout(self, shared_data, gold):
        srl = shared_data / "data" / "srl"
        path = srl / "propbank-ewt" / "ewt-srl.test.gold_conll.gz"
        scores = metrics.score(gold, read_sentences(path))
        assert scores["perfect"] == scores["f1"] == 1
        assert scores["verb"]["correct"] == 4795


class TestBinary:
    def test_it_prints_one_line(self, write):
        gold, predicted, _ = CASES["pieces and references"]
        paths = write(gold, "gold"), write(predicted, "predicted")
        result = binaries.run("tasks.srl.metrics", *paths)
        assert (result.returncode, result.stderr) == (0, "")
        assert result.stdout.count("\n") == 1
        scores = json.loads(result.stdout)
        assert scores == metrics.score(*map(read_sentences, paths))
        assert scores["f1"] == 0.5

    def test_the_table(self, write):
        gold, predicted, expected = CASES["predicates that are others"]
        paths = write(gold, "gold"), write(predicted, "predicted")
        result = binaries.run("tasks.srl.metrics", "--format=table", *paths)
        assert (result.returncode, result.stdout) == (0, expected)
        warnings = metrics.find_mismatches(*map(read_sentences, paths))
        assert result.stderr.splitlines() == warnings
        assert len(warnings) == 4
        result = binaries.run(
            "tasks.srl.metrics", "--format=table", "--ignore_lemmas", *paths
        )
        assert " 66.67" in result.stdout
        assert result.stderr.count("\n") == 3

    def test_many_warnings(self, write):
        gold = write("go (V*)\n\n" * 13, "gold")
        predicted = write("-\n\n" * 13, "predicted")
        result = binaries.run("tasks.srl.metrics", gold, predicted)
        assert result.returncode == 0
        lines = result.stderr.splitlines()
        assert len(lines) == 11
        assert lines[-1] == "… and 3 more like these"

    def test_gzip(self, write, tmp_path):
        gold, predicted, expected = CASES["arguments inside others"]
        path = tmp_path / "gold.gz"
        path.write_bytes(gzip.compress(gold.encode()))
        result = binaries.run(
            "tasks.srl.metrics",
            "--format=table",
            path,
            write(predicted, "predicted"),
        )
        assert (result.returncode, result.stdout) == (0, expected)

    def test_mistakes(self, write):
        gold = write("say (V*)\n- *\n", "gold")
        predicted = write("say (V*)\n- *)\n", "predicted")
        result = binaries.run("tasks.srl.metrics", gold, predicted)
        binaries.check_mistake(
            result, "metrics", f"{predicted}:2: found '*)' in column 2, "
        )
        result = binaries.run("tasks.srl.metrics", gold)
        binaries.check_mistake(result, "metrics", "missing argument PREDICTED")


def test_predictions_can_be_written_for_the_script(write, tmp_path):
    """A sentence with other arguments is scored as its file is."""
    gold, _, _ = CASES["pieces and references"]
    sentences = read_sentences(write(gold, "gold"))
    predicted = [
        dataclasses.replace(
            one,
            propositions=tuple(
                dataclasses.replace(item, arguments=item.arguments[:1])
                for item in one.propositions
            ),
        )
        for one in sentences
    ]
    path = tmp_path / "predicted"
    with open(path, "w", encoding="utf-8") as file:
        write_sentences(predicted, file, "props")
    assert metrics.score(sentences, read_sentences(path)) == metrics.score(
        sentences, predicted
    )
