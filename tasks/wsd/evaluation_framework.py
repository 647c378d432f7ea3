"""The XML of the evaluation framework (Raganato et al. 2017).

Beside `NAME.data.xml` with the sentences stands `NAME.gold.key.txt` with the
senses; each may be packed with gzip.
"""

import os
import xml.parsers.expat

from elmo_tf.errors import InputError
from elmo_tf.text import shards
from tasks.wsd.key_file import read_keys
from tasks.wsd.sense_instance import SenseInstance
from tasks.wsd.sense_sentence import SenseSentence
from tasks.wsd.tokens import split_tokens

_DATA_SUFFIX = ".data.xml"
_KEY_SUFFIX = ".gold.key.txt"
_GZIP_SUFFIX = ".gz"
_EXPECTED = "the evaluation framework's XML"
_POS = {"NOUN": "n", "VERB": "v", "ADJ": "a", "ADV": "r"}


def is_framework_file(path):
    """Tells by its name whether a file is the framework's XML."""
    return path.removesuffix(_GZIP_SUFFIX).endswith(_DATA_SUFFIX)


def set_name(path):
    """Names a data set after its file: `senseval2` of `senseval2.data.xml`."""
    name = os.path.basename(path).removesuffix(_GZIP_SUFFIX)
    return name.removesuffix(_DATA_SUFFIX)


def read_framework_file(path):
    """Reads a data set with its keys.

    Args:
        path: The file `NAME.data.xml` or `NAME.data.xml.gz`.

    Returns:
        A list of `SenseSentence`; each instance has the keys of the gold file.

    Raises:
        InputError: A file is missing or not what it should be, or the two do
            not name the same instances.
    """
    if not is_framework_file(path):
        raise InputError(
            f"{path}: expected a file NAME{_DATA_SUFFIX} or "
            f"NAME{_DATA_SUFFIX}{_GZIP_SUFFIX}"
        )
    key_path = _find_key_file(path)
    keys = read_keys(key_path)
    sentences = _Parser(path, keys, key_path).parse()
    names = {
        instance.name
        for sentence in sentences
        for instance in sentence.instances
    }
    for name in keys:
        if name not in names:
            raise InputError(
                f"{key_path}: found keys for {name}, which {path} has not"
            )
    return sentences


def _find_key_file(path):
    stem = path.removesuffix(_GZIP_SUFFIX).removesuffix(_DATA_SUFFIX)
    plain = stem + _KEY_SUFFIX
    for key_path in (plain, plain + _GZIP_SUFFIX):
        if os.path.exists(key_path):
            return key_path
    raise InputError(
        f"{path}: found no keys beside it, expected {plain} or "
        f"{plain}{_GZIP_SUFFIX}"
    )


class _Parser:
    """Reads one file."""

    def __init__(self, path, keys, key_path):
        self._path = path
        self._keys = keys
        self._key_path = key_path
        self._names = set()
        self._sentences = []
        # Of the sentence and of the element that is being read, or None.
        self._tokens = self._instances = None
        self._attributes = self._text = None
        self._parser = xml.parsers.expat.ParserCreate()
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        self._parser.EntityDeclHandler = self._entity

    def parse(self):
        shards.check_file(self._path, _EXPECTED)
        try:
            for block in shards.read_blocks(self._path):
                self._parser.Parse(block)
            self._parser.Parse(b"", True)
        except xml.parsers.expat.ExpatError as error:
            reason = xml.parsers.expat.ErrorString(error.code)
            raise InputError(
                f"{self._path}:{error.lineno}: not XML: {reason}; expected "
                f"{_EXPECTED}"
            ) from None
        except InputError:
            raise
        except (LookupError, ValueError) as error:
            # Of an encoding that is declared; it is UTF-8 all the same.
            raise self._mistake(f"an encoding that is none ({error})") from None
        if not self._names:
            raise InputError(
                f"{self._path}: found no <instance> in a <sentence>, expected "
                f"{_EXPECTED}"
            )
        return self._sentences

    def _entity(self, name, *_):
        # A few of them, each in the next, stand for more than the memory holds.
        raise self._mistake(f"the declaration of an entity, {name}")

    def _start(self, tag, attributes):
        if tag == "sentence":
            if self._tokens is not None:
                raise self._mistake("<sentence> in a <sentence>")
            self._tokens, self._instances = [], []
        elif tag in ("wf", "instance"):
            if self._tokens is None:
                raise self._mistake(f"<{tag}> outside any <sentence>")
            if self._text is not None:
                raise self._mistake(f"<{tag}> in another word")
            self._text = []
            self._attributes = attributes if tag == "instance" else None

    def _characters(self, text):
        if self._text is not None:
            self._text.append(text)

    def _end(self, tag):
        if tag == "sentence":
            self._sentences.append(
                SenseSentence(tuple(self._tokens), tuple(self._instances))
            )
            self._tokens = self._instances = None
        elif tag in ("wf", "instance"):
            start = len(self._tokens)
            self._tokens += split_tokens("".join(self._text))
            self._text = None
            if self._attributes is not None:
                self._instances.append(self._instance(start))

    def _instance(self, start):
        for name in ("id", "lemma", "pos"):
            if name not in self._attributes:
                raise self._mistake(f"an <instance> without {name}")
        name = self._attributes["id"]
        pos = _POS.get(self._attributes["pos"])
        if pos is None:
            raise self._mistake(
                f'pos="{self._attributes["pos"]}"', f"one of {', '.join(_POS)}"
            )
        if len(self._tokens) == start:
            raise self._mistake(f"nothing in the instance {name}", "a word")
        if name in self._names:
            raise self._mistake(f"the instance {name} again", "each once")
        self._names.add(name)
        keys = self._keys.get(name)
        if not keys:
            raise self._mistake(
                f"the instance {name}, of which {self._key_path} has no key",
                "one at least",
            )
        return SenseInstance(
            name=name,
            lemma="_".join(self._attributes["lemma"].lower().split()),
            pos=pos,
            start=start,
            end=len(self._tokens),
            keys=keys,
        )

    def _mistake(self, found, expected=_EXPECTED):
        line = self._parser.CurrentLineNumber
        return InputError(
            f"{self._path}:{line}: found {found}, expected {expected}"
        )
