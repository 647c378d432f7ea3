"""Questions counted by their first words."""

import numpy as np

from bidaf_tf.report.first_words import FirstWord
from bidaf_tf.report.first_words import count_first_words
from bidaf_tf.report.first_words import first_words_section
from tests.bidaf_tf.report.judged import judge

WORDS = ["who", "What", "what", "When", "Ébène", "how", "in", "<b>"]


def make(n=200, with_other=True):
    generator = np.random.default_rng(0)
    judged, tokens = [], []
    for number in range(n):
        right, other = generator.integers(2, size=2)
        other_text = ("Bob", "Ann")[other] if with_other else None
        judged.append(
            judge(("Bob", "Ann")[right], other_text, question_id=str(number))
        )
        word = WORDS[generator.integers(len(WORDS))]
        tokens.append([word, "what", "?"])
    # A question without words is in no group.
    return [*judged, judge("Ann", "Ann")], [*tokens, []]


def test_by_brute_force():
    judged, tokens = make()
    found = count_first_words(judged, tokens, True, n_words=4)
    groups = {}
    for one, words in zip(judged, tokens, strict=True):
        if words:
            row = groups.setdefault(words[0].lower(), [0, 0, 0])
            row[0] += 1
            row[1] += one.text == "Ann"
            row[2] += one.other_text == "Ann"
    expected = sorted(groups.items(), key=lambda item: (-item[1][0], item[0]))
    assert found == [FirstWord(word, *row) for word, row in expected[:4]]
    assert found[0].word == "what"


def test_section():
    judged, tokens = make()
    counts = count_first_words(judged, tokens, True)
    section = first_words_section(counts, "<other>")
    assert "&lt;other&gt;" in section and "&lt;b&gt;" in section
    first = counts[0]
    for n_right, name in (
        (first.n_right, "model"),
        (first.n_other_right, "other"),
    ):
        share = f"{100 * n_right / first.n:.1f}"
        assert f"<span>{share} %</span>" in section
        assert f'width="{share}" height="10" class="{name}"' in section


def test_without_other_predictions():
    counts = count_first_words(*make(with_other=False), False)
    assert {count.n_other_right for count in counts} == {None}
    assert 'class="other"' not in first_words_section(counts, None)
