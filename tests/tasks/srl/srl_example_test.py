from tasks.srl.srl_example import NO_PREDICATE
from tasks.srl.srl_example import join_examples
from tasks.srl.srl_example import make_examples
from tasks.srl.srl_sentence import SRLSentence
from tests.tasks.srl import tiny_srl

SENTENCES = [
    SRLSentence(
        9, tiny_srl.propositions("props"), tiny_srl.WORDS[0], tiny_srl.POS[0]
    ),
    SRLSentence(2, (), tiny_srl.WORDS[1], tiny_srl.POS[1]),
    SRLSentence(9, tiny_srl.propositions("props")[:1], tiny_srl.WORDS[0]),
]


def test_an_example_for_each_predicate():
    examples = make_examples(SENTENCES)
    assert [example.predicate for example in examples] == [
        *(4, 5),
        NO_PREDICATE,
        4,
    ]
    assert examples[0].sentence is examples[1].sentence is SENTENCES[0]
    assert examples[0].tags == (
        *("B-ARG1", "I-ARG1", "I-ARG1", "B-R-ARG1", "B-V"),
        *("O", "O", "O", "O"),
    )
    assert examples[2].proposition is None and examples[2].tags == ("O", "O")
    assert make_examples(SENTENCES, with_tags=False)[0].tags is None


def test_examples_make_the_sentences_again():
    examples = make_examples(SENTENCES)
    propositions = [example.proposition for example in examples]
    assert join_examples(examples, propositions) == SENTENCES
    # What takes their place.
    other = [None, propositions[1], None, propositions[0]]
    found = join_examples(examples, other)
    assert [sentence.propositions for sentence in found] == [
        (propositions[1],),
        (),
        (propositions[0],),
    ]
    # Two equal sentences, one after the other, stay two.
    twice = [SENTENCES[2], SRLSentence(9, SENTENCES[2].propositions)]
    again = make_examples(twice)
    assert len(join_examples(again, [e.proposition for e in again])) == 2
