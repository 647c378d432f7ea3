"""Questions made of text: what is an entity, what is asked, what is left."""

import numpy as np
import pytest

from bidaf_tf.cloze_data import read_questions
from bidaf_tf.cloze_data import write_question
from tasks.cloze.question_maker import QuestionMaker

ARTICLE = [
    "The old town of Oslo lies in Norway .".split(),
    "Anna Lee and Bo met in Oslo , where I live .".split(),
    "Old friends of Anna Lee left for Norway with Bo .".split(),
    "`` He saw Oslo , '' said Bo of Norway 's Anna Lee .".split(),
]
# Inside of sentences Bo has a capital letter, and he and old have none.
OTHER = ["Bo knows that he met old Bo . He left .".split()]


def make(passage_length=1000, questions_per_passage=1000, article=None, seed=0):
    maker = QuestionMaker(
        [ARTICLE, OTHER], passage_length, questions_per_passage
    )
    return list(
        maker.questions(
            article or ARTICLE, "a.txt", np.random.default_rng(seed)
        )
    )


def with_names(question):
    """Context and question with names, and the answer's name."""
    names = {entity: f"[{name}]" for entity, name in question.names.items()}
    texts = [
        " ".join(names.get(token, token) for token in tokens)
        for tokens in (question.context_tokens, question.question_tokens)
    ]
    return *texts, question.names[question.answer]


def test_questions():
    found = {with_names(question) for question in make()}
    sentences = [
        "the old town of [Oslo] lies in [Norway] .",
        "[Anna Lee] and [Bo] met in [Oslo] , where i live .",
        "old friends of [Anna Lee] left for [Norway] with [Bo] .",
        "`` he saw [Oslo] , '' said [Bo] of [Norway] 's [Anna Lee] .",
    ]
    expected = set()
    for place, sentence in enumerate(sentences):
        context = " ".join(sentences[:place] + sentences[place + 1 :])
        for name in ("Oslo", "Norway", "Anna Lee", "Bo"):
            if f"[{name}]" in sentence:
                gapped = sentence.replace(f"[{name}]", "@placeholder")
                expected.add((context, gapped, name))
    assert found == expected


def test_ids_are_drawn():
    questions = make()
    for question in questions:
        assert sorted(question.names) == [f"@entity{n}" for n in range(4)]
        assert question.url == "a.txt#0"
    assert len({tuple(sorted(q.names.items())) for q in questions}) > 3
    assert make() == questions
    assert make(seed=1) != questions


def test_an_entity_of_one_sentence_is_not_asked_for():
    article = [*ARTICLE[:3], "The rain in Bergen saw nobody at all .".split()]
    answers = {with_names(question)[2] for question in make(article=article)}
    assert answers == {"Oslo", "Norway", "Anna Lee", "Bo"}


def test_an_entity_twice_in_the_question_is_not_asked_for():
    article = [*ARTICLE, "The Oslo of today is no Oslo of Bo .".split()]
    for question in make(article=article):
        assert question.question_tokens.count("@placeholder") == 1
        context, gapped, name = with_names(question)
        if gapped.startswith("the [Oslo] of today"):
            assert name == "Bo"


def test_a_context_has_three_entities():
    article = [
        "Bo and nobody else met the old rain .".split(),
        "Then the old rain met Bo in Oslo again .".split(),
    ]
    assert make(article=article) == []


def test_a_question_has_some_words():
    article = [*ARTICLE, "Bo met Norway .".split()]
    assert all(
        len(question.question_tokens) >= 8 for question in make(article=article)
    )


@pytest.mark.parametrize("length, n_passages", [(9, 8), (10, 6), (40, 2)])
def test_passages(length, n_passages):
    article = ARTICLE * 2
    maker = QuestionMaker([article], length, 1)
    passages = list(maker._passages(article))
    assert len(passages) == n_passages
    assert sum(passages, []) == article


def test_so_many_questions_of_a_passage():
    questions = make(50, 2, ARTICLE * 3)
    assert [question.url for question in questions] == [
        f"a.txt#{n}" for n in range(3) for _ in range(2)
    ]


def test_they_are_questions(tmp_path):
    questions = make()
    for question in questions:
        write_question(tmp_path, question)
    assert read_questions(tmp_path) == sorted(questions, key=lambda q: q.id)
