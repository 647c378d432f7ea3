"""The picture of the months."""

import re

import numpy as np
import pytest

from bidaf_tf.report import months as months_module
from bidaf_tf.report.context_words import gather_context_words
from bidaf_tf.report.months import MONTHS
from bidaf_tf.report.months import choose_points
from bidaf_tf.report.months import lay_out
from bidaf_tf.report.months import months_section
from tests.bidaf_tf.report import fake_model


def test_choose_points():
    generator = np.random.default_rng(0)
    words = generator.choice(["May", "may", "March", "cat"], 3000).tolist()
    months, others = choose_points(words, np.random.default_rng(1))
    assert {words[place] for place in months} == {"May", "March"}
    assert {words[place] for place in others} == {"may", "cat"}
    assert (len(set(months)), len(set(others))) == (300, 300)
    months, others = choose_points(words[:50], np.random.default_rng(1))
    assert sorted(months + others) == list(range(50))


def test_neighbours_stay_together():
    generator = np.random.default_rng(0)
    centers = 10 * generator.normal(size=[3, 8])
    vectors = np.repeat(centers, 12, axis=0) + generator.normal(size=[36, 8])
    places = lay_out(vectors)
    distances = np.linalg.norm(places[:, None] - places, axis=-1)
    np.fill_diagonal(distances, np.inf)
    assert (distances.argmin(axis=1) // 12 == np.arange(36) // 12).all()
    np.testing.assert_array_equal(lay_out(vectors), places)


def words_of(contexts, reads_words=True):
    return gather_context_words(
        fake_model.FakeModel(reads_words), contexts, len(contexts)
    )


def section(contexts, reads_words=True, seed=0):
    generator = np.random.default_rng(seed)
    return months_section(words_of(contexts, reads_words), generator)


@pytest.mark.parametrize("reads_words", [True, False])
def test_section(reads_words):
    contexts = [f"In {month} or <May> it may be." for month in MONTHS]
    found = section(contexts, reads_words)
    pictures = re.findall("<svg.*?</svg>", found)
    assert len(pictures) == 1 + reads_words
    names = [re.findall(r">(\w{3})</text>", picture) for picture in pictures]
    n_points = [picture.count("<circle") for picture in pictures]
    everywhere = [month[:3] for month in MONTHS] + ["May"] * 12
    assert n_points[-1] == len(everywhere)
    # Each has a point, and a name where there is room.
    assert set(names[-1]) == set(everywhere)
    if reads_words:
        assert sorted(names[0]) == sorted(month[:3] for month in MONTHS)
    assert "In [January] or &lt;May&gt; it may be." in pictures[-1]
    assert pictures[-1].count('class="may"') == 13
    for picture in pictures:
        places = np.array(
            re.findall(r'cx="([-\d.]+)" cy="([-\d.]+)"', picture), float
        )
        assert (places >= 29).all() and (places <= [451, 371]).all()
    assert found == section(contexts, reads_words)


def test_other_words_are_drawn(monkeypatch):
    monkeypatch.setattr(months_module, "_MOST_POINTS", 80)
    contexts = [f"In {' '.join(MONTHS)} {number}." for number in range(6)]
    assert section(contexts) == section(contexts) != section(contexts, seed=1)


def test_too_few_months():
    found = section(["In May and June"] * 9)
    assert "there are 2 names of months in 18 places: too few" in found
    assert "<svg" not in found


def test_months_that_the_model_does_not_know(monkeypatch):
    monkeypatch.setattr(fake_model, "is_known", lambda word: word == "in")
    found = section([f"in {month}" for month in MONTHS])
    assert "knows too few of them" in found
    assert len(re.findall("<svg.*?</svg>", found)) == 1
