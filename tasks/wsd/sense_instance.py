"""A word whose sense is known or asked for."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class SenseInstance:
    """A word, of one token or several, in a sentence.

    Attributes:
        name: What a file of keys calls it.
        lemma: Its lemma, small letters with `_` between its parts.
        pos: Its part of speech, a key of `sense_key.PARTS_OF_SPEECH`.
        start: Its first token.
        end: The token after its last one.
        keys: The WordNet sense keys of the senses that it has, a tuple; any of
            them is right.
        is_redefined: Whether SemCor's annotators tagged another form in the
            word's place: of a name its kind (group, person or location), or
            what a word stands for that was left out or spelt otherwise.
    """

    name: str
    lemma: str
    pos: str
    start: int
    end: int
    keys: tuple = ()
    is_redefined: bool = False
