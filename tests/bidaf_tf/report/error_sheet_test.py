"""Wrong answers drawn, and the sheet to sort them."""

import html.parser
import json

import numpy as np

from bidaf_tf.report.error_sheet import CATEGORIES
from bidaf_tf.report.error_sheet import draw_errors
from bidaf_tf.report.error_sheet import error_sheet_section
from tests.bidaf_tf.report.judged import judge

JUDGED = [
    judge("Ann" if number % 3 else "Bob", question_id=str(number))
    for number in range(60)
]
WRONG = {str(number) for number in range(0, 60, 3)}


def draw(n, seed=0):
    errors = draw_errors(JUDGED, n, np.random.default_rng(seed))
    return [one.question.id for one in errors]


def test_only_wrong_ones_each_once():
    assert set(draw(100)) == WRONG
    assert len(draw(100)) == len(WRONG)
    found = draw(7)
    assert len(set(found)) == len(found) == 7
    assert set(found) < WRONG
    assert found == draw(7) != draw(7, seed=1)
    # Fewer are the first of more, all equally likely.
    assert draw(3) == found[:3]
    counts = [draw(10, seed).count("0") for seed in range(400)]
    assert abs(np.mean(counts) - 0.5) < 0.1


class Inputs(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.inputs, self.errors = [], []

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        if tag == "input":
            self.inputs.append(attributes)
        if attributes.get("class") == "error":
            self.errors.append(attributes)


def test_sheet():
    errors = [
        judge("Bob", answers=("Ann", 'O"slo', "Ann"), question='<b a="">?'),
        judge("met", question_id="2"),
    ]
    section = error_sheet_section(errors, 12)
    assert "2 of the 12 questions" in section
    reader = Inputs()
    reader.feed(section)
    names = [f"error-{number}" for number in (1, 2) for _ in range(7)]
    assert [found["name"] for found in reader.inputs] == names
    assert [found["value"] for found in reader.inputs] == [*"012345", ""] * 2
    checked = [found["value"] for found in reader.inputs if "checked" in found]
    assert checked == ["", ""]
    first = reader.errors[0]
    assert first["data-question"] == '<b a="">?'
    assert json.loads(first["data-answers"]) == ["Ann", 'O"slo']
    assert "<b a" not in section
    for name, percent in CATEGORIES:
        assert section.count(name) == 3
        assert f">{percent} %</td>" in section
    assert sum(percent for _, percent in CATEGORIES) == 100
    # Another sheet has another name.
    assert section.count('data-sheet="') == 1
    other = error_sheet_section(errors[:1], 12)
    sheet = section.split('data-sheet="')[1][:16]
    assert sheet not in other


def test_no_errors():
    assert "No answer is wrong." in error_sheet_section([], 0)
    assert "None was to be drawn." in error_sheet_section([], 5)
