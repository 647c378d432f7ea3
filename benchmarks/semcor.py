"""SemCor: text of the Brown corpus with WordNet senses."""

import html
import os
import pathlib
import re
import tarfile

from elmo_tf.errors import InputError
from elmo_tf.senses.occurrence import Occurrence

_TOKEN = re.compile(r"<(wf|punc)([^>]*)>(.*?)</\1>")
_SENTENCE = re.compile(r"<s\s[^>]*>(.*?)</s>", re.DOTALL)
_ATTRIBUTE = re.compile(r"(\w+)=(\S+)")

# The first digit of a sense; adjectives have two.
_PARTS_OF_SPEECH = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}


def read_semcor(path, concordance="brown1"):
    """Reads the sense-tagged words of SemCor.

    Left out are words of several parts ("took_place"), names (whose sense is
    group, person or location) and words with no sense or with several.

    Args:
        path: The folder that holds SemCor's archives, `*.tar.gz`, or what was
            in them.
        concordance: Which part of it: "brown1", "brown2" or "brownv".

    Returns:
        A dictionary from each tagfile's name, sorted, to its list of
        `Occurrence`: the word is `LEMMA%POS`, with n, v, a or r, the sense a
        WordNet sense such as `1:17:01::`.

    Raises:
        InputError: There is no such concordance, or a file is damaged.
    """
    texts = dict(sorted(_read_tagfiles(path, concordance)))
    if not texts:
        raise InputError(
            f"{path}: found no {concordance}/tagfiles, neither in the folder "
            "nor in a *.tar.gz in it"
        )
    occurrences = {}
    for name, text in texts.items():
        occurrences[name] = [
            occurrence
            for sentence in _SENTENCE.findall(text)
            for occurrence in _sentence_occurrences(sentence)
        ]
        if not occurrences[name]:
            raise InputError(
                f"{path}: the tagfile {concordance}/tagfiles/{name} has no "
                "tagged word"
            )
    return occurrences


def _read_tagfiles(path, concordance):
    """Yields each tagfile's name and text."""
    path = pathlib.Path(path)
    if not path.is_dir():
        raise InputError(f"{path}: no such folder")
    for file in path.glob(f"**/{concordance}/tagfiles/*"):
        yield file.name, file.read_text(encoding="latin-1")
    for archive_path in sorted(path.glob("*.tar.gz")):
        try:
            with tarfile.open(archive_path) as archive:
                for member in archive:
                    folder, name = os.path.split(member.name)
                    if member.isfile() and folder.endswith(
                        f"{concordance}/tagfiles"
                    ):
                        text = archive.extractfile(member).read()
                        yield name, text.decode("latin-1")
        except (EOFError, OSError, tarfile.TarError) as error:
            raise InputError(
                f"{archive_path}: not a whole tar.gz archive ({error})"
            ) from None


def _sentence_occurrences(sentence):
    """Returns the occurrences of the text between <s …> and </s>."""
    tokens = []
    tagged = []
    for _, attributes, text in _TOKEN.findall(sentence):
        parts = html.unescape(text).split("_")
        values = dict(_ATTRIBUTE.findall(attributes))
        sense = values.get("lexsn", "")
        if (
            len(parts) == 1
            and "lemma" in values
            and "rdf" not in values
            and "pn" not in values
            and sense[:1] in _PARTS_OF_SPEECH
            and values.get("wnsn", "0").isdigit()
            and values["wnsn"] != "0"
        ):
            word = f"{values['lemma']}%{_PARTS_OF_SPEECH[sense[0]]}"
            tagged.append((word, sense, len(tokens)))
        tokens += parts
    tokens = tuple(tokens)
    return [
        Occurrence(word, sense, tokens, position)
        for word, sense, position in tagged
    ]
