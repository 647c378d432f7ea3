"""Reads and writes the questions of the CNN and Daily Mail cloze tests.

Each is a file whose name ends in `.question` (Hermann et al. 2015):

    the article's address

    the article , in one line , its entities as @entity12

    the question , with @placeholder in the place of an entity

    @entity12

    @entity0:the name of an entity
    @entity12:that of another
"""

import fnmatch
import os
import posixpath
import re
import tarfile

from bidaf_tf.cloze_question import ENTITY_PATTERN
from bidaf_tf.cloze_question import PLACEHOLDER
from bidaf_tf.cloze_question import ClozeQuestion
from bidaf_tf.cloze_question import is_entity
from elmo_tf.archive_errors import ARCHIVE_ERRORS
from elmo_tf.atomic_file import write_file
from elmo_tf.errors import InputError
from elmo_tf.errors import one_line
from elmo_tf.text import shards

SUFFIX = ".question"

# Every second line holds one of these, and the entities follow.
_SECTIONS = ("address", "context", "question", "answer")
_ENTITIES_LINE = 2 * len(_SECTIONS)
_ENTITY_LINE = re.compile(f"({ENTITY_PATTERN}):.*")
_EXPECTED = "a question with a gap"
_LONGEST_QUOTED = 60
# Articles are short.
_LARGEST_FILE = 2**26
# More than any compression of text.
_LARGEST_RATIO = 1000


def read_questions(input_path, with_answers=True):
    """Reads questions.

    Args:
        input_path: A folder of `.question` files; one such file, a glob of
            them or several with commas between them; an archive of them, tar,
            plain or compressed; or a folder, file or glob in an archive, as
            `cnn.tgz/cnn/questions/test`. Archives are read without unpacking
            them. The files of a folder are those that stand in itself, and an
            archive as a whole will do only if all of its questions are in one
            folder: the published ones hold those to train and to test on.
        with_answers: Whether the answers are read; else they may be missing.

    Returns:
        A list of `ClozeQuestion`, at least one, sorted by their ids.

    Raises:
        InputError: Something cannot be read or is no such question, or two
            files have the same name; with the file and the line.
    """
    input_path = os.fspath(input_path)
    questions = {}
    for place, content in _read_files(input_path):
        question_id = os.path.basename(place)
        if question_id in questions:
            raise InputError(
                f"{place}: found the name of an earlier file, expected one of "
                "its own"
            )
        questions[question_id] = _parse(
            content.decode("utf-8-sig"), place, question_id, with_answers
        )
    return [questions[name] for name in sorted(questions)]


def write_question(folder, question):
    """Writes a question to a file.

    Args:
        folder: The file's folder.
        question: The `ClozeQuestion`, whose id is the file's name.
    """
    sections = (
        question.url,
        question.context,
        question.question,
        question.answer,
        "\n".join(question.entity_lines),
    )
    with write_file(os.path.join(folder, question.id)) as partial:
        with open(partial, "w", encoding="utf-8", newline="\n") as file:
            file.write("\n\n".join(sections))


def _read_files(input_path):
    """Yields the place of each file, for messages, and its bytes, UTF-8."""
    if os.path.isdir(input_path):
        names = sorted(
            entry.name
            for entry in os.scandir(input_path)
            if _is_question_file(entry.name)
        )
        if not names:
            raise InputError(
                f"{input_path}: found no file *{SUFFIX} in this folder, "
                "expected at least one"
            )
        yield from _read_paths(os.path.join(input_path, n) for n in names)
        return
    archive, inner = _split_archive(input_path)
    if archive is not None:
        yield from _read_archive(archive, inner)
    else:
        yield from _read_paths(shards.list_shards(input_path, _EXPECTED))


def _read_paths(paths):
    for path in paths:
        shards.check_file(path, _EXPECTED)
        yield path, b"".join(shards.read_blocks(path))


def _split_archive(input_path):
    """The archive that a path leads to or into, or None, and the rest."""
    archive, inner = input_path, ""
    while archive and not os.path.lexists(archive):
        archive, name = os.path.split(archive.rstrip("/"))
        if not name:
            break
        inner = posixpath.join(name, inner) if inner else name
    if os.path.isfile(archive) and _is_archive(archive):
        return archive, inner
    return None, ""


def _is_archive(path):
    try:
        return tarfile.is_tarfile(path)
    except ARCHIVE_ERRORS:
        return False


def _read_archive(path, wanted):
    """As `_read_files`, of those of an archive that are wanted.

    Wanted are a folder, a file or a glob; all of them if that is empty.
    """
    folders = set()
    found = False
    # Who believes what a file says would skip for hours what is not there.
    largest = max(_LARGEST_FILE, _LARGEST_RATIO * os.path.getsize(path))
    try:
        # As a stream: to look up one member after the other would
        # decompress the archive again for each.
        with tarfile.open(path, "r|*") as archive:
            for member in archive:
                if member.size > largest:
                    raise InputError(
                        f"{path}: {member.name} declares {member.size:,} "
                        "bytes, more than can be in this archive"
                    )
                name = posixpath.normpath(member.name)
                folder, base = posixpath.split(name)
                if not member.isfile() or not _is_question_file(base):
                    continue
                folders.add(folder)
                if not wanted and len(folders) > 1:
                    raise InputError(
                        f"{path}: found questions in {_listed(folders)}, "
                        "expected one folder; say which, as "
                        f"{path}/{min(folders)}"
                    )
                if _is_wanted(name, folder, wanted):
                    found = True
                    if member.size > _LARGEST_FILE:
                        raise InputError(
                            f"{path}/{name}: found {member.size:,} bytes, "
                            f"expected {_EXPECTED}"
                        )
                    content = archive.extractfile(member).read()
                    place = f"{path}/{name}"
                    if not content:
                        raise InputError(
                            f"{place}: empty file, expected {_EXPECTED}"
                        )
                    shards.check_utf8(content, place)
                    yield place, content
    except InputError:
        raise
    except ARCHIVE_ERRORS as error:
        raise InputError(
            f"{path}: damaged archive ({one_line(error)})"
        ) from None
    if not found:
        where = f"; there are some in {_listed(folders)}" if folders else ""
        raise InputError(
            f"{path}{wanted and f'/{wanted}'}: found no file *{SUFFIX}, "
            f"expected at least one{where}"
        )


def _is_question_file(name):
    # Names with a period first are no files of the user's.
    return name.endswith(SUFFIX) and not name.startswith(".")


def _is_wanted(name, folder, wanted):
    if not wanted:
        return True
    wanted = posixpath.normpath(wanted)
    return wanted in (name, folder) or fnmatch.fnmatchcase(name, wanted)


def _listed(folders):
    return " and ".join(sorted(folders)[:2])


def _parse(text, place, question_id, with_answers):
    lines = [line.removesuffix("\r") for line in text.rstrip().split("\n")]
    needed = _SECTIONS if with_answers else _SECTIONS[:-1]
    for index, section in enumerate(needed):
        line = 2 * index
        if line >= len(lines):
            raise InputError(
                f"{place}:{len(lines)}: found the end of the file, expected "
                f"the {section} in line {line + 1}"
            )
    for line in range(1, min(_ENTITIES_LINE, len(lines)), 2):
        if lines[line].strip():
            raise InputError(
                f"{place}:{line + 1}: found {_quoted(lines[line])}, expected a "
                f"blank line after the {_SECTIONS[line // 2]}"
            )
    url, context, question, answer = (lines[:_ENTITIES_LINE:2] + [""])[:4]
    _check_context(context, f"{place}:3")
    n_gaps = question.split().count(PLACEHOLDER)
    if n_gaps != 1:
        raise InputError(
            f"{place}:5: found {n_gaps} times {PLACEHOLDER} in the question, "
            "expected it once"
        )
    answer = answer.strip()
    if with_answers and not is_entity(answer):
        raise InputError(
            f"{place}:7: found {_quoted(answer)} as the answer, expected an "
            "entity such as @entity0"
        )
    return ClozeQuestion(
        question_id,
        url,
        context,
        question,
        answer if with_answers else "",
        _entity_lines(lines[_ENTITIES_LINE:], place),
    )


def _check_context(context, place):
    tokens = context.split()
    if not tokens:
        raise InputError(f"{place}: found an empty context, expected tokens")
    if not any(map(is_entity, tokens)):
        raise InputError(
            f"{place}: found no entity in the context, expected at least one "
            "such as @entity0"
        )


def _entity_lines(lines, place):
    entities = set()
    for number, line in enumerate(lines, _ENTITIES_LINE + 1):
        match = _ENTITY_LINE.fullmatch(line)
        if match is None:
            raise InputError(
                f"{place}:{number}: found {_quoted(line)}, expected an entity "
                "and its name, as @entity0:Name"
            )
        if match[1] in entities:
            raise InputError(
                f"{place}:{number}: found {match[1]} again, expected each "
                "entity once"
            )
        entities.add(match[1])
    return tuple(lines)


def _quoted(text):
    if len(text) > _LONGEST_QUOTED:
        text = f"{text[:_LONGEST_QUOTED]}…"
    return repr(text)
