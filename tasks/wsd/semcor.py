"""SemCor: text of the Brown corpus with WordNet senses, in SGML."""

import html
import pathlib
import re
import tarfile

from elmo_tf.archive_errors import ARCHIVE_ERRORS
from elmo_tf.errors import InputError
from elmo_tf.errors import one_line
from tasks.wsd.sense_instance import SenseInstance
from tasks.wsd.sense_key import split_key
from tasks.wsd.sense_sentence import SenseSentence
from tasks.wsd.tokens import split_tokens

CONCORDANCES = ("brown1", "brown2", "brownv")

# Neither looks further than the next tag, however many are not closed.
_TOKEN = re.compile(r"<(wf|punc)([^<>]*)>([^<\n]*)</\1>")
_SENTENCE = re.compile(r"<s\s[^<>]*>")
_SENTENCE_END = "</s>"
_ATTRIBUTE = re.compile(r"(\w+)=(\S+)")
# What says of an adjective where it may stand; no part of a sense key.
_MARKER = re.compile(r"\((?:a|p|ip)\)")
_MISSING_SENSE = "0"

# A tagfile has some hundred thousand bytes.
_LARGEST_FILE = 2**26


def read_semcor(path, concordances=CONCORDANCES):
    """Reads SemCor 3.0.

    As in the evaluation framework's own version (Raganato et al. 2017) a name
    has the sense of its kind, and senses that WordNet 3.0 lacks (`wnsn=0`) are
    left out, which leaves 226,036 tagged words.

    Args:
        path: The folder that holds SemCor's archives, `*.tar.gz`, or what was
            in them; or one of the archives.
        concordances: Which parts of it to read, of `CONCORDANCES`.

    Returns:
        A dictionary from each tagfile's name, `brown1/br-a01`, sorted, to its
        list of `SenseSentence`.

    Raises:
        InputError: There is no tagfile, or a file is damaged.
    """
    texts = dict(sorted(_read_tagfiles(pathlib.Path(path), concordances)))
    if not texts:
        raise InputError(
            f"{path}: found no {' or '.join(concordances)}/tagfiles, neither "
            "in the folder nor in a *.tar.gz in it"
        )
    files = {}
    for name, text in texts.items():
        files[name] = [
            _parse_sentence(body, f"{name}.s{number:03d}")
            for number, body in enumerate(_sentence_bodies(text))
        ]
        if not any(sentence.instances for sentence in files[name]):
            concordance, file_name = name.split("/")
            raise InputError(
                f"{path}: the tagfile {concordance}/tagfiles/{file_name} has "
                "no tagged word"
            )
    return files


def _read_tagfiles(path, concordances):
    """Yields the name and the text of each tagfile."""
    archives = [path]
    if path.is_dir():
        for file in path.glob("**/tagfiles/*"):
            name = _tagfile_name(file.as_posix(), concordances)
            if name is not None:
                yield name, file.read_text(encoding="latin-1")
        archives = sorted(path.glob("*.tar.gz"))
    elif not path.exists():
        raise InputError(f"{path}: no such folder or archive")
    for archive_path in archives:
        try:
            with tarfile.open(archive_path) as archive:
                for member in archive:
                    name = _tagfile_name(member.name, concordances)
                    if member.isfile() and name is not None:
                        if member.size > _LARGEST_FILE:
                            raise InputError(
                                f"{archive_path}: found {member.size:,} bytes "
                                f"in {member.name}, expected a tagfile"
                            )
                        text = archive.extractfile(member).read()
                        yield name, text.decode("latin-1")
        except InputError:
            raise
        except ARCHIVE_ERRORS as error:
            raise InputError(
                f"{archive_path}: not a whole tar.gz archive "
                f"({one_line(error)})"
            ) from None


def _sentence_bodies(text):
    """Yields what stands between <s …> and </s>."""
    *parts, _ = text.split(_SENTENCE_END)
    for part in parts:
        start = _SENTENCE.search(part)
        if start is not None:
            yield part[start.end() :]


def _tagfile_name(path, concordances):
    """The name of a tagfile of one of the concordances; else None."""
    *_, concordance, folder, name = ("", "", *path.split("/"))
    if folder != "tagfiles" or concordance not in concordances:
        return None
    return f"{concordance}/{name}"


def _parse_sentence(body, name):
    """Makes a `SenseSentence` of the text between <s …> and </s>."""
    tokens = []
    instances = []
    for _, attributes, text in _TOKEN.findall(body):
        start = len(tokens)
        tokens += split_tokens(html.unescape(text))
        values = dict(_ATTRIBUTE.findall(attributes))
        keys = _sense_keys(values)
        if keys and len(tokens) > start:
            lemma, pos = split_key(keys[0])
            instances.append(
                SenseInstance(
                    name=f"{name}.t{len(instances):03d}",
                    lemma=lemma,
                    pos=pos,
                    start=start,
                    end=len(tokens),
                    keys=keys,
                    is_redefined="rdf" in values,
                )
            )
    return SenseSentence(tuple(tokens), tuple(instances))


def _sense_keys(values):
    """The sense keys that an element's attributes give, a tuple."""
    if not {"lemma", "lexsn", "wnsn"} <= values.keys():
        return ()
    keys = (
        f"{values['lemma']}%{_MARKER.sub('', sense)}".lower()
        for sense, number in zip(
            values["lexsn"].split(";"), values["wnsn"].split(";"), strict=False
        )
        if number != _MISSING_SENSE
    )
    return tuple(key for key in keys if split_key(key) is not None)
