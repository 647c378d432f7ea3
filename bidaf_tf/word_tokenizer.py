r"""Splits paragraphs and questions into words that know where they stand.

An answer is a piece of the original text, so each token is one too, and comes
with its offsets: nothing is normalised. The whole is a few string operations
of TensorFlow itself, so that a SavedModel splits its strings as the training
data was split and loads in a bare TensorFlow process, without tensorflow_text.

The tokens are those of the Penn Treebank (`do n't`, `it 's`, `can not`, `$ 5`,
`Mr.`, `U.S.`, `1,000`), split further as BiDAF's own data were, so that answers
begin and end with tokens: at hyphens, dashes, slashes, tildes, quotation marks,
apostrophes and degree signs (Seo et al. 2017, section 4; the list is that of
the authors' program). Unlike there,

*   an apostrophe stays with a clitic (`'s`, `n't`), for which word vectors
    exist;
*   a period ends no token but an abbreviation, an initial or an ellipsis, and
    stands in one before a small letter (`amazon.com`): paragraphs need not be
    split into sentences first;
*   every other punctuation mark and symbol is a token, emoji in a row are one;
*   each character of a script that puts no spaces between words is a token.
"""

import typing

import tensorflow as tf

from elmo_tf.text import whitespace

# The rules look at the shape of a text, which has one ASCII character for each
# of its characters: an offset in one is one in the other, and RE2, which is
# slow with large classes of characters in long rules, has none there.
_SHAPES = (
    (f"[{whitespace.WHITESPACE}]", " "),
    # Whatever has no rule is a token by itself, like an asterisk.
    (r"[\x00-\x1F\x7F]", "*"),
    (r"\p{M}", "\x01"),
    # Scripts that put no spaces between words.
    (
        r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]",
        "\x02",
    ),
    # Those of a class that are not ASCII.
    (r"[^\x00-\x7F\P{Lu}]", "X"),
    (r"[^\x00-\x7F\P{L}]", "x"),
    (r"[^\x00-\x7F\P{N}]", "0"),
    (r"[^\x00-\x7F\P{Pc}]", "_"),
    ("’", "'"),
    (r"\p{So}", "\x03"),
    # Skin tones.
    (r"[\x{1F3FB}-\x{1F3FF}]", "\x04"),
    # The joiner of letters or emoji; the non-joiner and the soft hyphen.
    (r"\x{200D}", "\x05"),
    (r"[\x{200C}\x{AD}]", "\x06"),
    (r"[^\x00-\x7F]", "*"),
)
_MARK = "\x01"
_SYMBOL = "\x03"
_IN_EMOJI = "[\x01\x03\x04\x05]"

# Stands between tokens and gaps; no shape has it.
_BORDER = "\n"
# Around nothing, so that it cuts without being a token itself.
_CUT = 2 * _BORDER
_CUTS = (
    (r"(?i)([a-z])(n't)\b", rf"\1{_CUT}\2{_CUT}"),
    (
        r"(?i)\b(?:(can)(not)|(gon|wan)(na)|(got)(ta)|(gim|lem)(me))\b",
        rf"\1\3\5\7{_CUT}\2\4\6\8",
    ),
)

_LETTER = "[A-Za-z0-9_\x01]"
# Inside a word also what only tells how to join or to divide it.
_WORD = f"{_LETTER}[A-Za-z0-9_\x01\x05\x06]*"
_ABBREVIATIONS = (
    "Mr Mrs Ms Dr Prof Rev Hon St Sr Jr Mt Ft Gen Col Lt Sgt Capt Maj Gov Sen "
    "Rep Inc Ltd Co Corp Bros vs Jan Feb Mar Apr Aug Sept Sep Oct Nov Dec etc"
).split()
# The first of these that matches makes the token.
_TOKEN = "|".join(
    (
        r"Ph\.D\.",
        r"(?:[A-Za-z]\.){2,}",
        r"[A-Z]\.",
        rf"(?:{'|'.join(_ABBREVIATIONS)})\.",
        rf"{_LETTER}*[0-9](?:[.,:][0-9]+)+(?:{_WORD})?",
        r"(?i:n't|'(?:s|m|d|ll|re|ve))\b",
        rf"{_WORD}(?:\.[a-z](?:{_WORD})?)*",
        r"\.{2,}",
        r"-{2,}",
        r"''",
        r"``",
        rf"{_SYMBOL}{_IN_EMOJI}*",
        rf"[^ {_BORDER}]{_MARK}*",
    )
)

# Large enough that the calls do not count, small enough for the memory.
_TEXTS_AT_ONCE = 10_000


class Tokens(typing.NamedTuple):
    """The tokens of some texts, as RaggedTensors `[batch, None]`.

    Attributes:
        texts: String, UTF-8: the tokens, in their order, none of them empty.
        starts: int32, where each token begins in its text, in characters
            (Unicode code points, as Python counts them).
        ends: int32, the offset after its last character:
            `text[start:end] == token`.
    """

    texts: tf.RaggedTensor
    starts: tf.RaggedTensor
    ends: tf.RaggedTensor


def tokenize(texts):
    """Splits texts into words, in the graph.

    No two tokens overlap, and together they cover every character for which
    Python's `str.isspace()` does not hold.

    Args:
        texts: String tensor `[batch]`, UTF-8. Where bytes are not UTF-8, the
            text is taken for what decoding with U+FFFD in their place gives.

    Returns:
        The `Tokens`; a blank text has none.
    """
    texts = tf.ensure_shape(tf.convert_to_tensor(texts, tf.string), [None])
    texts = tf.strings.unicode_transcode(texts, "UTF-8", "UTF-8")
    starts, ends = _offsets(_replace(texts, _SHAPES))
    return Tokens(_pieces(texts, starts, ends), starts, ends)


def tokenize_to_lists(texts):
    """Splits any number of texts into words.

    Args:
        texts: A list of str.

    Returns:
        A list with each text's `Tokens`: lists of str, int and int.
    """
    tokens = []
    for start in range(0, len(texts), _TEXTS_AT_ONCE):
        rows = tokenize(texts[start : start + _TEXTS_AT_ONCE])
        tokens += map(
            Tokens._make, zip(*(r.to_list() for r in rows), strict=True)
        )
    return [
        row._replace(texts=[text.decode() for text in row.texts])
        for row in tokens
    ]


def _offsets(shapes):
    """The starts and ends of the tokens of texts, given their shapes."""
    shapes = _replace(shapes, _CUTS)
    shapes = _replace(shapes, [(_TOKEN, rf"{_BORDER}\0{_BORDER}")])
    # Gap, token, gap, token, …, gap; both may be empty.
    pieces = tf.strings.split(shapes, _BORDER)
    lengths = pieces.with_flat_values(tf.strings.length(pieces.flat_values))
    # [n_pieces]
    ends = _running_sums(lengths)
    number_in_row = tf.ragged.range(lengths.row_lengths()).flat_values
    is_token = pieces.with_flat_values(
        (number_in_row % 2 == 1) & (lengths.flat_values > 0)
    )
    return tuple(
        tf.ragged.boolean_mask(pieces.with_flat_values(values), is_token)
        for values in (ends - lengths.flat_values, ends)
    )


def _running_sums(rows):
    """Sums a RaggedTensor's rows up to each place, `[n_values]`."""
    sums = tf.cumsum(rows.flat_values)
    sums_before_rows = tf.gather(tf.pad(sums, [[1, 0]]), rows.row_starts())
    return sums - tf.repeat(sums_before_rows, rows.row_lengths())


def _pieces(texts, starts, ends):
    """Cuts pieces, with all offsets in characters, out of each text."""
    characters = tf.strings.unicode_decode(texts, "UTF-8")
    # Where each piece's text begins among all characters. [n_pieces]
    offsets = tf.repeat(
        tf.cast(characters.row_starts(), tf.int32), starts.row_lengths()
    )
    places = tf.ragged.range(
        starts.flat_values + offsets, ends.flat_values + offsets
    )
    pieces = places.with_flat_values(
        tf.gather(characters.flat_values, places.flat_values)
    )
    return starts.with_flat_values(tf.strings.unicode_encode(pieces, "UTF-8"))


def _replace(texts, rules):
    """Applies the pairs (pattern, replacement) one after another."""
    for pattern, replacement in rules:
        texts = tf.strings.regex_replace(texts, pattern, replacement)
    return texts
