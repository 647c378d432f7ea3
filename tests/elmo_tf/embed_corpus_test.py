"""The binary that embeds a corpus in shards, run as a user runs it."""

import gzip
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import h5py
import numpy as np
import pytest

from tests import binaries

LINES = ["word1 naïve a", "", "word2", "unknown words here", "a . a", "word3"]


@pytest.fixture
def corpus_files(tmp_path):
    folder = tmp_path / "corpus"
    folder.mkdir()
    (folder / "a.txt").write_text("\n".join(LINES) + "\n", encoding="utf-8")
    content = "word4 word5\nword6\n\n".encode("utf-8-sig")
    (folder / "b.gz").write_bytes(gzip.compress(content))
    return folder


@pytest.fixture
def run(saved_model, corpus_files, tmp_path):
    """Runs the binary on the corpus; returns what it printed, and its folder.

    Names of the corpus are those of its folder.
    """

    def run(name, *arguments):
        result = binaries.run(
            "elmo_tf.embed_corpus",
            f"--saved_model={saved_model}",
            f"--input={corpus_files}/*",
            f"--output_dir={tmp_path / name}",
            "--shard_sentences=4",
            *arguments,
        )
        assert result.returncode == 0, result.stderr
        return json.loads(result.stdout), tmp_path / name

    return run


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def datasets(path):
    with h5py.File(path) as file:
        return {name: file[name][()] for name in file}


def embed(saved_model, text, output, *arguments):
    result = binaries.run(
        "elmo_tf.embed",
        f"--saved_model={saved_model}",
        f"--input={text}",
        f"--output={output}",
        *arguments,
    )
    assert result.returncode == 0, result.stderr


def test_the_shards_are_what_embed_writes(
    run, saved_model, corpus_files, tmp_path
):
    printed, folder = run("out", "--layers=top")
    assert printed == {
        "output_dir": str(folder),
        "shards": 3,
        "sentences": 9,
        "tokens": 14,
        "complete": True,
    }
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["options"]["--layers"] == "top"
    assert (manifest["sentences"], manifest["tokens"]) == (9, 14)
    found = {}
    for shard in manifest["shards"]:
        arrays = datasets(folder / shard["file"])
        index = json.loads(arrays.pop("sentence_to_index")[0])
        assert set(index.values()) <= arrays.keys()
        assert len(arrays) == shard["sentences"]
        assert str(shard["first_line"]) in arrays
        assert shard["tokens"] == sum(map(len, arrays.values()))
        for name, array in arrays.items():
            key = (os.path.basename(shard["input"]), name)
            assert key not in found
            found[key] = array
    for name in ("a.txt", "b.gz"):
        embed(
            saved_model,
            corpus_files / name,
            tmp_path / "whole.hdf5",
            "--layers=top",
        )
        whole = datasets(tmp_path / "whole.hdf5")
        del whole["sentence_to_index"]
        for line, array in whole.items():
            np.testing.assert_allclose(
                found.pop((name, line)), array, atol=1e-6, rtol=1e-5
            )
    assert found == {}


def test_one_shard_is_the_same_file_as_of_embed(
    run, saved_model, corpus_files, tmp_path
):
    _, folder = run("out", "--shard_sentences=6", "--tokenize")
    embed(
        saved_model,
        corpus_files / "a.txt",
        tmp_path / "whole.hdf5",
        "--tokenize",
    )
    shard = folder / "shard-00000-of-00002.hdf5"
    assert shard.read_bytes() == (tmp_path / "whole.hdf5").read_bytes()


def test_shares_and_a_restart(run):
    printed, parts = run("parts", "--plan_only")
    assert not printed["complete"] and printed["tokens"] is None
    assert os.listdir(parts) == ["plan.json"]
    printed, _ = run("parts", "--only_shards=1/2")
    assert not printed["complete"]
    assert "shard-00001-of-00003.hdf5" in os.listdir(parts)
    assert "shard-00000-of-00003.hdf5" not in os.listdir(parts)
    printed, _ = run("parts")
    assert printed["complete"]


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--saved_model=none"], "none: no such folder"),
        (["--input=none/*"], "none/*: no such file"),
        (["--input=empty"], "empty: empty file, expected one sentence a line"),
        (["--input=latin1"], "latin1:2: byte 0xe9 at position 2 of the line"),
        (["--output_dir=empty"], "--output_dir=empty: not a folder"),
        (
            ["--weights_file=x"],
            "give either --saved_model, or --options_file and --weights_file",
        ),
        (
            ["--only_shards=2/2"],
            "--only_shards=2/2: expected I/N, as 0/8 to 7/8",
        ),
        (
            ["--only_shards=0/2", "--workers=2"],
            "--only_shards: is for one process, without --workers",
        ),
        (["--ray_address=auto"], "--ray_address: needs --workers"),
        (["--workers=0"], "flag --workers=0: "),
    ],
)
def test_a_mistake_is_one_line(
    saved_model, corpus_files, tmp_path, monkeypatch, arguments, message
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good").symlink_to(saved_model)
    (tmp_path / "empty").touch()
    (tmp_path / "latin1").write_bytes(b"good\nb\xe9")
    result = binaries.run(
        "elmo_tf.embed_corpus",
        "--saved_model=good",
        "--input=corpus/a.txt",
        "--output_dir=out",
        *arguments,
    )
    # Where the corpus is read, the progress comes before.
    assert result.returncode == 2 and result.stdout == ""
    last = result.stderr.splitlines()[-1]
    assert last.startswith("embed_corpus.py: error: ") and message in last
    assert not (tmp_path / "out").exists()


def test_without_ray(saved_model, corpus_files, tmp_path):
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    (hidden / "ray.py").write_text("raise ImportError('no ray here')\n")
    environment = binaries.program_environment()
    environment["PYTHONPATH"] = os.pathsep.join(
        [str(hidden), environment["PYTHONPATH"]]
    )
    result = subprocess.run(
        [
            *(sys.executable, "-m", "elmo_tf.embed_corpus", "--workers=2"),
            *(f"--saved_model={saved_model}", f"--input={corpus_files}/*"),
            f"--output_dir={tmp_path}/out",
        ],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=environment,
    )
    binaries.check_mistake(
        result,
        "embed_corpus",
        "--workers and --ray_address need Ray (no ray here): pip install "
        "--requirement requirements-ray.txt\n",
    )


@pytest.mark.slow
class TestRay:
    """Two workers; one of them is killed, or all with the program."""

    MARK = "ELMO_TF_TEST_RUN"

    @pytest.fixture(scope="class")
    @classmethod
    def text(cls, tmp_path_factory):
        generator = np.random.default_rng(0)
        path = tmp_path_factory.mktemp("corpus") / "text.txt"
        path.write_text(
            "".join(
                " ".join(
                    f"word{number}"
                    for number in generator.integers(40, size=length)
                )
                + "\n"
                for length in generator.integers(1, 30, size=6_000)
            )
        )
        return path

    @pytest.fixture(scope="class")
    @classmethod
    def alone(cls, saved_model, text, tmp_path_factory):
        """What one process writes, without Ray."""
        folder = tmp_path_factory.mktemp("alone")
        result = binaries.run(
            "elmo_tf.embed_corpus", *cls.arguments(saved_model, text, folder)
        )
        assert result.returncode == 0, result.stderr
        return contents(folder)

    @staticmethod
    def arguments(saved_model, text, folder):
        return [
            f"--saved_model={saved_model}",
            f"--input={text}",
            f"--output_dir={folder}",
            "--shard_sentences=300",
            "--layers=average",
        ]

    @pytest.fixture
    def program(self, saved_model, text, tmp_path):
        """The program with two workers, at work."""
        program = subprocess.Popen(
            [
                *(sys.executable, "-m", "elmo_tf.embed_corpus", "--workers=2"),
                *self.arguments(saved_model, text, tmp_path / "out"),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={
                **binaries.program_environment(),
                # Ray keeps a token there.
                "HOME": str(tmp_path),
                self.MARK: str(tmp_path),
            },
        )
        try:
            end = time.monotonic() + 120
            while not list((tmp_path / "out").glob("shard-*.json")):
                assert program.poll() is None, program.communicate()
                assert time.monotonic() < end
                time.sleep(0.02)
            yield program
        finally:
            program.kill()
            program.communicate()

    def workers(self, tmp_path):
        """The processes that embed, by what Ray calls them."""
        mark = f"{self.MARK}={tmp_path}".encode()
        found = []
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if (folder / "cmdline").read_bytes().startswith(
                    b"ray::MapWorker"
                ) and mark in (folder / "environ").read_bytes().split(b"\0"):
                    found.append(int(folder.name))
            except OSError:
                continue
        return found

    def wait_for_the_end(self, tmp_path):
        """Waits for the workers, which end a moment later than the program."""
        end = time.monotonic() + 60
        while self.workers(tmp_path):
            assert time.monotonic() < end
            time.sleep(0.1)

    def test_a_worker_is_killed(self, program, alone, tmp_path):
        victim, _ = self.workers(tmp_path)
        os.kill(victim, signal.SIGKILL)
        assert not (tmp_path / "out" / "manifest.json").exists()
        stdout, stderr = program.communicate(timeout=180)
        assert program.returncode == 0, stderr
        assert json.loads(stdout)["complete"]
        assert "Traceback" not in stderr
        assert contents(tmp_path / "out") == alone
        self.wait_for_the_end(tmp_path)

    def test_the_program_is_killed_and_started_again(
        self, program, alone, saved_model, text, tmp_path
    ):
        out = tmp_path / "out"
        program.kill()
        program.communicate()
        done = {
            path: path.stat().st_mtime_ns
            for path in out.glob("shard-*.hdf5")
            if path.with_suffix(".json").exists()
        }
        assert 1 <= len(done) < 20
        # Another writes what nobody is writing any more. With Ray or without.
        self.wait_for_the_end(tmp_path)
        result = binaries.run(
            "elmo_tf.embed_corpus", *self.arguments(saved_model, text, out)
        )
        assert result.returncode == 0, result.stderr
        assert contents(out) == alone
        for path, modified in done.items():
            assert path.stat().st_mtime_ns == modified
