"""Contexts drawn, and their words in order."""

import numpy as np
import pytest

from bidaf_tf.report.context_words import choose_contexts
from bidaf_tf.report.context_words import gather_context_words
from bidaf_tf.squad_question import SquadQuestion
from tests.bidaf_tf.report import fake_model

CONTEXTS = [f"{'word ' * number}{number}." for number in range(1, 12)]
QUESTIONS = [
    SquadQuestion(str(number), "", context, "Who?")
    for number, context in enumerate([*CONTEXTS, *CONTEXTS[:3]])
]


def choose(n, seed=0):
    return choose_contexts(QUESTIONS, n, np.random.default_rng(seed))


@pytest.mark.parametrize("most", [1, 20, 50, 87, 88, 1000])
def test_at_most_so_many_words(most):
    chosen, n_all = choose(most)
    assert n_all == len(CONTEXTS)
    assert chosen == [text for text in CONTEXTS if text in chosen]
    lengths = [len(text.split()) + 1 for text in chosen]
    assert sum(lengths) <= most or len(chosen) == 1
    if most >= 88:
        assert chosen == CONTEXTS
    # It is no other one that would not have fitted.
    assert sum(lengths) + len(CONTEXTS) + 2 > most or chosen == CONTEXTS


def test_drawn_by_the_generator():
    assert choose(20)[0] == choose(20)[0]
    assert len({tuple(choose(20, seed)[0]) for seed in range(9)}) > 3


def test_words():
    contexts = ["Ann met  Bob.", "Axe axe " + "x" * 50]
    model = fake_model.FakeModel()
    found = gather_context_words(model, contexts, 7)
    assert model.texts == [(contexts[0], ""), (contexts[1], "")]
    words = ["Ann", "met", "Bob", ".", "Axe", "axe", "x" * 50]
    assert found.words == words
    assert (found.n_contexts, found.n_all_contexts) == (2, 7)
    assert found.is_known.tolist() == [True] * 4 + [False] * 3
    assert found.first_places == [0, 1, 2, 3]
    before = ["", "Ann", "met", "Bob", "", "Axe", "axe"]
    for place, word in enumerate(words):
        np.testing.assert_array_equal(
            found.contextual_vectors[place],
            fake_model.vector(f"{before[place]} {word}", 4),
        )
    np.testing.assert_array_equal(
        found.word_vectors[2], fake_model.vector("bob", 3)
    )
    assert found.excerpts[2] == "…Ann met  [Bob].…"
    assert found.excerpts[4] == f"…[Axe] axe {'x' * 25}…"


def test_a_model_that_reads_no_words():
    found = gather_context_words(fake_model.FakeModel(False), ["Ann"], 1)
    assert found.word_vectors is None and found.is_known is None
    assert found.contextual_vectors.shape == (1, 4)
