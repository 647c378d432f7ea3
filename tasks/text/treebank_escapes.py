"""What the Penn Treebank writes in place of brackets and slashes."""

ESCAPED_BRACKETS = {
    "-LRB-": "(",
    "-RRB-": ")",
    "-LSB-": "[",
    "-RSB-": "]",
    "-LCB-": "{",
    "-RCB-": "}",
}


def unescape(word):
    r"""Returns a word as text has it.

    Quotation marks stay as they are: the tokenizer "penn_treebank" makes the
    same.

    Args:
        word: A word of the Penn Treebank, such as `-LRB-` or `1\/2`.

    Returns:
        The word without the escapes: `(`, `1/2`.
    """
    word = word.replace("\\/", "/").replace("\\*", "*")
    return ESCAPED_BRACKETS.get(word, word)
