"""Windows of the corpus against a slow reference, and exact resume."""

import gzip
import itertools
import json
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest

from elmo_tf.errors import InputError
from elmo_tf.text.corpus import CorpusReader


def reference_windows(sentences, batch_size, unroll_steps):
    """bilm-tf's layout, token by token.

    Row i is a stream of sentences packed back to back, inputs `sent[:-1]`,
    targets `sent[1:]`; a row takes the next common sentence when it has used
    up its own, in the course of filling window after window, row after row.
    """
    sentences = iter(sentences)
    rows = [[] for _ in range(batch_size)]
    while True:
        inputs = []
        targets = []
        for row in rows:
            row_inputs = []
            row_targets = []
            for _ in range(unroll_steps):
                if not row:
                    sentence = next(sentences)
                    row.extend(zip(sentence[:-1], sentence[1:], strict=True))
                pair = row.pop(0)
                row_inputs.append(pair[0])
                row_targets.append(pair[1])
            inputs.append(row_inputs)
            targets.append(row_targets)
        yield inputs, targets


def framed(lines, backward=False):
    """The sentences of the windows, for lines of text (bytes)."""
    for line in lines:
        sentence = [b"<S>", *line.split(), b"</S>"]
        yield sentence[::-1] if backward else sentence


def stream_of(reader, n_windows):
    """The (input, target) pairs of each row, one after another."""
    pairs = [[] for _ in range(reader.batch_size)]
    for _ in range(n_windows):
        inputs, targets = reader.next_window()
        for row, (i, t) in enumerate(zip(inputs, targets, strict=True)):
            pairs[row] += zip(i, t, strict=True)
    return pairs


def sentences_of(reader, n_sentences):
    """The next sentences of a reader of one row and one step."""
    start, end = (b"</S>", b"<S>") if reader.backward else (b"<S>", b"</S>")
    sentences = []
    while len(sentences) < n_sentences:
        inputs, targets = reader.next_window()
        if inputs[0, 0] == start:
            sentences.append([])
        if targets[0, 0] != end:
            sentences[-1].append(targets[0, 0])
    # The last sentence may have been cut: go on to its end.
    while targets[0, 0] != end:
        _, targets = reader.next_window()
        if targets[0, 0] != end:
            sentences[-1].append(targets[0, 0])
    return [b" ".join(sentence) for sentence in sentences]


@pytest.fixture
def three_sentences(tmp_path):
    path = tmp_path / "three.txt"
    path.write_bytes(b"the unknown .\nth .\nthe\n")
    return str(path)


@pytest.fixture
def corpus(tmp_path):
    """Five shards, plain and gzip, with blank lines, each line distinct."""
    generator = np.random.default_rng(0)
    folder = tmp_path / "corpus"
    folder.mkdir()
    for shard in range(5):
        lines = []
        for line in range(int(generator.integers(1, 12))):
            n = int(generator.integers(0, 9))
            lines.append(" ".join(f"w{shard}.{line}.{i}é" for i in range(n)))
        lines.append(f"last{shard}")
        text = "\n".join(lines).encode()
        if shard % 2:
            (folder / f"{shard}.gz").write_bytes(gzip.compress(text))
        else:
            (folder / f"{shard}.txt").write_bytes(text + b"\n")
    return str(folder / "*")


def lines_of(corpus_glob):
    """The lines of each shard, in the order of the files."""
    folder = os.path.dirname(corpus_glob)
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), "rb") as file:
            text = file.read()
        if name.endswith(".gz"):
            text = gzip.decompress(text)
        yield text.removesuffix(b"\n").split(b"\n")


class TestLayout:
    def test_three_sentences_forward(self, three_sentences):
        reader = CorpusReader(three_sentences, 2, 3, seed=0, shuffle=False)
        inputs, targets = reader.next_window()
        assert inputs.dtype == object and inputs.shape == (2, 3)
        assert inputs.tolist() == [
            [b"<S>", b"the", b"unknown"],
            [b"<S>", b"th", b"."],
        ]
        assert targets.tolist() == [
            [b"the", b"unknown", b"."],
            [b"th", b".", b"</S>"],
        ]
        inputs, targets = reader.next_window()
        # The first row goes on and takes the third sentence, the second row
        # the first sentence of the next pass.
        assert inputs.tolist() == [
            [b".", b"<S>", b"the"],
            [b"<S>", b"the", b"unknown"],
        ]
        assert targets.tolist() == [
            [b"</S>", b"the", b"</S>"],
            [b"the", b"unknown", b"."],
        ]

    def test_three_sentences_backward(self, three_sentences):
        reader = CorpusReader(
            three_sentences, 2, 3, seed=0, shuffle=False, backward=True
        )
        inputs, targets = reader.next_window()
        assert inputs.tolist() == [
            [b"</S>", b".", b"unknown"],
            [b"</S>", b".", b"th"],
        ]
        assert targets.tolist() == [
            [b".", b"unknown", b"the"],
            [b".", b"th", b"<S>"],
        ]
        inputs, targets = reader.next_window()
        assert inputs[0].tolist() == [b"the", b"</S>", b"the"]
        assert targets[0].tolist() == [b"<S>", b"the", b"<S>"]

    @pytest.mark.parametrize("backward", [False, True])
    @pytest.mark.parametrize("batch_size", [1, 3, 7])
    @pytest.mark.parametrize("unroll_steps", [1, 4, 20])
    def test_equals_the_reference(
        self, corpus, batch_size, unroll_steps, backward
    ):
        lines = list(itertools.chain(*lines_of(corpus)))
        expected = reference_windows(
            itertools.chain.from_iterable(
                framed(lines, backward) for _ in itertools.count()
            ),
            batch_size,
            unroll_steps,
        )
        reader = CorpusReader(
            corpus, batch_size, unroll_steps, 0, False, backward
        )
        for _ in range(60):
            inputs, targets = reader.next_window()
            expected_inputs, expected_targets = next(expected)
            assert inputs.tolist() == expected_inputs
            assert targets.tolist() == expected_targets

    @pytest.mark.parametrize("backward", [False, True])
    def test_boundaries_stand_on_their_side(self, corpus, backward):
        reader = CorpusReader(corpus, 3, 5, seed=1, backward=backward)
        first, last = b"<S>", b"</S>"
        if backward:
            first, last = last, first
        for row in stream_of(reader, 50):
            assert all(i != last and t != first for i, t in row)
            # A target is the next input, except at the end of a sentence.
            for (_, target), (following, _) in itertools.pairwise(row):
                assert following == (first if target == last else target)

    def test_only_blank_lines_but_one(self, tmp_path):
        path = tmp_path / "a.txt"
        path.write_bytes(b"\n \n\r\na\n\n")
        reader = CorpusReader(path, 1, 7, seed=0, shuffle=False)
        inputs, targets = reader.next_window()
        assert inputs[0].tolist() == [b"<S>"] * 4 + [b"a", b"<S>", b"<S>"]
        assert targets[0].tolist() == ([b"</S>"] * 3 + [b"a"] + [b"</S>"] * 3)

    def test_windows_line_ends_and_byte_order_mark(self, tmp_path):
        path = tmp_path / "a.txt"
        path.write_bytes(b"\xef\xbb\xbfa b\r\nc\r\n")
        reader = CorpusReader(path, 1, 5, seed=0, shuffle=False)
        inputs, _ = reader.next_window()
        assert inputs[0].tolist() == [b"<S>", b"a", b"b", b"<S>", b"c"]

    def test_no_break_space_separates(self, tmp_path):
        path = tmp_path / "a.txt"
        path.write_bytes("10\u00a0000 a\n".encode())
        reader = CorpusReader(path, 1, 4, seed=0, shuffle=False)
        _, targets = reader.next_window()
        assert targets[0].tolist() == [b"10", b"000", b"a", b"</S>"]

    def test_a_line_longer_than_many_windows(self, tmp_path):
        path = tmp_path / "a.txt"
        words = [b"w%d" % i for i in range(100_000)]
        path.write_bytes(b" ".join(words))
        reader = CorpusReader(path, 1, 1000, seed=0)
        read = []
        for _ in range(100):
            read += reader.next_window()[1][0].tolist()
        assert read == words


class TestShuffling:
    @pytest.mark.parametrize("backward", [False, True])
    def test_each_pass_has_each_sentence_once(self, corpus, backward):
        shards = [sorted(lines) for lines in lines_of(corpus)]
        n_lines = sum(map(len, shards))
        reader = CorpusReader(corpus, 1, 1, seed=3, backward=backward)
        sentences = sentences_of(reader, 3 * n_lines)
        if backward:
            sentences = [b" ".join(s.split()[::-1]) for s in sentences]
        passes = [
            sentences[i : i + n_lines]
            for i in range(0, len(sentences), n_lines)
        ]
        for one_pass in passes:
            assert sorted(one_pass) == sorted(itertools.chain(*shards))
            # One shard at a time.
            remaining = list(shards)
            while one_pass:
                shard = next(
                    s for s in remaining if sorted(one_pass[: len(s)]) == s
                )
                remaining.remove(shard)
                one_pass = one_pass[len(shard) :]
        assert passes[0] != passes[1] != passes[2]

    def test_a_function_of_the_seed(self, corpus):
        def sentences(seed, backward=False):
            reader = CorpusReader(corpus, 1, 1, seed, backward=backward)
            result = sentences_of(reader, 60)
            if backward:
                result = [b" ".join(s.split()[::-1]) for s in result]
            return result

        assert sentences(1) == sentences(1)
        assert sentences(1) != sentences(2)
        assert sentences(1) != sentences(1, backward=True)

    def test_the_batch_size_does_not_change_the_stream(self, corpus):
        sentences = sentences_of(CorpusReader(corpus, 1, 1, seed=1), 8)
        reader = CorpusReader(corpus, 8, 1, seed=1)
        _, targets = reader.next_window()
        assert targets[:, 0].tolist() == [
            (sentence.split() + [b"</S>"])[0] for sentence in sentences
        ]

    def test_one_shard_is_shuffled_too(self, tmp_path):
        path = tmp_path / "a.txt"
        lines = [b"w%d" % i for i in range(100)]
        path.write_bytes(b"\n".join(lines))
        sentences = sentences_of(CorpusReader(path, 1, 1, seed=0), 200)
        assert sorted(sentences[:100]) == sorted(lines)
        assert sorted(sentences[100:]) == sorted(lines)
        assert sentences[:100] not in (lines, sentences[100:])


def assert_same_windows(a, b, n):
    for _ in range(n):
        for x, y in zip(a.next_window(), b.next_window(), strict=True):
            assert x.tolist() == y.tolist()


class TestResume:
    @pytest.mark.parametrize("backward", [False, True])
    @pytest.mark.parametrize("shuffle", [False, True])
    @pytest.mark.parametrize("batch_size, unroll_steps", [(1, 1), (4, 3)])
    def test_after_each_window(
        self, corpus, batch_size, unroll_steps, shuffle, backward
    ):
        def reader():
            return CorpusReader(
                corpus, batch_size, unroll_steps, 5, shuffle, backward
            )

        uninterrupted = reader()
        # A few passes; sentences, shards and passes end in between.
        windows = [uninterrupted.next_window() for _ in range(150)]
        first = reader()
        for k in range(0, 147):
            state = json.loads(json.dumps(first.state()))
            resumed = reader()
            resumed.restore(state)
            for inputs, targets in windows[k : k + 3]:
                resumed_inputs, resumed_targets = resumed.next_window()
                assert resumed_inputs.tolist() == inputs.tolist()
                assert resumed_targets.tolist() == targets.tolist()
            first.next_window()

    def test_a_state_is_not_changed_by_later_windows(self, corpus):
        reader = CorpusReader(corpus, 4, 3, seed=5)
        states = []
        texts = []
        for _ in range(100):
            states.append(reader.state())
            texts.append(json.dumps(states[-1]))
            reader.next_window()
        assert [json.dumps(state) for state in states] == texts
        assert len(set(texts)) == len(texts)

    def test_a_reader_in_use_can_go_back(self, corpus):
        reader = CorpusReader(corpus, 4, 3, seed=5)
        start = reader.state()
        stream_of(reader, 10)
        state = reader.state()
        rest = stream_of(reader, 40)
        reader.restore(state)
        assert stream_of(reader, 40) == rest
        reader.restore(start)
        assert_same_windows(reader, CorpusReader(corpus, 4, 3, seed=5), 20)

    def test_restoring_does_not_read_what_is_past(self, corpus, monkeypatch):
        reader = CorpusReader(corpus, 2, 3, seed=5)
        while reader.state()["pass"] < 20:
            reader.next_window()
        state = reader.state()
        resumed = CorpusReader(corpus, 2, 3, seed=5)
        loaded = []
        load = resumed._shard_cache.load
        monkeypatch.setattr(
            resumed._shard_cache,
            "load",
            lambda *args: loaded.append(args) or load(*args),
        )
        resumed.restore(state)
        resumed.next_window()
        assert len(loaded) <= 2

    def test_the_corpus_may_move(self, corpus, tmp_path):
        reader = CorpusReader(corpus, 2, 3, seed=5)
        stream_of(reader, 10)
        shutil.copytree(os.path.dirname(corpus), tmp_path / "elsewhere")
        moved = CorpusReader(f"{tmp_path}/elsewhere/*", 2, 3, seed=5)
        moved.restore(reader.state())
        assert_same_windows(reader, moved, 30)

    def test_in_another_process(self, corpus):
        reader = CorpusReader(corpus, 2, 3, seed=5)
        stream_of(reader, 10)
        script = (
            "import json, sys\n"
            "from elmo_tf.text.corpus import CorpusReader\n"
            "reader = CorpusReader(sys.argv[1], 2, 3, seed=5)\n"
            "reader.restore(json.load(sys.stdin))\n"
            "for _ in range(20):\n"
            "    inputs, targets = reader.next_window()\n"
            "    print(inputs.tolist(), targets.tolist())\n"
        )
        result = subprocess.run(
            [sys.executable, "-c", script, corpus],
            input=json.dumps(reader.state()),
            capture_output=True,
            text=True,
            check=True,
            cwd=os.getcwd(),
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        expected = []
        for _ in range(20):
            inputs, targets = reader.next_window()
            expected.append(f"{inputs.tolist()} {targets.tolist()}")
        assert result.stdout.splitlines() == expected


class TestErrors:
    @pytest.mark.parametrize(
        "changed, message",
        [
            ({"seed": 6}, "saved with seed=5, found seed=6"),
            ({"batch_size": 3}, "saved with batch_size=2, found batch_size=3"),
            (
                {"backward": True},
                "saved with backward=False, found backward=Tr",
            ),
            ({"shuffle": False}, "saved with shuffle=True, found shuffle=Fals"),
        ],
    )
    def test_state_of_other_arguments(self, corpus, changed, message):
        arguments = {"batch_size": 2, "unroll_steps": 3, "seed": 5}
        state = CorpusReader(corpus, **arguments).state()
        reader = CorpusReader(corpus, **{**arguments, **changed})
        with pytest.raises(InputError, match=f"^corpus position: {message}"):
            reader.restore(state)

    def test_state_of_other_files(self, corpus, tmp_path):
        state = CorpusReader(corpus, 2, 3, seed=5).state()
        folder = os.path.dirname(corpus)
        fewer = CorpusReader(f"{folder}/[0-3]*", 2, 3, seed=5)
        with pytest.raises(InputError) as info:
            fewer.restore(state)
        assert str(info.value) == (
            "corpus position: saved for 5 files, found 4"
        )
        size = os.path.getsize(f"{folder}/2.txt")
        with open(f"{folder}/2.txt", "ab") as file:
            file.write(b"more\n")
        changed = CorpusReader(corpus, 2, 3, seed=5)
        with pytest.raises(InputError) as info:
            changed.restore(state)
        assert str(info.value) == (
            f"{folder}/2.txt: the corpus position was saved for the file 2.txt "
            f"of {size} bytes in its place, found {size + 5} bytes"
        )

    @pytest.mark.parametrize("state", [None, [], {}, {"pass": 1}, "x"])
    def test_not_a_state(self, corpus, state):
        reader = CorpusReader(corpus, 2, 3, seed=5)
        with pytest.raises(InputError) as info:
            reader.restore(state)
        assert str(info.value) == (
            "corpus position: not one saved by CorpusReader.state(), which has "
            "fingerprint, pass, rows, sentence, shard"
        )

    def test_other_lines_in_as_many_bytes(self, tmp_path):
        path = tmp_path / "a.txt"
        path.write_bytes(b"a\nb\nc\nd\n")
        reader = CorpusReader(path, 3, 2, seed=0)
        reader.next_window()
        path.write_bytes(b"a b c d\n")
        changed = CorpusReader(path, 3, 2, seed=0)
        changed.restore(reader.state())
        with pytest.raises(InputError) as info:
            changed.next_window()
        assert str(info.value) == (
            f"{path}: has 1 lines, but the corpus position was saved after 3 "
            "of them"
        )

    @pytest.mark.parametrize(
        "arguments, message",
        [
            ((0, 3, 5), "batch_size: found 0, expected at least 1"),
            ((2, 0, 5), "unroll_steps: found 0, expected at least 1"),
            ((2, 3, -1), "seed: found -1, expected at least 0"),
        ],
    )
    def test_arguments_out_of_range(self, corpus, arguments, message):
        with pytest.raises(InputError, match=f"^{message}$"):
            CorpusReader(corpus, *arguments)

    def test_missing_file(self, tmp_path):
        with pytest.raises(InputError, match="a.txt: no such file$"):
            CorpusReader(f"{tmp_path}/a.txt", 2, 3, seed=0)

    def test_a_file_that_changes(self, corpus):
        reader = CorpusReader(corpus, 1, 1, seed=5)
        folder = os.path.dirname(corpus)
        size = os.path.getsize(f"{folder}/0.txt")
        with open(f"{folder}/0.txt", "ab") as file:
            file.write(b"more\n")
        with pytest.raises(InputError) as info:
            stream_of(reader, 1000)
        assert str(info.value) == (
            f"{folder}/0.txt: changed while it was in use, from {size} to "
            f"{size + 5} bytes"
        )

    @pytest.mark.parametrize("content", [b"\n", b" \r\n\t\n \n", b"\xc2\xa0"])
    def test_only_blank_lines(self, tmp_path, content):
        path = tmp_path / "a.txt"
        path.write_bytes(content)
        reader = CorpusReader(path, 1, 1, seed=5)
        n = max(1, content.count(b"\n"))
        with pytest.raises(InputError) as info:
            reader.next_window()
        assert str(info.value) == (
            f"{path}: no token in {n} blank lines, expected one sentence a line"
        )

    def test_invalid_utf8(self, tmp_path):
        path = tmp_path / "a.txt"
        path.write_bytes(b"a\n\xff\n")
        reader = CorpusReader(path, 1, 1, seed=5)
        with pytest.raises(InputError, match=":2: byte 0xff at position 1"):
            reader.next_window()
