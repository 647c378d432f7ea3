"""Every line of the corpus is in one shard, and what has changed is seen."""

import dataclasses
import gzip
import hashlib
import os
import random

import pytest

from elmo_tf.bulk import corpus_plan
from elmo_tf.bulk.corpus_plan import CorpusPlan
from elmo_tf.bulk.corpus_plan import InputFile
from elmo_tf.errors import InputError
from elmo_tf.text import shards as text_shards

OPTIONS = {"--layers": "all", "--batch_size": None}


def make(paths, shard_sentences=3):
    return CorpusPlan.make(
        list(map(str, paths)), shard_sentences, "m" * 64, OPTIONS
    )


def lines_of(shard):
    text = text_shards.read_range(shard.path, shard.offset, shard.size)
    assert hashlib.sha256(text).hexdigest() == shard.sha256
    return list(text_shards.split_lines(text))


@pytest.mark.parametrize("shard_sentences", [1, 2, 3, 7, 100])
@pytest.mark.parametrize("block_size", [1, 5, 64, 1 << 20])
def test_each_line_is_in_one_shard(
    tmp_path, monkeypatch, shard_sentences, block_size
):
    monkeypatch.setattr(text_shards, "_BLOCK_SIZE", block_size)
    generator = random.Random(shard_sentences)
    paths = []
    for number in range(6):
        lines = [
            generator.choice(["", "a b", "naïve \u3000 x", "long " * 9, " \r"])
            for _ in range(generator.randrange(12))
        ]
        text = "\n".join(["one", *lines]) + "\n" * generator.randrange(2)
        content = text.encode("utf-8-sig" if number % 3 == 1 else "utf-8")
        path = tmp_path / f"{number}.txt"
        path.write_bytes(gzip.compress(content) if number % 2 else content)
        paths.append(path)
    plan = make(paths, shard_sentences)
    for path in paths:
        shards = [shard for shard in plan.shards if shard.path == str(path)]
        lines = []
        for shard in shards:
            assert shard.first_line == len(lines)
            found = lines_of(shard)
            assert shard.sentences == len(found) <= shard_sentences
            lines += found
        assert lines == list(text_shards.read_lines(path))
        # But for the last one they are full.
        assert {shard.sentences for shard in shards[:-1]} <= {shard_sentences}
    assert [shard.path for shard in plan.shards] == sorted(
        shard.path for shard in plan.shards
    )
    assert plan.sentences == sum(shard.sentences for shard in plan.shards)
    names = [shard.name for shard in plan.shards]
    assert names[0] == f"shard-00000-of-{len(names):05d}"
    assert names == sorted(set(names))


def test_saved_and_loaded(tmp_path):
    (tmp_path / "a").write_text("x\ny\n")
    plan = make([tmp_path / "a"])
    assert CorpusPlan.load(tmp_path) is None
    plan.save(tmp_path)
    assert CorpusPlan.load(tmp_path) == plan
    assert CorpusPlan.load(tmp_path).identity == plan.identity


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"model": 1}'])
def test_a_damaged_plan(tmp_path, content):
    path = tmp_path / corpus_plan.FILE_NAME
    path.write_text(content)
    with pytest.raises(InputError, match="expected the plan of a bulk "):
        CorpusPlan.load(tmp_path)


def test_the_identity_is_that_of_the_content(tmp_path):
    path = tmp_path / "a"
    path.write_text("x\ny\n")
    plan = make([path])
    os.utime(path, ns=(1, 1))
    assert make([path]).identity == plan.identity
    path.write_text("x\nz\n")
    others = [
        make([path]),
        dataclasses.replace(plan, model="n" * 64),
        dataclasses.replace(plan, options={}),
    ]
    assert len({plan.identity, *(other.identity for other in others)}) == 4


@pytest.mark.parametrize(
    "options, model, difference",
    [
        (
            {**OPTIONS, "--layers": "top"},
            "m" * 64,
            "with --layers=all, now it is top",
        ),
        (
            OPTIONS,
            "n" * 64,
            f"with a model of SHA-256 {'m' * 12}…, now it is {'n' * 12}…",
        ),
        (
            {**OPTIONS, "TensorFlow": "3"},
            "m" * 64,
            "with TensorFlow=None, now it is 3",
        ),
    ],
)
def test_another_way_is_refused(tmp_path, options, model, difference):
    (tmp_path / "a").write_text("x\ny\n")
    plan = make([tmp_path / "a"])
    plan.check_same_way("m" * 64, dict(OPTIONS), "out")
    with pytest.raises(InputError) as info:
        plan.check_same_way(model, options, "out")
    assert str(info.value) == (
        f"--output_dir=out: was begun {difference}; choose another folder, or "
        "remove this one"
    )


def test_other_files_are_refused(tmp_path):
    a, b = tmp_path / "a", tmp_path / "b"
    a.write_text("x\ny\n")
    b.write_text("z\n")

    def check(plan, *paths):
        return plan.check_same_files(tuple(map(InputFile.of, paths)), "out")

    plan = make([a, b])
    assert check(plan, a, b)
    with pytest.raises(InputError, match=f"begun with {b}, which is not in"):
        check(plan, a)
    with pytest.raises(InputError, match=f"begun without {b}, which is in"):
        check(make([a]), a, b)
    b.write_text("zz\n")
    with pytest.raises(
        InputError, match=f"begun when {b} had 2 bytes, now it has 3;"
    ):
        check(plan, a, b)
    b.write_text("z\n")
    os.utime(b, ns=(1, 1))
    assert not check(plan, a, b)
    plan.check_same_content(make([a, b]), "out")
    a.write_text("x\nZ\n")
    with pytest.raises(
        InputError,
        match=f"begun when {a} had another content, at or behind line 1;",
    ):
        plan.check_same_content(make([a, b]), "out")
    a.write_text("x\ny\n")
    b.write_text("\n\n")
    for old, new in [(plan, make([a])), (make([a]), plan)]:
        with pytest.raises(InputError, match=f"begun when {b} had another"):
            old.check_same_content(new, "out")


@pytest.mark.parametrize(
    "content, message",
    [
        (b"", "empty file, expected one sentence a line"),
        (b"\n \n", "no token in 2 blank lines, expected one sentence a line"),
        (b"good\nb\xe9", "byte 0xe9 at position 2 of the line is not UTF-8"),
    ],
)
def test_bad_text(tmp_path, content, message):
    path = tmp_path / "a"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        make(text_shards.list_shards(path))
