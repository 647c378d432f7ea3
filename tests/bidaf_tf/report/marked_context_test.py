"""Marks that overlap, checked character by character."""

import html.parser
import itertools

import pytest

from bidaf_tf.report.marked_context import marked_context

TEXT = "a<b>&é"


class MarkReader(html.parser.HTMLParser):
    """Reads which characters stand in which marks."""

    def __init__(self):
        super().__init__()
        self.characters = []
        self._marks = set()

    def handle_starttag(self, tag, attrs):
        if tag == "mark":
            self._marks = set(dict(attrs)["class"].split())

    def handle_endtag(self, tag):
        self._marks = set()

    def handle_data(self, data):
        self.characters += [(character, self._marks) for character in data]


SPANS = [
    [],
    *([span] for span in itertools.combinations(range(len(TEXT) + 1), 2)),
    [(0, 2), (1, 4)],
]


@pytest.mark.parametrize("gold", SPANS)
def test_every_character_has_its_marks(gold):
    for predicted in SPANS:
        reader = MarkReader()
        reader.feed(marked_context(TEXT, gold, predicted))
        assert reader.characters == [
            (
                character,
                {
                    name
                    for name, spans in (
                        ("gold", gold),
                        ("predicted", predicted),
                    )
                    if any(start <= place < end for start, end in spans)
                },
            )
            for place, character in enumerate(TEXT)
        ]


def test_the_text_decides_the_direction():
    assert marked_context("שלום", [], []) == (
        '<p class="context" dir="auto">שלום</p>'
    )
    assert marked_context("", [], []) == '<p class="context" dir="auto"></p>'
