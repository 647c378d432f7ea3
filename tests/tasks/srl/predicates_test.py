import dataclasses

import pytest

from elmo_tf.errors import InputError
from tasks.srl.data import read_sentences
from tasks.srl.predicates import with_verbs_as_predicates
from tasks.srl.proposition import Proposition
from tasks.srl.srl_sentence import SRLSentence
from tasks.text.span import Span


def test_verbs():
    sentence = SRLSentence(
        6,
        (Proposition(5, "talk", "01", (Span("V", 5, 6),)),),
        tokens=("He", "Has", "to", "go", "and", "talk"),
        pos=("PRP", "VBZ", "TO", "VB", "CC", "NN"),
    )
    found = with_verbs_as_predicates(sentence)
    assert found.propositions == (Proposition(1, "has"), Proposition(3, "go"))
    assert found.tokens == sentence.tokens


def test_lemmas_of_the_file():
    sentence = SRLSentence(
        3,
        (Proposition(0, "say", "01"),),
        tokens=("Says", "Went", "Be"),
        pos=("VBZ", "VBD", "VB"),
        columns={"lemma": (None, "go", None)},
    )
    assert [
        proposition.lemma
        for proposition in with_verbs_as_predicates(sentence).propositions
    ] == ["say", "go", "be"]


def test_modal_verbs_are_none():
    sentence = SRLSentence(1, tokens=("can",), pos=("MD",))
    assert with_verbs_as_predicates(sentence).propositions == ()


def test_universal_parts_of_speech():
    sentence = SRLSentence(
        4,
        tokens=("Er", "will", "oft", "gehen"),
        columns={
            "UPOS": ("PRON", "AUX", None, "VERB"),
            "lemma": ("er", "wollen", "oft", "gehen"),
        },
    )
    assert with_verbs_as_predicates(sentence).propositions == (
        Proposition(1, "wollen"),
        Proposition(3, "gehen"),
    )
    # Where English says which auxiliaries are modal verbs.
    english = dataclasses.replace(sentence, pos=("PRP", "MD", "RB", "VB"))
    assert with_verbs_as_predicates(english).propositions == (
        Proposition(3, "gehen"),
    )


@pytest.mark.parametrize(
    "columns, missing",
    [
        ({"tokens": ("go",)}, "parts of speech"),
        ({"pos": ("VB",)}, "words"),
    ],
)
def test_what_it_needs(columns, missing):
    sentence = SRLSentence(1, path="a.props", lines=(3,), **columns)
    with pytest.raises(InputError) as info:
        with_verbs_as_predicates(sentence)
    assert str(info.value) == (
        f"a.props:3: found no {missing}, expected some to find the predicates "
        "by"
    )


def test_how_many_it_finds(shared_data):
    """Nearly all it finds are PropBank's, three quarters of these it finds."""
    folder = shared_data / "data" / "srl" / "propbank-ewt"
    gold = read_sentences(folder / "ewt-srl.dev.gold_conll.gz")
    found = map(with_verbs_as_predicates, gold)
    n_gold = n_found = n_both = 0
    for pair in zip(gold, found, strict=True):
        first, second = (
            {proposition.predicate for proposition in sentence.propositions}
            for sentence in pair
        )
        n_gold += len(first)
        n_found += len(second)
        n_both += len(first & second)
    assert n_both / n_found == pytest.approx(0.9724, abs=1e-4)
    assert n_both / n_gold == pytest.approx(0.7653, abs=1e-4)
