"""Test sets, against a program that goes word by word."""

import numpy as np
import pytest

from tasks.wsd import evaluation
from tasks.wsd.metrics import score
from tasks.wsd.nearest_sense import NearestSense
from tasks.wsd.sense_vectors import SenseVectors
from tests.tasks.wsd import tiny_sentences
from tests.tasks.wsd import tiny_wordnet
from tests.tasks.wsd import vectors_by_hand

KNOWN = [key for keys in tiny_wordnet.KEYS.values() for key in keys]
SYSTEMS = ["first_sense", "layer_0", "layer_1", "layer_2", "mean"]


@pytest.fixture(scope="module")
def evaluated(elmo, wordnet):
    sentences = tiny_sentences.test()
    sense_vectors = SenseVectors.average(elmo, tiny_sentences.training(), KNOWN)
    announced = []

    def progress(*counts):
        announced.append(counts)

    figures, predicted = evaluation.evaluate(
        elmo,
        NearestSense(sense_vectors, wordnet),
        wordnet,
        {"part": sentences[2:4], "ALL": sentences},
        progress,
    )
    # Each of the four once, and the one without a question not at all.
    assert announced == [(4, 3 + 4 + 4 + 4)]
    return figures, predicted


def expected_keys(elmo):
    """From the name of each instance to its key, for each of SYSTEMS."""
    means = vectors_by_hand.sense_means(elmo, tiny_sentences.training())
    keys = {}
    for sentence in tiny_sentences.test():
        for instance in sentence.instances:
            senses = tiny_wordnet.KEYS.get((instance.lemma, instance.pos), ())
            candidates = [key for key in senses if key in means]
            first = senses[0] if senses else None
            found = [first] * 4
            if candidates:
                vectors = vectors_by_hand.word_vectors(elmo, sentence, instance)
                found = vectors_by_hand.nearest(vectors, means, candidates)
            keys[instance.name] = [first, *found]
    return keys


def test_predictions(elmo, evaluated):
    _, predicted = evaluated
    expected = expected_keys(elmo)
    names = {
        "ALL": list(expected),
        "part": [
            name for name in expected if "bank big" in name or "man" in name
        ],
    }
    assert len(names["part"]) == 5
    for test_set, instances in names.items():
        assert list(predicted[test_set]) == SYSTEMS
        for place, system in enumerate(SYSTEMS):
            assert predicted[test_set][system] == {
                name: tuple(filter(None, [expected[name][place]]))
                for name in instances
            }


def test_figures(evaluated):
    figures, predicted = evaluated
    instances = [
        instance
        for sentence in tiny_sentences.test()
        for instance in sentence.instances
    ]
    found = figures["ALL"]
    # man, shore and know; what WordNet has of shore is another sense.
    assert found["fallback"] == 3
    assert found["unanswered"] == 1
    assert found["gold_keys_not_in_wordnet"] == 2
    assert found["instances"] == len(instances) == 7
    assert figures["part"]["instances"] == 5
    assert figures["part"]["fallback"] == 3
    for system in SYSTEMS:
        keys = predicted["ALL"][system]
        gold = {instance.name: instance.keys for instance in instances}
        scores = dict(found["systems"][system])
        parts = scores.pop("parts_of_speech")
        assert scores == score(gold, keys)
        # There is no adverb.
        assert list(parts) == ["nouns", "verbs", "adjectives"]
        for name, pos in (("nouns", "n"), ("verbs", "v")):
            gold = {i.name: i.keys for i in instances if i.pos == pos}
            assert parts[name] == score(gold, keys)
    assert found["systems"]["first_sense"]["correct"] == 4
    assert found["systems"]["first_sense"]["attempted"] == 6


def test_tables(evaluated):
    figures, _ = evaluated
    by_set, by_part = evaluation.format_tables(figures).split("\n\n")
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in by_set.splitlines()
    ]
    assert rows[0] == ["F1, in %", "part", "ALL"]
    assert rows[2] == ["first sense of WordNet", "66.7", "61.5"]
    assert [row[0] for row in rows[3:]] == [
        *("token layer", "LSTM 1", "LSTM 2", "mean of the layers"),
        *("instances", "… not in training"),
    ]
    assert rows[-2:] == [
        ["instances", "5", "7"],
        ["… not in training", "3", "3"],
    ]
    assert by_part.splitlines()[0].split() == (
        "| F1 on ALL, in % | nouns | verbs | adjectives |".split()
    )
    value = figures["ALL"]["systems"]["mean"]["f1"]
    assert rows[6][2] == f"{np.round(100 * value, 1):.1f}"
