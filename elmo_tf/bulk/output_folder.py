"""The files that a bulk embedding writes."""

import os

from elmo_tf.atomic_file import remove_abandoned
from elmo_tf.bulk.corpus_plan import FILE_NAME as PLAN_NAME
from elmo_tf.errors import InputError
from elmo_tf.json_file import read_json
from elmo_tf.json_file import write_json

MANIFEST_NAME = "manifest.json"


class OutputFolder:
    """The files that a bulk embedding writes.

    Of a shard there is `NAME.hdf5` and then, once that is there as a whole,
    `NAME.json`: its record, a dictionary.

    Args:
        path: The folder.
        identity: The `CorpusPlan.identity`.
    """

    def __init__(self, path, identity):
        self._path = path
        self._identity = identity

    def clear(self, shards):
        """Removes what killed processes left of what is complete by now.

        Args:
            shards: An iterable of `OutputShard`, which are complete.
        """
        files = (
            path
            for shard in shards
            for path in (self.file(shard), self._record_file(shard))
        )
        names = {os.path.basename(path) for path in files}
        remove_abandoned(self._path, names | {PLAN_NAME})

    def file(self, shard):
        """Returns the path of a shard's embeddings.

        Args:
            shard: The `OutputShard`.
        """
        return os.path.join(self._path, f"{shard.name}.hdf5")

    def record(self, shard):
        """Returns the record of a shard that is complete; None: it is not.

        Args:
            shard: The `OutputShard`.
        """
        try:
            record = read_json(self._record_file(shard), "a shard's record")
            is_whole = (record["plan"], record["bytes"]) == (
                self._identity,
                os.path.getsize(self.file(shard)),
            )
        except (InputError, KeyError, OSError):
            return None
        return record if is_whole else None

    def write_record(self, shard, tokens, sha256):
        """Declares a shard complete.

        Args:
            shard: The `OutputShard`, whose file is there.
            tokens: How many tokens it has.
            sha256: The SHA-256 of the file.

        Returns:
            The record.
        """
        record = {
            "file": f"{shard.name}.hdf5",
            "input": shard.path,
            "first_line": shard.first_line,
            "sentences": shard.sentences,
            "tokens": tokens,
            "bytes": os.path.getsize(self.file(shard)),
            "sha256": sha256,
            "plan": self._identity,
        }
        write_json(self._record_file(shard), record)
        return record

    def write_manifest(self, plan):
        """Writes the manifest if all shards are complete.

        Args:
            plan: The `CorpusPlan`.

        Returns:
            The manifest, a dictionary; None: shards are missing.
        """
        records = []
        for shard in plan.shards:
            record = self.record(shard)
            if record is None:
                return None
            records.append(record)
        manifest = {
            "plan": self._identity,
            "model": plan.model,
            "options": plan.options,
            "sentences": sum(record["sentences"] for record in records),
            "tokens": sum(record["tokens"] for record in records),
            "shards": [
                {key: value for key, value in record.items() if key != "plan"}
                for record in records
            ],
        }
        write_json(os.path.join(self._path, MANIFEST_NAME), manifest)
        return manifest

    def _record_file(self, shard):
        return os.path.join(self._path, f"{shard.name}.json")
