"""What the rules find, and what they learn."""

import dataclasses

from tasks.coref.mention_finder import MentionFinder
from tests.tasks.coref import small_documents


def found(train, text):
    """The texts of the mentions that are found."""
    document = small_documents.make(text)
    tokens = document.tokens
    return [
        " ".join(tokens[first : last + 1])
        for first, last in MentionFinder(train).find(document)
    ]


def train(text, *spans):
    return small_documents.make(text, [[span] for span in spans])


def test_strings():
    # "it" is a mention in three of ten occurrences, "so" in three of eleven,
    # "now" in one of one.
    it = train("it it it it it it it it it it", (0, 0), (1, 1), (2, 2))
    so = train("so so so so so so so so so so so", (0, 0), (1, 1), (2, 2))
    now = train("now", (0, 0))
    documents = [it, so, now]
    text = "so It was now it / it"
    assert found(documents, text) == ["It", "it", "it"]
    all_of_us = train("all of us all of us", (0, 2), (3, 5))
    assert found([all_of_us], "all of / us all of us") == ["all of us"]
    # Four tokens are too many.
    four = train("a b c d a b c d", (0, 3), (4, 7))
    assert found([four], "x a , b , c d") == []


def test_names():
    documents = [train("then a dog was there")]
    text = "Then Ann Lee saw Zoë . / Max ran to A. B."
    assert found(documents, text) == ["Ann Lee", "Zoë", "Max", "A. B."]
    # At the beginning of a sentence only.
    assert found(documents, "so Then Was") == ["Then Was"]


def test_phrases():
    documents = [
        train("the old dog saw the dog and the cat", (0, 2), (4, 5), (7, 8)),
        train("the cat", (0, 1)),
    ]
    text = "the very big dog , the , dog / the dog cat / the / dog"
    assert found(documents, text) == ["the very big dog", "the dog cat"]
    # Four tokens after the first, five after it.
    text = "the a b c dog / the a b c d dog"
    assert found(documents, text) == ["the a b c dog"]


def test_the_order_and_the_places():
    documents = [
        train("he saw a dog . he had a dog", (0, 0), (5, 5), (2, 3), (7, 8))
    ]
    document = small_documents.make("he / saw Max and a dog", [[(0, 5)]])
    finder = MentionFinder(documents)
    assert finder.find(document) == [(0, 0), (2, 2), (4, 5)]
    # The clusters are not looked at.
    other = dataclasses.replace(document, clusters=())
    assert finder.find(other) == finder.find(document)


def test_a_mention_of_two_clusters_is_one():
    document = small_documents.make(
        "it it it it it it it", [[(0, 0)], [(0, 0)]]
    )
    assert found([document], "it") == []
