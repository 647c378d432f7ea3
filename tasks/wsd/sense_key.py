"""WordNet's sense keys: `bank%1:17:01::`.

Before the `%` stands the lemma, after it a digit for the part of speech (5 is a
satellite, an adjective that stands beside another one), the number of a
lexicographer's file and one in that file; satellites have the other adjective
and its number at the end. See senseidx(5WN).
"""

PARTS_OF_SPEECH = {
    "n": "nouns",
    "v": "verbs",
    "a": "adjectives",
    "r": "adverbs",
}
_POS_OF_DIGIT = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}


def split_key(key):
    """Tells which word's sense a key is.

    Args:
        key: The sense key.

    Returns:
        A tuple of the lemma and its part of speech, a key of
        `PARTS_OF_SPEECH`; None if this is no sense key.
    """
    lemma, _, rest = key.rpartition("%")
    pos = _POS_OF_DIGIT.get(rest[:1])
    if not lemma or pos is None or rest[1:2] != ":":
        return None
    return lemma, pos
