"""Which rows of a CoNLL-U file are words."""

import re

from elmo_tf.errors import InputError

# Multiword tokens, empty nodes.
_OTHER_NUMBER = re.compile(r"[0-9]+-[0-9]+|[0-9]+\.[0-9]+")


def word_rows(sentence, id_column=0):
    """Finds the rows of a sentence's words, which are numbered from 1 up.

    The others are those of multiword tokens (`3-4`) and of empty nodes (`5.1`).

    Args:
        sentence: A `ColumnSentence`.
        id_column: Which column has the numbers, from 0 up.

    Returns:
        A tuple of the places of at least one row, from 0 up.

    Raises:
        InputError: There is no word, or what stands in the column is none of
            these, or another number than the next.
    """
    places = []
    for place, row in enumerate(sentence.rows):
        number = row[id_column]
        if number == str(len(places) + 1):
            places.append(place)
        elif not _OTHER_NUMBER.fullmatch(number):
            raise InputError(
                f"{sentence.place(place)}: found {number!r} in the column ID, "
                f"expected {len(places) + 1}"
            )
    if not places:
        raise InputError(
            f"{sentence.place(0)}: found a sentence without words, expected "
            "at least one"
        )
    return tuple(places)
