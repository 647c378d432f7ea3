"""The tokens of an element of a sense-tagged corpus."""

import re

_JOINTS = re.compile(r"[_\s]+")


def split_tokens(text):
    """Splits words of several parts, "took_place" or "took place".

    A biLM has been trained on the parts and has never met the whole: each part
    is a token, and the word's vector is the mean of its parts'.

    Args:
        text: The text of an element.

    Returns:
        A list of tokens, none of them empty; none at all for white space.
    """
    tokens = [token for token in _JOINTS.split(text) if token]
    # The line itself can be a token.
    return tokens or text.split()
