"""Finds predicates by a rule, where nobody has marked them."""

import dataclasses

from elmo_tf.errors import InputError
from tasks.srl.proposition import Proposition

# In the Penn Treebank's tag set, auxiliaries too, but no modal verbs.
_VERB_TAG, _MODAL_TAG = "VB", "MD"
_UNIVERSAL_VERB_TAGS = ("VERB", "AUX")


def with_verbs_as_predicates(sentence):
    """Makes a proposition without arguments of each verb of a sentence.

    A verb is what has a part of speech that begins with VB; in Universal
    Dependencies, the part of speech VERB or AUX, and not MD besides. PropBank
    takes forms of be, do and have for predicates too, but also many nouns and
    adjectives, which the rule does not find.

    Args:
        sentence: A `SRLSentence` with parts of speech and words.

    Returns:
        The `SRLSentence` with these propositions and no others. Their lemmas
        are those of the file if it has any, else the words in small letters.

    Raises:
        InputError: The sentence has no parts of speech or no words.
    """
    universal = sentence.columns.get("UPOS")
    for values, name in (
        (universal or sentence.pos, "parts of speech"),
        (sentence.tokens, "words"),
    ):
        if values is None:
            raise InputError(
                f"{sentence.place()}: found no {name}, expected some to find "
                "the predicates by"
            )
    pos = sentence.pos or [""] * len(sentence)
    if universal is None:
        verbs = [i for i, tag in enumerate(pos) if tag.startswith(_VERB_TAG)]
    else:
        verbs = [
            i
            for i, tag in enumerate(universal)
            if tag in _UNIVERSAL_VERB_TAGS and pos[i] != _MODAL_TAG
        ]
    lemmas = [token.lower() for token in sentence.tokens]
    for i, lemma in enumerate(sentence.columns.get("lemma", ())):
        if lemma is not None:
            lemmas[i] = lemma
    for proposition in sentence.propositions:
        lemmas[proposition.predicate] = proposition.lemma
    return dataclasses.replace(
        sentence,
        propositions=tuple(Proposition(i, lemmas[i]) for i in verbs),
    )
