"""In which forms a word is looked up."""

import tensorflow as tf

# As Senna's own tokenizer reads it: +1,000.50 is one number, 1990-2000 two.
_NUMBER = r"[+-]?[.,]?[0-9]+([.,][0-9]+)*"

_OPENING, _CLOSING = "[“„‟]", "”"
# As the Penn Treebank writes quotation marks, then as keyboards do.
_TREEBANK = ((_OPENING, "``"), (_CLOSING, "''"))
_ASCII = (("[‘’‚‛ʼ]", "'"), (_OPENING, '"'), (_CLOSING, '"'))


def word_forms(tokens, lowercase=False, zero_numbers=False):
    """Lists the forms in which tokens are looked up, one after the other.

    Works eagerly, in a `tf.function`, in `tf.data` and in a SavedModel, with
    the same results whatever the language of the machine. At last, whatever the
    options, typographic apostrophes and quotation marks are tried as they stand
    in text of ASCII alone: `n’t` as `n't`, `“` as two grave accents and as `"`.

    Args:
        tokens: String tensor, UTF-8.
        lowercase: Whether the lower-case form is tried too.
        zero_numbers: Whether then each number in the token becomes `0`, as for
            Senna's vectors (Collobert et al. 2011).

    Returns:
        A list of string tensors of the shape of `tokens`, which come first.
    """
    forms = [tf.convert_to_tensor(tokens, tf.string)]
    if lowercase:
        # In a Turkish locale the second of these operations would make other
        # letters of I and İ.
        ascii_lowercase = tf.strings.lower(forms[0])
        dotted = tf.strings.regex_replace(ascii_lowercase, "İ", "i̇")
        forms.append(tf.strings.lower(dotted, encoding="utf-8"))
    if zero_numbers:
        forms.append(tf.strings.regex_replace(forms[-1], _NUMBER, "0"))
    return [
        *forms,
        # Quotation marks stand alone: no other form can differ.
        _replaced(forms[0], _TREEBANK),
        *(_replaced(form, _ASCII) for form in forms),
    ]


def _replaced(tokens, rules):
    for pattern, replacement in rules:
        tokens = tf.strings.regex_replace(tokens, pattern, replacement)
    return tokens
