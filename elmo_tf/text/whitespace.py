"""What separates tokens: one definition for corpus, vocabulary, tokenizer.

Tokens are separated by the characters at which Python's `str.split()` splits,
the no-break and the ideographic space included. bilm-tf and AllenNLP split
their text so, and whoever prepares token lists in Python most likely too: a
narrower definition here (ASCII, as `bytes.split()`) would give a model tokens
with spaces inside that no other step produces. Lines end at a line feed only;
the other line separators of Unicode are whitespace inside a line.
"""

import re

# The characters for which `str.isspace()` holds.
WHITESPACE = (
    "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680"
    "\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)

# Those at which `bytes.split()` does not split. In valid UTF-8 their bytes
# cannot be part of other characters. Without a set at the head of the pattern
# the search is three times as fast.
_NOT_SPLIT_AS_BYTES = re.compile(
    b"\x1c|\x1d|\x1e|\x1f|\xc2[\x85\xa0]|\xe1\x9a\x80|"
    b"\xe2\x80[\x80-\x8a\xa8\xa9\xaf]|\xe2\x81\x9f|\xe3\x80\x80"
)


def normalize(text):
    """Makes `bytes.split()` split UTF-8 text as `str.split()` would.

    Args:
        text: bytes, valid UTF-8.

    Returns:
        bytes, each whitespace character that `bytes.split()` does not know
        replaced by a space; line feeds are kept.
    """
    if _NOT_SPLIT_AS_BYTES.search(text) is None:
        return text
    return _NOT_SPLIT_AS_BYTES.sub(b" ", text)
