"""The picture of the attention, and its top points."""

import re

import numpy as np

from bidaf_tf.report.attention_section import attention_section
from bidaf_tf.report.attention_section import top_points
from bidaf_tf.report.inspected_text import InspectedText
from bidaf_tf.report.inspection import Inspection
from tests.bidaf_tf.report.judged import CONTEXT
from tests.bidaf_tf.report.judged import judge


def test_top_points():
    attention = np.random.default_rng(0).dirichlet(np.ones(4), size=30)
    attention[:, 3] *= 0.6
    attention[7] = attention[3]
    found = top_points(attention, 0.4, most=6)
    for column, places in enumerate(found):
        expected = sorted(
            (-share, place)
            for place, share in enumerate(attention[:, column])
            if share >= 0.4
        )[:6]
        assert places == [place for _, place in expected]
    assert max(map(len, found)) == 6 > min(map(len, found)) > 0
    assert top_points(np.zeros([0, 2]), 0.1) == [[], []]


def text(tokens, starts):
    return InspectedText(
        tokens,
        np.array(starts),
        np.array(starts) + [len(token) for token in tokens],
        np.zeros([len(tokens), 1]),
    )


def test_section():
    inspection = Inspection(
        text(["Ann", "met", "Bob", "in", "Oslo", "."], [0, 4, 8, 12, 15, 19]),
        text(["Who", "<?"], [0, 3]),
        np.array(
            [[0.9, 0.1], [0.6, 0.4], [0.58, 0.42], [0, 1], [1, 0], [0.01, 0.99]]
        ),
        np.array([0.25, 0.5, 0.25, 0, 0, 0]),
        np.array([0, 0, 1.0, 0, 0, 0]),
    )
    one = judge("Bob in", answers=("Ann",))
    found = attention_section([one], [inspection], 0.6)
    rows = re.findall(
        r'<g class="(\w+)" transform="translate\(0 (\d)\)">(.*?)</g>', found
    )
    cells = [
        (
            kind,
            int(row),
            re.findall(
                r'<rect x="(\d)" width="1" height="1" fill-opacity="([\d.]+)">'
                "<title>(.*?)</title></rect>",
                inside,
            ),
        )
        for kind, row, inside in rows
    ]
    assert cells == [
        (
            "attention",
            0,
            [
                ("0", "0.90", "Who – Ann 0.90"),
                ("1", "0.60", "Who – met 0.60"),
                ("2", "0.58", "Who – Bob 0.58"),
                ("4", "1.00", "Who – Oslo 1.00"),
            ],
        ),
        (
            "attention",
            1,
            [
                ("0", "0.10", "&lt;? – Ann 0.10"),
                ("1", "0.40", "&lt;? – met 0.40"),
                ("2", "0.42", "&lt;? – Bob 0.42"),
                ("3", "1.00", "&lt;? – in 1.00"),
                ("5", "0.99", "&lt;? – . 0.99"),
            ],
        ),
        # Up to the largest of the row.
        (
            "probability",
            2,
            [
                ("0", "0.50", "Ann 0.25"),
                ("1", "1.00", "met 0.50"),
                ("2", "0.50", "Bob 0.25"),
            ],
        ),
        ("probability", 3, [("2", "1.00", "Bob 1.00")]),
        ("gold", 4, [("0", "1.00", "Ann 1.00")]),
        (
            "predicted",
            5,
            [("2", "1.00", "Bob 1.00"), ("3", "1.00", "in 1.00")],
        ),
    ]
    assert 'viewBox="0 0 6 6"' in found
    points = re.findall(r"<th[^>]*>(.*?)</th><td[^>]*>(.*?)</td>", found)
    assert points == [
        ("Who", "Oslo 1.00, Ann 0.90, met 0.60"),
        ("&lt;?", "in 1.00, . 0.99"),
    ]
    assert "answered wrongly" in found
    assert CONTEXT.startswith("Ann met")
    assert "No share of 1.5" in attention_section([one], [inspection], 1.5)


def test_nothing_to_attend_to():
    nothing = text([], [])
    inspection = Inspection(
        nothing, nothing, np.zeros([0, 0]), np.zeros(0), np.zeros(0)
    )
    found = attention_section([judge("Ann")], [inspection], 0.3)
    assert "<rect" not in found
    assert "answered correctly" in found
