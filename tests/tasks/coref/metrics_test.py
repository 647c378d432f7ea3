"""The figures are those of the reference scorer 8.01, and done by hand."""

import gzip
import json
import re
from fractions import Fraction

import pytest

from elmo_tf.errors import InputError
from tasks.coref import conll_file
from tasks.coref import json_lines
from tasks.coref import metrics
from tasks.coref.data import read_documents
from tests import binaries
from tests.tasks.coref import small_documents

NAMES = ["mentions", "muc", "bcub", "ceafe", "ceafm", "blanc", "lea"]

# Clusters of the key and the response, a letter a mention; numerator and
# denominator of recall and of precision.
CASES = {
    "all right": (
        "a bc def",
        "a bc def",
        {name: (1, 1) for name in NAMES},
    ),
    # Neither x, y and z nor e and f are on both sides.
    "missing and spurious mentions": (
        "a bc def",
        "a bcx dy z",
        {
            "mentions": ("4/6", "4/7"),
            # bc; bc of bc, cx and dy.
            "muc": ("1/3", "1/3"),
            # a 1, b 1, c 1, d 1/3; a 1, b and c 2/3 each, d 1/2.
            "bcub": ("10/18", "17/42"),
            # 1 + 4/5 + 2/5 of 3, of 4.
            "ceafe": ("11/15", "11/20"),
            # 1 + 2 + 1 of 6, of 7.
            "ceafm": ("4/6", "4/7"),
            # bc of 4 and of 4; ab, ac, ad, bd and cd of 11 and of 17.
            "blanc": (("1/4", "5/11"), ("1/4", "5/17")),
            # a and bc of 6; a and a third of bcx of 7.
            "lea": ("3/6", "2/7"),
        },
    ),
    "a key of one cluster": (
        "abcd",
        "ab c",
        {
            "mentions": ("3/4", 1),
            "muc": ("1/3", 1),
            "bcub": ("5/16", 1),
            # 2 · 2 / 6 of 1, of 2.
            "ceafe": ("2/3", "1/3"),
            "ceafm": ("2/4", "2/3"),
            # There are no links between clusters in the key.
            "blanc": (("1/6",), (1,)),
            "lea": ("1/6", "2/3"),
        },
    ),
    "a key of single mentions": (
        "a b c",
        "ab c",
        {
            "mentions": (1, 1),
            "muc": (0, 0),
            "bcub": (1, "2/3"),
            # 2/3 + 1 of 3, of 2.
            "ceafe": ("5/9", "5/6"),
            "ceafm": ("2/3", "2/3"),
            "blanc": (("2/3",), (1,)),
            "lea": ("1/3", "1/3"),
        },
    ),
    "no response": ("ab c", "", {name: (0, 0) for name in NAMES}),
    "no key": ("", "ab c", {name: (0, 0) for name in NAMES}),
    "neither": ("", "", {name: (0, 0) for name in NAMES}),
}


def f1(recall, precision):
    total = recall + precision
    return 2 * recall * precision / total if total else 0


def expected_scores(rates):
    """Lists of recall, precision and F1, by name."""
    scores = {}
    for name, (recall, precision) in rates.items():
        if not isinstance(recall, tuple):
            recall, precision = (recall,), (precision,)
        recalls, precisions = (
            [float(Fraction(x)) for x in column]
            for column in (recall, precision)
        )
        rows = [
            (r, p, f1(r, p)) for r, p in zip(recalls, precisions, strict=True)
        ]
        scores[name] = [
            sum(column) / len(rows) for column in zip(*rows, strict=True)
        ]
    return scores


def check_scores(found, expected):
    assert list(found) == [*NAMES, "average_f1"]
    assert {name: found[name] for name in expected} == {
        name: pytest.approx(row, abs=1e-12) for name, row in expected.items()
    }


class TestScore:
    @pytest.mark.parametrize("name", CASES)
    def test_by_hand(self, name):
        key, response, rates = CASES[name]
        found = metrics.score([(key.split(), response.split())])
        expected = expected_scores(rates)
        assert list(expected) == NAMES
        check_scores(found, expected)
        assert found["average_f1"] == pytest.approx(
            sum(expected[name][2] for name in ("muc", "bcub", "ceafe")) / 3
        )

    def test_numerators_and_denominators_are_summed_over_documents(self):
        found = metrics.score(
            [
                (["abc"], ["ab", "c"]),
                (["de", "f"], ["def"]),
                (["g"], []),
            ]
        )
        expected = {
            "mentions": ("6/7", 1),
            "muc": ("2/3", "2/3"),
            # 2/3 · 2 + 1/3 and 3; 3 and 2/3 · 2 + 1/3.
            "bcub": ("14/21", "14/18"),
            # 4/5 and 4/5.
            "ceafe": ("8/20", "8/15"),
            "ceafm": ("4/7", "4/6"),
            # ab of ab, ac, bc, de; of de, df, ef, ab: and de of both. Nothing
            # of df and ef; of ac and bc.
            "blanc": (("2/4", 0), ("2/4", 0)),
            # abc a third; de as a whole, f not. ab as a whole, c not; def a
            # third.
            "lea": ("3/7", "3/6"),
        }
        check_scores(found, expected_scores(expected))

    def test_no_documents(self):
        check_scores(metrics.score([]), {name: [0.0] * 3 for name in NAMES})

    def test_empty_clusters_make_no_difference(self):
        key, response = ["", "ab", "", "c"], ["", "abx", ""]
        assert metrics.score([(key, response)]) == metrics.score(
            [(["ab", "c"], ["abx"])]
        )

    def test_the_order_makes_no_difference(self):
        assert metrics.score([(["bca", "ed"], ["xe", "cab"])]) == metrics.score(
            [(["de", "abc"], ["abc", "ex"])]
        )

    def test_a_mention_that_the_response_repeats(self):
        assert metrics.score([(["ab", "c"], ["aab", "cb"])]) == metrics.score(
            [(["ab", "c"], ["ab", "c"])]
        )


def document(text, clusters=(), key="a", place="r:1"):
    return small_documents.make(text, clusters, key, place=place)


class TestScoreDocuments:
    def test_the_documents_in_any_order(self):
        key = [
            document("a b c", [[(0, 0), (2, 2)]], "x"),
            document("a b c", [[(0, 0)], [(1, 1)]], "y"),
        ]
        response = [
            document("a b c", [[(0, 0), (1, 1)]], "y"),
            document("a b c", [[(0, 0)]], "x"),
        ]
        assert metrics.score_documents(key, response) == metrics.score(
            [(["ac"], ["a"]), (["a", "b"], ["ab"])]
        )

    @pytest.mark.parametrize(
        "response, message",
        [
            (
                [],
                "k:7: found the document b, expected one of the 1 that are in "
                "the file of r:1",
            ),
            (
                [document("a b", key="b"), document("a", key="c")],
                "r:1: found the document c, expected one of the 2 that are in "
                "the file of k:1",
            ),
            (
                [document("a b c", key="b")],
                "r:1: found 3 tokens in the document b, expected 2 as in k:7",
            ),
        ],
    )
    def test_mistakes(self, response, message):
        key = [
            document("a", place="k:1"),
            document("a b", key="b", place="k:7"),
        ]
        with pytest.raises(InputError) as error:
            metrics.score_documents(key, [document("a"), *response])
        assert str(error.value) == message


def test_find_differences():
    key = [
        document("a b / c d", place="k:1"),
        document("a b", key="b", place="k:7"),
    ]
    response = [
        document("a b", key="b", place="r:1"),
        document("a x / c y", place="r:5"),
    ]
    assert metrics.find_differences(key, response) == [
        "r:5: 2 of 4 tokens of the document a are others than in k:1: number "
        "1, the first of them, is 'x', not 'b'"
    ]


class TestReferenceScorer:
    """With its own test cases, and what it printed for LitBank."""

    def test_cases(self, shared_data):
        folder = shared_data / "data" / "coref"
        cases = json.loads((folder / "expected_cases.json").read_text())
        assert len(cases) == 24
        for case in cases:
            found = metrics.score_documents(
                read_documents(folder / case["key"]),
                read_documents(folder / case["response"]),
            )
            for name, row in case["expected"].items():
                for value, expected in zip(found[name], row, strict=True):
                    # Some are rounded to five digits.
                    assert expected is None or value == pytest.approx(
                        expected, abs=5e-6
                    ), (case["id"], name)

    # From the tests of LEA's authors, for the same cases.
    @pytest.mark.parametrize(
        "key, response, recall, precision",
        [
            ("TC-A", "TC-A-2", "2/6", 1),
            ("TC-A", "TC-A-3", 1, "4/9"),
            ("TC-A", "TC-A-5", "3/6", "5/24"),
            ("TC-A", "TC-A-10", "1/6", "1/6"),
            ("TC-A", "TC-A-13", "1/6", "1/21"),
            ("TC-B", "TC-B-1", "1/5", "2/5"),
            ("TC-D", "TC-D-1", 1, "26/36"),
            ("TC-K", "TC-K-1", "1/7", "1/3"),
            ("TC-L", "TC-L-1", "5/21", "3/7"),
            ("TC-N", "TC-N-4", "3/6", "3/6"),
            ("TC-N", "TC-N-6", 0, 0),
        ],
    )
    def test_lea(self, shared_data, key, response, recall, precision):
        folder = shared_data / "data" / "coref" / "DataFiles"
        found = metrics.score_documents(
            read_documents(folder / f"{key}.key"),
            read_documents(folder / f"{response}.response"),
        )
        check_scores(found, expected_scores({"lea": (recall, precision)}))

    def test_litbank(self, shared_data):
        folder = shared_data / "data" / "coref" / "litbank" / "scorer_example"
        found = metrics.score_documents(
            read_documents(folder / "key.conll.gz"),
            read_documents(folder / "response.conll.gz"),
        )
        for name in ("muc", "bcub", "ceafe", "ceafm", "blanc"):
            text = (folder / f"expected.{name}.txt").read_text()
            lines = re.findall(
                r"(?<=Recall: ).*(?=%$)", text, flags=re.MULTILINE
            )
            check_line(found["mentions"], lines[0])
            check_line(found[name], lines[-1])


def check_line(scores, line):
    """Compares with (a / b) 12.34%, twice, and 12.34."""
    shares = re.findall(r"\((\S+) / (\S+)\)", line)
    assert scores[:2] == pytest.approx(
        [float(part) / float(whole) for part, whole in shares], rel=1e-13
    )
    percent = re.findall(r"([\d.]+)(?:%|$)", line)
    assert [int(10000 * x) / 100 for x in scores] == [*map(float, percent)]


class TestBinary:
    def test_it_prints_one_line(self, tmp_path):
        key = [document("a b c", [[(0, 0), (2, 2)]])]
        response = [document("a x c", [[(0, 0)]])]
        key_path = tmp_path / "key.gz"
        plain_path = tmp_path / "key.conll"
        conll_file.write_conll(plain_path, key)
        key_path.write_bytes(gzip.compress(plain_path.read_bytes()))
        response_path = tmp_path / "response"
        json_lines.write_json_lines(response_path, response)
        result = binaries.run("tasks.coref.metrics", key_path, response_path)
        assert result.returncode == 0
        assert result.stdout.count("\n") == 1
        assert json.loads(result.stdout) == metrics.score([(["ac"], ["a"])])
        assert result.stderr == (
            f"{response_path}:1: 1 of 3 tokens of the document a are others "
            f"than in {key_path}:1: number 1, the first of them, is 'x', not "
            "'b'\n"
        )

    def test_mistakes(self, tmp_path):
        for name, text in (
            ("key", "#begin document (a)\na (0)\n#end document\n"),
            ("response", "#begin document (a)\na (0\n#end document\n"),
            ("other", "#begin document (b)\na (0)\n#end document\n"),
        ):
            (tmp_path / name).write_text(text)
        for names, message in (
            (
                ["key", "response"],
                f"{tmp_path}/response:2: found (0, expected 0) after it in",
            ),
            (
                ["key", "other"],
                f"{tmp_path}/key:1: found the document a, expected one of the "
                f"1 that are in the file of {tmp_path}/other:1",
            ),
            (["key"], "missing argument RESPONSE; --help tells more"),
        ):
            result = binaries.run(
                "tasks.coref.metrics", *(tmp_path / name for name in names)
            )
            binaries.check_mistake(result, "metrics", message)
