"""How a corpus is cut into shards, of which model and how they are made."""

import dataclasses
import hashlib
import itertools
import json
import os

import numpy as np

from elmo_tf.bulk.output_shard import OutputShard
from elmo_tf.errors import InputError
from elmo_tf.json_file import read_json
from elmo_tf.json_file import unexpected
from elmo_tf.json_file import write_json
from elmo_tf.text import shards as text_shards
from elmo_tf.text import whitespace
from elmo_tf.text.corpus_statistics import no_tokens_error

FILE_NAME = "plan.json"

_DESCRIPTION = "the plan of a bulk embedding"

_LINE_FEED = 10


@dataclasses.dataclass(frozen=True)
class InputFile:
    """A file of the corpus, as it was when the plan was made.

    Attributes:
        path: Its absolute path.
        size: Its size in bytes.
        modified: When it was changed last, in nanoseconds.
    """

    path: str
    size: int
    modified: int

    @classmethod
    def of(cls, path):
        """Returns what is to be known of a file that is there."""
        status = os.stat(path)
        return cls(os.path.abspath(path), status.st_size, status.st_mtime_ns)


@dataclasses.dataclass(frozen=True)
class CorpusPlan:
    """How a corpus is cut into shards, and how they are embedded.

    The same corpus, model and options make the same plan.

    Attributes:
        model: The model's `EmbedderSource.fingerprint`.
        options: A dictionary of all else that the embeddings depend on.
        files: A tuple of `InputFile`.
        shards: A tuple of `OutputShard`; each line of the files is in one.
    """

    model: str
    options: dict
    files: tuple[InputFile, ...]
    shards: tuple[OutputShard, ...]

    @classmethod
    def make(cls, paths, shard_sentences, model, options, progress=None):
        """Makes a plan, for which it reads the corpus once.

        Args:
            paths: The list of the text files.
            shard_sentences: The most lines of a shard.
            model: See the attributes.
            options: See the attributes.
            progress: As for `elmo_tf.text.corpus_statistics.scan`.

        Returns:
            The `CorpusPlan`.

        Raises:
            InputError: A file is missing, empty or without any token, cannot
                be read, is a damaged gzip file or is not UTF-8.
        """
        advance = text_shards.progress_over(paths, progress)
        files = tuple(map(InputFile.of, paths))
        pieces = [
            piece
            for file in files
            for piece in _cut(file.path, shard_sentences, advance)
        ]
        shards = tuple(
            OutputShard(f"shard-{number:05d}-of-{len(pieces):05d}", *piece)
            for number, piece in enumerate(pieces)
        )
        return cls(model, options, files, shards)

    @classmethod
    def load(cls, folder):
        """Reads the plan of a folder.

        Args:
            folder: The folder, which need not exist.

        Returns:
            The `CorpusPlan`; None if there is none.

        Raises:
            InputError: The file is damaged.
        """
        path = os.path.join(folder, FILE_NAME)
        if not os.path.exists(path):
            return None
        values = read_json(path, _DESCRIPTION)
        try:
            return cls(
                model=values["model"],
                options=values["options"],
                files=tuple(InputFile(**each) for each in values["files"]),
                shards=tuple(OutputShard(**each) for each in values["shards"]),
            )
        except (KeyError, TypeError) as error:
            raise unexpected(path, _DESCRIPTION, repr(error)) from None

    def save(self, folder):
        """Writes the plan.

        Args:
            folder: The folder, which exists.
        """
        write_json(
            os.path.join(folder, FILE_NAME), dataclasses.asdict(self), indent=1
        )

    @property
    def identity(self):
        """Tells one plan from another: a SHA-256 in hexadecimal digits.

        When the files were changed does not count, their content does.
        """
        shards = [dataclasses.astuple(shard) for shard in self.shards]
        text = json.dumps(
            [self.model, self.options, shards], sort_keys=True
        ).encode()
        return hashlib.sha256(text).hexdigest()

    @property
    def sentences(self):
        """The number of lines of the corpus."""
        return sum(shard.sentences for shard in self.shards)

    def check_same_way(self, model, options, folder):
        """Checks that embeddings are to be made as this plan says.

        Args:
            model: The model's fingerprint.
            options: The options.
            folder: The plan's folder, for the message.

        Raises:
            InputError: They are not; the message names the first difference.
        """
        for name in sorted(self.options.keys() | options.keys()):
            old, new = self.options.get(name), options.get(name)
            if old != new:
                raise _other(folder, f"with {name}={old}, now it is {new}")
        if model != self.model:
            raise _other(
                folder,
                f"with a model of SHA-256 {self.model[:12]}…, now it is "
                f"{model[:12]}…",
            )

    def check_same_files(self, files, folder):
        """Checks that a corpus has the files of this plan.

        Args:
            files: A tuple of `InputFile`.
            folder: The plan's folder, for the message.

        Returns:
            Whether they were left alone since; else their sizes are the same
            and their contents may be.

        Raises:
            InputError: They are others; the message names the first.
        """
        old = {file.path: file for file in self.files}
        new = {file.path: file for file in files}
        for path in sorted(old.keys() | new.keys()):
            if path not in new:
                raise _other(folder, f"with {path}, which is not in --input")
            if path not in old:
                raise _other(folder, f"without {path}, which is in --input")
            if old[path].size != new[path].size:
                raise _other(
                    folder,
                    f"when {path} had {old[path].size} bytes, now it has "
                    f"{new[path].size}",
                )
        return old == new

    def check_same_content(self, other, folder):
        """Checks that the files contain what they did.

        Args:
            other: The `CorpusPlan` of the files as they are now.
            folder: The plan's folder, for the message.

        Raises:
            InputError: They do not.
        """
        pairs = itertools.zip_longest(self.shards, other.shards)
        for old, new in pairs:
            if old is None or new is None or old.content != new.content:
                shard = old or new
                raise _other(
                    folder,
                    f"when {shard.path} had another content, at or behind line "
                    f"{shard.first_line + 1}",
                )


def _other(folder, difference):
    return InputError(
        f"--output_dir={folder}: was begun {difference}; choose another "
        "folder, or remove this one"
    )


def _cut(path, shard_sentences, progress):
    """Yields the fields of a file's shards, behind their names."""
    first_line = offset = 0
    piece = _Piece()
    has_tokens = False
    for block in text_shards.read_blocks(path, progress):
        has_tokens = has_tokens or bool(whitespace.normalize(block).split())
        # Behind each line, be it the last without a line feed.
        ends = np.flatnonzero(np.frombuffer(block, np.uint8) == _LINE_FEED) + 1
        if not block.endswith(b"\n"):
            ends = np.append(ends, len(block))
        start = n_done = 0
        while n_done < len(ends):
            n_lines = min(shard_sentences - piece.lines, len(ends) - n_done)
            n_done += n_lines
            end = int(ends[n_done - 1])
            piece.add(n_lines, memoryview(block)[start:end])
            start = end
            if piece.lines == shard_sentences:
                yield path, first_line, *piece.fields(offset)
                first_line += piece.lines
                offset += piece.size
                piece = _Piece()
    if piece.lines:
        yield path, first_line, *piece.fields(offset)
        first_line += piece.lines
    if not has_tokens:
        raise no_tokens_error(path, first_line)


class _Piece:
    """The lines of a shard, counted one after the other."""

    def __init__(self):
        self.lines = 0
        self.size = 0
        self._digest = hashlib.sha256()

    def add(self, n_lines, text):
        self.lines += n_lines
        self.size += len(text)
        self._digest.update(text)

    def fields(self, offset):
        return self.lines, offset, self.size, self._digest.hexdigest()
