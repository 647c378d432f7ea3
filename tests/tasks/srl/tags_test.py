"""Propositions become tags and the other way."""

import numpy as np
import pytest

from elmo_tf.errors import InputError
from tasks.srl import tags
from tasks.srl.data import read_sentences
from tasks.srl.proposition import Proposition
from tasks.srl.srl_sentence import SRLSentence
from tasks.text import tags as span_tags
from tasks.text.span import Span
from tests.tasks.srl import tiny_srl


def proposition(*spans):
    return Proposition(1, "say", "say.01", tuple(Span(*span) for span in spans))


def test_by_hand():
    come, say = tiny_srl.propositions("props")
    assert tags.write_tags(come, 9) == (
        "B-ARG1 I-ARG1 I-ARG1 B-R-ARG1 B-V O O O O".split()
    )
    expected = (
        "B-ARG1 O B-ARG0 I-ARG0 I-ARG0 B-V B-C-ARG1 I-C-ARG1 B-ARGM-TMP".split()
    )
    assert tags.write_tags(say, 9) == expected
    assert tags.read_tags(proposition(("A0", 0, 1)), expected) == (
        Proposition(1, "say", "say.01", say.arguments)
    )


@pytest.mark.parametrize(
    "spans, expected",
    [
        # The inner one interrupts the outer one.
        (
            [("A1", 0, 4), ("A0", 1, 2)],
            "B-A1 B-A0 B-C-A1 I-C-A1 O",
        ),
        ([("A1", 0, 4), ("A0", 2, 4)], "B-A1 I-A1 B-A0 I-A0 O"),
        ([("A1", 0, 4), ("A0", 0, 2)], "B-A0 I-A0 B-A1 I-A1 O"),
        ([("A1", 0, 2), ("A0", 0, 2)], "B-A0 I-A0 O O O"),
        (
            [("A1", 0, 5), ("A0", 1, 2), ("V", 3, 4)],
            "B-A1 B-A0 B-C-A1 B-V B-C-A1",
        ),
        (
            [("C-A1", 0, 5), ("A2", 1, 4), ("A0", 2, 3)],
            "B-C-A1 B-A2 B-A0 B-C-A2 B-C-A1",
        ),
    ],
)
def test_arguments_inside_others(spans, expected):
    assert tags.write_tags(proposition(*spans), 5) == expected.split()


def test_round_trip():
    rng = np.random.default_rng(0)
    for length in range(1, 60):
        spans = []
        start = 0
        while start < length:
            end = start + int(rng.integers(1, 4))
            if end <= length and rng.random() < 0.7:
                label = str(rng.choice(["A0", "C-A0", "R-A0", "V"]))
                spans.append(Span(label, start, end))
            start = end
        one = proposition(*spans)
        assert tags.read_tags(one, tags.write_tags(one, length)) == one


def test_reading_any_tags():
    one = tags.read_tags(proposition(), ["I-A0", "I-A1", "O", "I-A1", "B-A1"])
    assert one.arguments == (
        Span("A0", 0, 1),
        Span("A1", 1, 2),
        Span("A1", 3, 4),
        Span("A1", 4, 5),
    )


def test_what_is_no_tag():
    with pytest.raises(InputError, match="^tag 2: found 'A0', expected a tag"):
        tags.read_tags(proposition(), ["O", "A0"])


def test_list_tags():
    sentences = [
        SRLSentence(4, (proposition(("V", 1, 2)), proposition(("R-A0", 0, 1)))),
        SRLSentence(4, (proposition(("A1", 0, 3), ("A0", 1, 2)),)),
        SRLSentence(4),
    ]
    found = tags.list_tags(sentences)
    assert found == (
        "O B-A0 I-A0 B-A1 I-A1 B-C-A1 I-C-A1 B-R-A0 I-R-A0 B-V I-V".split()
    )
    # What Viterbi needs.
    allowed = span_tags.transition_mask(found, "BIO")
    assert not allowed[found.index("B-A1"), found.index("I-C-A1")]
    assert allowed[found.index("B-C-A1"), found.index("I-C-A1")]


def test_all_of_propbank(shared_data):
    """No proposition there changes by becoming tags."""
    folder = shared_data / "data" / "srl" / "propbank-ewt"
    sentences = read_sentences(folder / "ewt-srl.dev.gold_conll.gz")
    known = set(tags.list_tags(sentences))
    for sentence in sentences:
        for one in sentence.propositions:
            written = tags.write_tags(one, len(sentence))
            assert known.issuperset(written)
            # The stricter reader: the tags are valid BIO.
            spans = span_tags.read_spans(written, "BIO")
            assert tuple(spans) == one.arguments
