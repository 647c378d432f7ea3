import gzip
import json
import os
import subprocess
import sys
import time

import h5py
import numpy as np
import pytest

from elmo_tf import embedder
from elmo_tf.embedder import Elmo
from elmo_tf.errors import InputError
from tests import binaries

LINES = [
    "the river bank",
    "",
    "naïve — 日本語",
    "  spaces\taround  it ",
    "the river bank",
    "a/b .",
    " ",
    "bank",
]


@pytest.fixture(scope="module")
def official(official_files):
    return Elmo.from_weights(*official_files.paths)


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("\n".join(LINES) + "\n", encoding="utf-8")
    return path


def read(path):
    with h5py.File(path) as file:
        return {name: file[name][()] for name in file}


class TestFormat:
    @pytest.mark.parametrize("layers", ["all", "top", "average"])
    def test_numbers_as_names(self, official, text, tmp_path, layers):
        calls = []
        result = official.embed_file(
            text,
            tmp_path / "out.hdf5",
            layers,
            batch_size=3,
            progress=lambda *call: calls.append(call),
        )
        assert result == (8, 15)
        datasets = read(tmp_path / "out.hdf5")
        # As `allennlp elmo` writes it, of a line that is there twice the last.
        index = json.loads(datasets.pop("sentence_to_index")[0])
        assert index == {
            line.strip(): str(number) for number, line in enumerate(LINES)
        }
        assert index["the river bank"] == "4"
        assert set(datasets) == {str(number) for number in range(8)}
        expected = official.embed([line.split() for line in LINES], layers)
        for number, array in enumerate(expected):
            assert datasets[str(number)].dtype == np.float32
            np.testing.assert_allclose(
                datasets[str(number)], array, atol=1e-6, rtol=1e-5
            )
        shape = (3, 0, 8) if layers == "all" else (0, 8)
        assert datasets["1"].shape == datasets["6"].shape == shape
        lengths = [len(line.split()) for line in LINES]
        assert calls == list(enumerate(lengths, 1))

    def test_sentence_index_is_readable_as_allennlp_reads_it(
        self, official, text, tmp_path
    ):
        official.embed_file(text, tmp_path / "out.hdf5")
        with h5py.File(tmp_path / "out.hdf5") as file:
            dataset = file["sentence_to_index"]
            assert dataset.shape == (1,)
            assert h5py.check_string_dtype(dataset.dtype).encoding == "utf-8"
            number = json.loads(dataset[0])["naïve — 日本語"]
            assert file[number].shape == (3, 3, 8)

    def test_forget_sentences(self, official, text, tmp_path):
        official.embed_file(text, tmp_path / "out.hdf5", forget_sentences=True)
        assert set(read(tmp_path / "out.hdf5")) == {str(i) for i in range(8)}

    def test_sentences_as_names(self, official, tmp_path):
        lines = ["the river bank", "naïve — 日本語", "..", "a . b"]
        text = tmp_path / "text.txt"
        text.write_text("\n".join(lines), encoding="utf-8")
        official.embed_file(text, tmp_path / "out.hdf5", use_sentence_keys=True)
        datasets = read(tmp_path / "out.hdf5")
        assert set(datasets) == set(lines)
        for line, array in zip(
            lines,
            official.embed([line.split() for line in lines]),
            strict=True,
        ):
            np.testing.assert_allclose(datasets[line], array, atol=1e-6)

    def test_tokenize(self, official_files, tmp_path):
        elmo = Elmo.from_weights(
            *official_files.paths, tokenizer="penn_treebank"
        )
        (tmp_path / "text.txt").write_text("It isn't.\n\n")
        elmo.embed_file(
            tmp_path / "text.txt", tmp_path / "out.hdf5", "top", tokenize=True
        )
        datasets = read(tmp_path / "out.hdf5")
        assert datasets["0"].shape == (4, 8)
        assert datasets["1"].shape == (0, 8)
        assert json.loads(datasets["sentence_to_index"][0]) == {
            "It isn't.": "0",
            "": "1",
        }

    def test_gzip_and_no_last_line_end(self, official, text, tmp_path):
        official.embed_file(text, tmp_path / "plain.hdf5", "top")
        compressed = tmp_path / "text.gz"
        compressed.write_bytes(gzip.compress(text.read_bytes().rstrip(b"\n")))
        official.embed_file(compressed, tmp_path / "gzip.hdf5", "top")
        left, right = (
            read(tmp_path / "plain.hdf5"),
            read(tmp_path / "gzip.hdf5"),
        )
        assert set(left) == set(right)
        np.testing.assert_array_equal(left["7"], right["7"])

    def test_more_lines_than_a_chunk(self, official, tmp_path, monkeypatch):
        monkeypatch.setattr(embedder, "_SENTENCES_AT_ONCE", 3)
        lengths = [i * 7 % 5 for i in range(23)]
        text = tmp_path / "text.txt"
        text.write_text("".join("a " * n + "\n" for n in lengths))
        assert official.embed_file(
            text, tmp_path / "out.hdf5", "top", batch_size=2
        ) == (23, sum(lengths))
        datasets = read(tmp_path / "out.hdf5")
        for number, n in enumerate(lengths):
            assert datasets[str(number)].shape == (n, 8)

    def test_an_older_output_is_replaced(self, official, text, tmp_path):
        (tmp_path / "out.hdf5").write_text("something older")
        official.embed_file(text, tmp_path / "out.hdf5", "top")
        assert "sentence_to_index" in read(tmp_path / "out.hdf5")


class TestMistakes:
    def message(self, elmo, *args, **kwargs):
        with pytest.raises(InputError) as error:
            elmo.embed_file(*args, **kwargs)
        return str(error.value)

    @pytest.mark.parametrize(
        "content, message",
        [
            (None, "cannot be read: No such file or directory"),
            (b"", "empty file, expected one sentence a line"),
            (b"good\nb\xffd\n", "not UTF-8"),
        ],
    )
    def test_input(self, official, tmp_path, content, message):
        text = tmp_path / "in.txt"
        if content is not None:
            text.write_bytes(content)
        before = os.listdir(tmp_path)
        found = self.message(official, text, tmp_path / "out.hdf5")
        assert found.startswith(f"{text}:") and message in found
        if content and b"\xff" in content:
            assert found.startswith(f"{text}:2: ")
        assert os.listdir(tmp_path) == before

    def test_a_pipe(self, official, tmp_path):
        """It would have to be read twice."""
        os.mkfifo(tmp_path / "pipe")
        assert self.message(
            official, tmp_path / "pipe", tmp_path / "out.hdf5"
        ) == (
            f"{tmp_path}/pipe: is a pipe or a device, expected a file with one "
            "sentence a line"
        )

    def test_layers(self, official, text, tmp_path):
        found = self.message(official, text, tmp_path / "out.hdf5", "bottom")
        assert found == (
            "layers: found 'bottom', expected one of all, top, average"
        )
        assert os.listdir(tmp_path) == ["text.txt"]

    @pytest.mark.parametrize("output", ["none/out.hdf5", "folder", ""])
    def test_output(self, official, text, tmp_path, output):
        (tmp_path / "folder").mkdir()
        path = str(tmp_path / output) if output else ""
        assert self.message(official, text, path) == (
            f"{path}: expected a file in an existing folder"
        )

    def test_the_input_is_not_overwritten(self, official, text, tmp_path):
        before = text.read_bytes()
        (tmp_path / "link").symlink_to(text)
        for path in (text, tmp_path / "link"):
            assert self.message(official, text, path) == (
                f"{path}: is one of the input files"
            )
        assert text.read_bytes() == before

    @pytest.mark.parametrize(
        "lines, message",
        [
            (
                ["a", "b", "a"],
                "3: the sentence stands already at line 1, so it cannot name a "
                "dataset; use numbers",
            ),
            (["a", "", "b"], "2: '' cannot name an HDF5 dataset; use numbers"),
            (["a/b"], "1: 'a/b' cannot name an HDF5 dataset; use numbers"),
            (["."], "1: '.' cannot name an HDF5 dataset; use numbers"),
            (
                ["a", "b\0c"],
                "2: 'b\\x00c' cannot name an HDF5 dataset; use numbers",
            ),
        ],
    )
    def test_sentences_that_cannot_be_names(
        self, official, tmp_path, lines, message
    ):
        text = tmp_path / "text.txt"
        text.write_text("\n".join(lines) + "\n")
        calls = []
        found = self.message(
            official,
            text,
            tmp_path / "out.hdf5",
            use_sentence_keys=True,
            progress=lambda *call: calls.append(call),
        )
        assert found == f"{text}:{message}"
        # Found before anything is embedded.
        assert calls == []
        assert os.listdir(tmp_path) == ["text.txt"]

    def test_an_interruption_leaves_nothing(self, official, text, tmp_path):
        (tmp_path / "out.hdf5").write_text("something older")

        def interrupt(done, n_tokens):
            if done == 5:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            official.embed_file(
                text, tmp_path / "out.hdf5", batch_size=1, progress=interrupt
            )
        assert sorted(os.listdir(tmp_path)) == ["out.hdf5", "text.txt"]
        assert (tmp_path / "out.hdf5").read_text() == "something older"


@pytest.mark.slow
def test_a_killed_run_has_no_output(official_files, tmp_path):
    """Killed when thousands of sentences are written, and not all."""
    text = tmp_path / "text.txt"
    text.write_text("a b c d e\n" * 200_000)
    output = tmp_path / "out.hdf5"
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "elmo_tf.embed", f"--input={text}"),
            f"--output={output}",
            f"--options_file={official_files.options_file}",
            f"--weights_file={official_files.weights_file}",
        ],
        env=binaries.program_environment(),
        stderr=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + 300
        while not any(
            path.stat().st_size > 1_000_000
            for path in tmp_path.glob(".partial-out.hdf5-*/out.hdf5")
        ):
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.1)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == -9
    assert not output.exists()
