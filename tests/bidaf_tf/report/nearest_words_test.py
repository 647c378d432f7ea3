"""The nearest words, against all cosines."""

import re

import numpy as np

from bidaf_tf.report.context_words import gather_context_words
from bidaf_tf.report.nearest_words import default_words
from bidaf_tf.report.nearest_words import gather_query_vectors
from bidaf_tf.report.nearest_words import nearest_words
from bidaf_tf.report.nearest_words import nearest_words_section
from bidaf_tf.squad_question import SquadQuestion
from tests.bidaf_tf.report import fake_model


def test_nearest_words_by_brute_force():
    generator = np.random.default_rng(0)
    words = [f"w{number}" for number in generator.integers(20, size=100)]
    vectors = generator.normal(size=[100, 5])
    vectors[40] = 0
    vector = generator.normal(size=5)
    best = {}
    for place, word in enumerate(words):
        length = np.sqrt((vectors[place] ** 2).sum() * (vector**2).sum())
        cosine = sum(vectors[place] * vector) / length if length else 0.0
        if word not in best or cosine > best[word][0]:
            best[word] = cosine, place
    expected = sorted(best.values(), reverse=True)[:7]
    found = nearest_words(vector, words, vectors, n=7)
    assert [place for _, place in found] == [place for _, place in expected]
    np.testing.assert_allclose(
        [cosine for cosine, _ in found], [cosine for cosine, _ in expected]
    )
    assert len(nearest_words(vector, words, vectors, n=99)) == len(best)


def test_default_words():
    questions = [
        ["When", "did", "Ann", "see", "the", "city", "?"],
        ["Bob", "or", "Ann", "?"],
        ["Who", "is", "January", "?"],
        ["Did", "Cy", "see", "Ann", "and", "Bob", "or", "Di", "or", "Eve", "?"],
    ]
    # The paper's, then the most frequent names that begin no question.
    assert default_words(questions) == [
        "When",
        "Who",
        "city",
        "January",
        "Ann",
        "Cy",
        "Bob",
        "Di",
    ]
    assert default_words([["so", "?"]]) == []


QUESTIONS = [
    SquadQuestion("1", "", "C", "Who met Who x?"),
    SquadQuestion("2", "", "C", "When?"),
    SquadQuestion("3", "", "C", "And Who?"),
]
TOKENS = [["Who", "met", "Who", "x", "?"], ["When", "?"], ["And", "Who", "?"]]


def gather(model, words, questions=QUESTIONS, tokens=TOKENS):
    return gather_query_vectors(
        model, questions, tokens, words, np.random.default_rng(0)
    )


def test_query_vectors():
    model = fake_model.FakeModel()
    found = gather(model, ["Who", "x", "Missing"])
    # Only the questions that have the words, and no context.
    assert model.texts == [("", "Who met Who x?"), ("", "And Who?")]
    assert list(found) == ["Who", "x"]
    np.testing.assert_array_equal(
        found["Who"][0], fake_model.vector("who", fake_model.WORD_DIM)
    )
    pairs = [" Who", "met Who", "And Who"]
    np.testing.assert_allclose(
        found["Who"][1],
        np.mean([fake_model.vector(pair, 4) for pair in pairs], axis=0),
        rtol=1e-6,
    )
    # The model does not know it.
    assert found["x"][0] is None
    assert gather(fake_model.FakeModel(False), ["Who"])["Who"][0] is None


def test_a_frequent_word():
    questions = [
        SquadQuestion(str(number), "", "C", f"Who {number}?")
        for number in range(90)
    ]
    model = fake_model.FakeModel()
    gather(
        model,
        ["Who"],
        questions,
        [["Who", str(number), "?"] for number in range(90)],
    )
    assert len(set(model.texts)) == len(model.texts) == 50


def cells(section):
    body = section.split("<tbody>")[1]
    return [
        re.sub("<[^>]*>", "", cell)
        for cell in re.findall("<td>(.*?)</td>", body)
    ]


def test_section():
    model = fake_model.FakeModel()
    contexts = ["<Who> met who", "Ax Who, when?"]
    words = gather_context_words(model, contexts, 5)
    found = nearest_words_section(
        gather(model, ["Who", "x"]), ["<Missing>"], words
    )
    assert "In no question: &lt;Missing&gt;." in found
    assert "words, those of 2 of the 5 contexts; 1 of them" in found
    rows = cells(found)
    assert len(rows) == 4
    # One vector for all its forms, and none for what is not known.
    assert rows[0].startswith("Who 1.00, who 1.00, ")
    assert "Ax" not in rows[0] and "Ax" in rows[1]
    assert rows[2] == "not among the words that the model knows"
    assert 'title="…&lt;[Who]&gt; met who…"' in found


def test_section_of_a_model_that_reads_no_words():
    model = fake_model.FakeModel(False)
    words = gather_context_words(model, ["Ann met"], 1)
    found = nearest_words_section(gather(model, ["Who"]), [], words)
    assert "there is no word space" in found
    rows = cells(found)
    assert len(rows) == 1 and "met" in rows[0]
