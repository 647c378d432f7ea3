"""WordNet's senses, in the order of their frequency."""

import io
import os
import warnings

from elmo_tf.errors import InputError
from tasks.wsd.sense_key import split_key

DEFAULT_FOLDER = "/usr/share/wordnet"

_SUFFIXES = ("noun", "verb", "adj", "adv")
_FILES = (
    *(f"{kind}.{suffix}" for kind in ("index", "data") for suffix in _SUFFIXES),
    *(f"{suffix}.exc" for suffix in _SUFFIXES),
    "index.sense",
)
_HOW_TO_GET = (
    "Debian and Ubuntu have it (apt-get install wordnet-base "
    "wordnet-sense-index); or give the folder dict of WordNet 3.0 with "
    "--wordnet"
)
# What NLTK raises, WordNetError besides, where a line is not as it should be.
_DAMAGES = (
    AttributeError,
    IndexError,
    KeyError,
    StopIteration,
    TypeError,
    ValueError,
)


class WordNet:
    """The senses of words, read by NLTK.

    Args:
        folder: A folder with WordNet's database, `index.noun` and so on; None:
            what the environment variable WNSEARCHDIR names, or else the folder
            `dict` in what WNHOME names, or else `DEFAULT_FOLDER`.

    Raises:
        InputError: There is no such folder, it lacks files, or they are
            damaged.
    """

    def __init__(self, folder=None):
        self.folder = _find_folder(folder)
        self._reader = _open_reader(self.folder)
        try:
            self._known = frozenset(self._reader.index_sense())
        except _DAMAGES as error:
            raise _damaged(self.folder, error) from None

    @property
    def version(self):
        """The version that the files name, "3.0"; None if they name none."""
        return self._reader.get_version()

    def knows(self, key):
        """Tells whether a text is a sense key of this WordNet."""
        return key in self._known

    def first_sense(self, lemma, pos):
        """The key of a word's first sense, or None if the word is not known.

        Args:
            lemma: As of `SenseInstance`.
            pos: As of `SenseInstance`.
        """
        return next(iter(self.senses(lemma, pos)), None)

    def senses(self, lemma, pos):
        """Lists a word's senses.

        Args:
            lemma: As of `SenseInstance`.
            pos: As of `SenseInstance`.

        Returns:
            A tuple of sense keys, the most frequent sense first, as WordNet
            orders them; empty if the word is not known.
        """
        try:
            with warnings.catch_warnings():
                # Of an offset where there is no synset; that is an error.
                warnings.simplefilter("ignore")
                keys = [
                    found.key()
                    for synset in self._reader.synsets(lemma, pos)
                    for found in synset.lemmas()
                ]
        except _DAMAGES as error:
            raise _damaged(self.folder, error) from None
        # A synset may hold a word with and without a capital.
        return tuple(
            dict.fromkeys(key for key in keys if split_key(key) == (lemma, pos))
        )


def _find_folder(folder):
    origin = ""
    if folder is None:
        folder = DEFAULT_FOLDER
        if os.environ.get("WNSEARCHDIR"):
            folder, origin = os.environ["WNSEARCHDIR"], "WNSEARCHDIR: "
        elif os.environ.get("WNHOME"):
            folder = os.path.join(os.environ["WNHOME"], "dict")
            origin = "WNHOME: "
    if not os.path.isdir(folder):
        raise InputError(
            f"{origin}{folder}: no such folder, expected WordNet 3.0; "
            f"{_HOW_TO_GET}"
        )
    missing = [
        name
        for name in _FILES
        if not os.path.isfile(os.path.join(folder, name))
    ]
    if missing:
        raise InputError(
            f"{origin}{folder}: found no {', '.join(missing)}, expected the "
            f"files of WordNet 3.0; {_HOW_TO_GET}"
        )
    return os.path.realpath(folder)


def _open_reader(folder):
    # NLTK takes seconds to import, and only this needs it.
    import nltk
    from nltk.corpus.reader.wordnet import WordNetCorpusReader
    from nltk.corpus.reader.wordnet import WordNetError

    class Reader(WordNetCorpusReader):
        """NLTK's reader, without what it wants besides WordNet."""

        def open(self, file):
            # Debian leaves this file out; no sense key needs the names in it.
            if file == "lexnames":
                return io.StringIO(
                    "".join(f"{number:02d} - 0\n" for number in range(45))
                )
            return super().open(file)

        def map_wn(self, version="wordnet"):
            # It would ask for another WordNet among NLTK's own data.
            return None

    # NLTK opens files nowhere else.
    nltk.data.path.append(folder)
    try:
        with warnings.catch_warnings():
            # That there are no other languages.
            warnings.simplefilter("ignore")
            return Reader(folder, None)
    except (WordNetError, *_DAMAGES) as error:
        raise _damaged(folder, error) from None


def _damaged(folder, error):
    reason = str(error) or "a line ends early"
    return InputError(f"{folder}: the WordNet there is damaged: {reason}")
