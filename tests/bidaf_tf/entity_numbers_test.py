"""Entities of texts in the graph, against Python."""

import collections
import random

import numpy as np
import tensorflow as tf

from bidaf_tf.cloze_question import is_entity
from bidaf_tf.entity_numbers import entity_names
from bidaf_tf.entity_numbers import number_entities
from bidaf_tf.entity_numbers import rename_entities
from bidaf_tf.entity_numbers import shuffled_ids

CONTEXTS = [
    "@entity7 met @entity12 and @entity7 .",
    "no @entity here",
    "@entity1 @entity01 @entity1x @entity9",
    "",
]
QUESTIONS = ["@entity3 and @entity12 ?", "@entity5", "", ""]


def batch(lines, n_padding=0, padding="@entity4"):
    rows = [line.split() for line in lines]
    time = max(map(len, rows)) + n_padding
    tokens = [row + [padding] * (time - len(row)) for row in rows]
    return (
        tf.constant(tokens, tf.string, [len(rows), time]),
        tf.constant([len(row) for row in rows], tf.int32),
    )


def texts(n_padding=0, contexts=CONTEXTS, questions=QUESTIONS):
    return [batch(contexts, n_padding), batch(questions, n_padding)]


def expected_entities(row):
    tokens = (CONTEXTS[row] + " " + QUESTIONS[row]).split()
    return list(dict.fromkeys(filter(is_entity, tokens)))


def test_numbers():
    for n_padding in (0, 2):
        found = number_entities(texts(n_padding))
        for numbers, lines in zip(found, (CONTEXTS, QUESTIONS), strict=True):
            for row, line in enumerate(lines):
                entities = expected_entities(row)
                expected = [
                    entities.index(token) if token in entities else -1
                    for token in line.split()
                ]
                n = len(expected)
                assert numbers[row, :n].numpy().tolist() == expected
                assert set(numbers[row, n:].numpy()) <= {-1}


def test_names():
    for n_padding in (0, 2):
        given = texts(n_padding)
        names = entity_names(given, number_entities(given)).numpy()
        assert names.shape == (4, 3)
        for row, line in enumerate(names):
            expected = [name.encode() for name in expected_entities(row)]
            assert line.tolist() == expected + [b""] * (3 - len(expected))


def test_no_entities_and_no_tokens():
    for lines in (["a"], [""]):
        given = texts(0, lines, lines)
        numbers = number_entities(given)
        assert [value.numpy().tolist() for value in numbers] == [
            [[-1] * len(lines[0])]
        ] * 2
        assert entity_names(given, numbers).numpy().tolist() == [[b""]]
        ids = shuffled_ids(given, numbers)
        assert ids.numpy().tolist() == [[-1]]
        renamed = rename_entities(given, numbers, ids)
        for (found, _), (tokens, _) in zip(renamed, given, strict=True):
            np.testing.assert_array_equal(found, tokens)


def test_names_make_no_difference():
    given = texts()
    ids = shuffled_ids(given, number_entities(given))
    expected = rename_entities(given, number_entities(given), ids)
    names = {"@entity7": "@entity3", "@entity3": "@entity44"}
    other = texts(
        # Nor does padding.
        1,
        [" ".join(names.get(t, t) for t in c.split()) for c in CONTEXTS],
        [" ".join(names.get(t, t) for t in q.split()) for q in QUESTIONS],
    )
    found_ids = shuffled_ids(other, number_entities(other))
    np.testing.assert_array_equal(found_ids, ids)
    found = rename_entities(other, number_entities(other), found_ids)
    for (tokens, lengths), (wanted, _) in zip(found, expected, strict=True):
        for row, length in enumerate(lengths.numpy()):
            assert (
                tokens[row, :length].numpy().tolist()
                == wanted[row, :length].numpy().tolist()
            )


def test_renamed():
    given = texts()
    numbers = number_entities(given)
    ids = tf.constant([[2, 0, 1], [4, -1, -1], [5, 6, 7], [-1, -1, -1]])
    (context, _), (question, _) = rename_entities(given, numbers, ids)
    rows = [b" ".join(row).decode() for row in context.numpy()]
    assert rows[0] == "@entity2 met @entity0 and @entity2 ."
    assert rows[1].startswith("no @entity here")
    assert rows[2].startswith("@entity5 @entity6 @entity1x @entity7")
    rows = [b" ".join(row).decode() for row in question.numpy()]
    assert rows[0] == "@entity1 and @entity0 ?"
    assert rows[1].startswith("@entity4")


def test_all_orders_are_equally_likely():
    generator = random.Random(0)
    contexts = [
        "@entity0 @entity1 @entity2 " + str(generator.random())
        for _ in range(600)
    ]
    # A row of more entities than the others.
    contexts.append("@entity1 @entity2 @entity3 @entity4")
    given = [batch(contexts), batch(["?"] * 601)]
    ids = shuffled_ids(given, number_entities(given)).numpy()
    assert sorted(ids[600]) == [0, 1, 2, 3]
    assert set(ids[:600, 3]) == {-1}
    counts = collections.Counter(map(tuple, ids[:600, :3]))
    assert len(counts) == 6
    # 100 expected, 9 being the standard deviation.
    assert all(60 < count < 140 for count in counts.values())
    # Each row for itself.
    alone = [batch(contexts[:1]), batch(["?"])]
    np.testing.assert_array_equal(
        shuffled_ids(alone, number_entities(alone)), ids[:1, :3]
    )
