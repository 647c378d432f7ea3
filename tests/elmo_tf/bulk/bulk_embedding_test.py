"""What is missing is embedded, what is complete stays."""

import dataclasses
import io
import json
import os

import pytest

from elmo_tf.bulk.bulk_embedding import BulkEmbedding
from elmo_tf.embedder import Elmo
from elmo_tf.errors import InputError

LINES = ["word1 naïve a", "", "word2", "unknown words here", "a . a", "word3"]
OPTIONS = {
    "layers": "top",
    "batch_size": None,
    "tokenize": False,
    "forget_sentences": False,
}


@dataclasses.dataclass
class Source:
    """An `EmbedderSource` that has loaded its model already."""

    elmo: Elmo
    saved_model: str = "model"
    dtype: None = None
    word_cache_size: int = 100

    def absolute(self):
        return self

    def fingerprint(self):
        return "m" * 64

    def load(self, fingerprint=None):
        return self.elmo


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("\n".join(LINES) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def embed(elmo, text, tmp_path):
    def embed(name="out", share=(0, 1), **options):
        bulk = BulkEmbedding(
            Source(elmo),
            str(text),
            str(tmp_path / name),
            {**OPTIONS, **options},
            shard_sentences=2,
        )
        return bulk.run(share=share, progress_file=io.StringIO())

    return embed


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_shares_make_the_whole(embed, tmp_path):
    whole = embed("whole")
    assert [shard["sentences"] for shard in whole["shards"]] == [2, 2, 2]
    # In any order, and after other shards.
    assert embed("parts", (1, 2)) is None
    assert embed("parts", (0, 2)) == whole
    assert contents(tmp_path / "parts") == contents(tmp_path / "whole")


def test_what_is_missing_is_done_again(embed, tmp_path):
    embed()
    folder = tmp_path / "out"
    before = contents(folder)
    names = [f"shard-0000{number}-of-00003" for number in range(3)]
    untouched = (folder / f"{names[0]}.hdf5").stat().st_mtime_ns
    # Killed while it was written, between the file and its record, and when
    # the disk had not all of it.
    (folder / f".partial-{names[1]}.hdf5-x").mkdir()
    os.remove(folder / "manifest.json")
    os.remove(folder / f"{names[1]}.json")
    os.truncate(folder / f"{names[2]}.hdf5", 100)
    embed()
    assert contents(folder) == before
    modified = (folder / f"{names[0]}.hdf5").stat().st_mtime_ns
    assert modified == untouched


def test_what_killed_processes_left_is_removed(embed, tmp_path):
    """Of what is complete and never written again."""
    embed("whole")
    whole = contents(tmp_path / "whole")
    for name in ("plan.json", "shard-00000-of-00003.json"):
        (tmp_path / "whole" / f".partial-{name}-abcdefgh").mkdir()
    # What another process has to do is left to it.
    os.remove(tmp_path / "whole" / "shard-00001-of-00003.json")
    other = ".partial-shard-00001-of-00003.hdf5-abcdefgh"
    (tmp_path / "whole" / other).mkdir()
    embed("whole", (0, 2))
    assert [it.name for it in (tmp_path / "whole").glob(".*")] == [other]
    embed("whole")
    assert contents(tmp_path / "whole") == whole
    assert not list((tmp_path / "whole").glob(".*"))


def test_a_record_of_another_plan_does_not_count(embed, tmp_path):
    embed()
    record = tmp_path / "out" / "shard-00001-of-00003.json"
    before = record.read_bytes()
    record.write_text(json.dumps({**json.loads(before), "plan": "other"}))
    embed()
    assert record.read_bytes() == before


def test_the_corpus_may_be_touched_but_not_changed(embed, text, tmp_path):
    embed()
    folder = tmp_path / "out"
    before = contents(folder)
    os.utime(text, ns=(1, 1))
    embed()
    after = contents(folder)
    assert before.pop("plan.json") != after.pop("plan.json")
    assert after == before
    text.write_text(text.read_text("utf-8").replace("word3", "word7"))
    with pytest.raises(InputError) as info:
        embed()
    assert str(info.value) == (
        f"--output_dir={folder}: was begun when {text} had another content, "
        "at or behind line 5; choose another folder, or remove this one"
    )
    with pytest.raises(InputError, match="begun with --layers=top, now it is"):
        embed(layers="all")


def test_the_corpus_changes_meanwhile(elmo, text, tmp_path):
    bulk = BulkEmbedding(
        Source(elmo), str(text), str(tmp_path / "out"), OPTIONS
    )
    text.write_text(text.read_text("utf-8").replace("word3", "word7"))
    with pytest.raises(
        InputError, match=f"{text}: has changed since the plan was made, at or"
    ):
        bulk.run(progress_file=io.StringIO())
    assert os.listdir(tmp_path / "out") == ["plan.json"]


def test_what_another_has_finished_meanwhile_stands(
    embed, elmo, text, tmp_path, monkeypatch
):
    """Where there are no locks, it may have removed what is written here."""
    embed("other")
    bulk = BulkEmbedding(
        Source(elmo), str(text), str(tmp_path / "out"), OPTIONS, 2
    )
    replace = os.replace

    def overtaken(source, target):
        if target.endswith("00001-of-00003.hdf5"):
            monkeypatch.undo()
            embed("out")
            os.remove(source)
        replace(source, target)

    monkeypatch.setattr(os, "replace", overtaken)
    bulk.run(progress_file=io.StringIO())
    others = contents(tmp_path / "other")
    assert contents(tmp_path / "out") == others
