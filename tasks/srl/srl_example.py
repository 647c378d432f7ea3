"""A sentence and one of its predicates."""

import dataclasses

from tasks.srl.proposition import Proposition
from tasks.srl.srl_sentence import SRLSentence
from tasks.srl.tags import write_tags

# In the place of a predicate's token, where there is none.
NO_PREDICATE = -1


@dataclasses.dataclass(frozen=True)
class SRLExample:
    """A sentence and one of its predicates, whose arguments are asked for.

    Attributes:
        sentence: The `SRLSentence`, with words.
        proposition: The `Proposition` of it; None for a sentence that has none,
            which is there to be written with the others.
        tags: A tuple of the proposition's BIO tags, one for each token; None if
            they are not known.
    """

    sentence: SRLSentence
    proposition: Proposition | None
    tags: tuple | None

    @property
    def predicate(self):
        """The number of the predicate's token, or `NO_PREDICATE`."""
        if self.proposition is None:
            return NO_PREDICATE
        return self.proposition.predicate


def make_examples(sentences, with_tags=True):
    """Makes an example of each predicate.

    Args:
        sentences: A sequence of `SRLSentence` with words.
        with_tags: Whether to make the tags.

    Returns:
        A list of `SRLExample`, in the order of the sentences and their
        propositions; a sentence without any makes one too.
    """
    examples = []
    for sentence in sentences:
        for proposition in sentence.propositions or (None,):
            tags = None
            if with_tags:
                tags = ("O",) * len(sentence)
                if proposition is not None:
                    tags = tuple(write_tags(proposition, len(sentence)))
            examples.append(SRLExample(sentence, proposition, tags))
    return examples


def join_examples(examples, propositions):
    """Makes sentences of examples again.

    Args:
        examples: A list of `SRLExample`, those of a sentence one after the
            other, as `make_examples` gives them.
        propositions: A list of what takes the place of their propositions.

    Returns:
        A list of `SRLSentence`.
    """
    sentences, found = [], []
    for example, proposition in zip(examples, propositions, strict=True):
        if not sentences or sentences[-1] is not example.sentence:
            sentences.append(example.sentence)
            found.append([])
        if proposition is not None:
            found[-1].append(proposition)
    return [
        dataclasses.replace(sentence, propositions=tuple(own))
        for sentence, own in zip(sentences, found, strict=True)
    ]
