"""Finds the sentences of running text.

The only module that needs tensorflow_text.
"""

import itertools
import re

import tensorflow as tf
import tensorflow_text as tf_text

from elmo_tf.errors import InputError
from elmo_tf.text import shards
from elmo_tf.text import whitespace

# A paragraph longer than this is taken for several, so that a file without
# blank lines does not fill the memory.
_MAX_PARAGRAPH_CHARACTERS = 1 << 16

# Enough sentences to make calling an op cheap, few enough for the memory.
_BATCH_CHARACTERS = 1 << 19

SENTENCE_BREAKERS = ("state_based", "line")

_LINE_ENDS_A_SENTENCE = re.compile(r"[.!?][\"')\]]*$")

# What may follow the punctuation that ends a sentence, and still be its own.
_CLOSING = re.compile(r"[\"'”’»)\]}]*")
_OPENING = re.compile(r"[\"'“‘«(\[{]*")
_LAST_WORD = re.compile(r"[^\s\"'“”‘’«»(\[{—–-]*\Z")


# Words whose period ends no sentence.
_ABBREVIATIONS = frozenset(
    "Mr Mrs Ms Messrs Mme Mlle Dr Prof Rev Hon St Sr Jr Capt Col Cpt Gen Lt "
    "Maj Sgt Cmdr Adm Gov Sen Rep Pres Supt Det Esq Mt Ft vs cf viz ca e.g "
    "i.e E.g I.e".split()
)
# Those for which this holds before a number.
_ABBREVIATIONS_BEFORE_NUMBERS = frozenset(
    "No Nos no nos Vol vol Ch ch Chap chap Fig fig Figs figs Sec sec Art art "
    "p pp Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec".split()
)
# Capital letters, each with a period: J. R. Smith, the U.S. Army.
_INITIALS = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_]\Z")


def read_sentence_batches(path, breaker="state_based", progress=None):
    """Reads the sentences of a file.

    Args:
        path: The path of a file, UTF-8, plain or gzip.
        breaker: `state_based`: paragraphs have blank lines between them and
            are broken by `break_sentences`; `line`: each line that is not
            blank is a sentence.
        progress: As in `elmo_tf.text.shards.read_blocks`.

    Yields:
        A list of str: the next sentences, about half a million characters.

    Raises:
        InputError: The breaker is neither of them, or the file cannot be read
            or is not UTF-8.
    """
    if breaker not in SENTENCE_BREAKERS:
        raise InputError(
            f"sentence_breaker: found {breaker!r}, expected "
            f"{' or '.join(SENTENCE_BREAKERS)}"
        )
    if breaker == "line":
        pieces = _read_lines(path, progress)
    else:
        pieces = read_paragraphs(path, progress)
    for batch in _batches(pieces):
        if breaker == "line":
            yield batch
        else:
            yield list(itertools.chain.from_iterable(break_sentences(batch)))


def read_paragraphs(path, progress=None):
    """Reads the paragraphs of a file: what stands between blank lines.

    A paragraph of more than 65,536 characters is cut, after a line that ends
    a sentence if there is one.

    Args:
        path: The path of a file, UTF-8, plain or gzip.
        progress: As in `elmo_tf.text.shards.read_blocks`.

    Yields:
        str: the words of a paragraph, with single spaces between them.

    Raises:
        InputError: The file cannot be read or is not UTF-8.
    """
    lines = []
    n_characters = 0
    for line in _read_lines(path, progress, keep_blank=True):
        if line:
            lines.append(line)
            n_characters += len(line) + 1
        if lines and (not line or n_characters > _MAX_PARAGRAPH_CHARACTERS):
            n_taken = len(lines) if not line else _cut(lines)
            yield " ".join(lines[:n_taken])
            lines = lines[n_taken:]
            n_characters = sum(map(len, lines)) + len(lines)
    if lines:
        yield " ".join(lines)


def break_sentences(paragraphs):
    """Breaks paragraphs into sentences.

    The places that come into question are those of tensorflow_text's
    `StateBasedSentenceBreaker`, which knows the punctuation of all scripts.
    Of these are kept the ones with whitespace behind (ideographic punctuation
    needs none) and with no lower-case letter after that, unless the period is
    that of an English abbreviation or of an initial. Closing quotes and
    brackets stay with the sentence before them.

    Args:
        paragraphs: A list of str, whitespace being single spaces.

    Returns:
        A list of lists of str: the sentences of each paragraph.
    """
    if not paragraphs:
        return []
    breaker = tf_text.StateBasedSentenceBreaker()
    _, _, ends = breaker.break_sentences_with_offsets(tf.constant(paragraphs))
    sentences = []
    for text, byte_offsets in zip(paragraphs, ends.to_list(), strict=True):
        start = 0
        found = []
        for offset in _character_offsets(text, byte_offsets):
            end = _CLOSING.match(text, offset).end()
            if end > start and _is_end(text, offset, end):
                found.append(text[start:end].strip())
                start = end
        found.append(text[start:].strip())
        sentences.append([sentence for sentence in found if sentence])
    return sentences


def _read_lines(path, progress, keep_blank=False):
    """Yields a file's lines as str, whitespace made single spaces."""
    for block in shards.read_blocks(path, progress):
        block = whitespace.normalize(block)
        for line in block.removesuffix(b"\n").split(b"\n"):
            words = b" ".join(line.split()).decode("utf-8")
            if words or keep_blank:
                yield words


def _batches(pieces):
    """Groups pieces of text into lists of like size."""
    batch = []
    n_characters = 0
    for piece in pieces:
        batch.append(piece)
        n_characters += len(piece)
        if n_characters >= _BATCH_CHARACTERS:
            yield batch
            batch = []
            n_characters = 0
    if batch:
        yield batch


def _cut(lines):
    """How many of the lines to take as a paragraph: at least one."""
    for count in range(len(lines), 0, -1):
        if _LINE_ENDS_A_SENTENCE.search(lines[count - 1]):
            return count
    return len(lines)


def _character_offsets(text, byte_offsets):
    """Turns rising offsets of the UTF-8 text into offsets of the characters."""
    if text.isascii():
        return byte_offsets
    encoded = text.encode("utf-8")
    offsets = []
    position = 0
    start = 0
    for end in byte_offsets:
        position += len(encoded[start:end].decode("utf-8"))
        offsets.append(position)
        start = end
    return offsets


def _is_end(text, offset, end):
    """Whether a sentence ends at `end`, its punctuation at `offset`."""
    rest = text[end : end + 1]
    if not rest:
        return True
    last = text[:offset].rstrip()[-1:]
    if rest != " ":
        # Full-width forms and ideographic full stop.
        return last in "。！？｡．"
    next_start = _OPENING.match(text, end + 1).end()
    next_character = text[next_start : next_start + 1]
    if next_character.islower():
        return False
    if last != ".":
        return True
    word = _LAST_WORD.search(text, max(0, offset - 50), offset).group()[:-1]
    if word in _ABBREVIATIONS:
        return False
    if word in _ABBREVIATIONS_BEFORE_NUMBERS and next_character.isdigit():
        return False
    # One letter is an initial, but for the pronoun.
    return word == "I" or not (word.isupper() and _INITIALS.match(word))
