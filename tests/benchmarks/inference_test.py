"""The inference benchmark from its flags to its JSON, on tiny biLMs."""

import json
import os
import pathlib
import sys
import types

import pytest

from benchmarks import systems
from benchmarks.parts import throughput
from tests import binaries

TINY = ("--sizes=tiny", "--dtypes=float32", "--word_cache=on", "--repeats=1")
FEW = ("--sentences=6", "--batch_size=4")

# In the place of a peer: random vectors.
STRANGER = """\
import sys
sys.path.insert(0, {repository!r})
sys.argv[1:] = sys.argv[-1:]
import numpy as np
from benchmarks.peers import worker

class Stranger(worker.EmbeddingWorker):
    def __init__(self, options_file, weights_file, max_batch_size):
        pass

    def embed(self, sentences, batch_size):
        return [np.random.rand(3, len(words), 64) for words in sentences]

    def arrays(self, result, sentences):
        return result

worker.serve(Stranger, {{"stranger": "1"}})
"""


def run(*flags):
    return binaries.run("benchmarks.inference", *flags)


def tables(result):
    """The tables' rows, lists of cells, and the JSON."""
    *lines, last = result.stdout.splitlines()
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in lines
        if line.startswith("|") and not line.startswith("|-")
    ]
    return rows, json.loads(last)


def test_help_lists_every_flag():
    result = run("--help")
    for flag in ("parts", "sizes", "peers", "environments", "dtypes"):
        assert f"--{flag}:" in result.stdout
    assert "benchmarks/peers.sh" in result.stdout


@pytest.mark.parametrize(
    "flag, message",
    [
        (
            "--sizes=large",
            "--sizes: found 'large', expected some of original, medium, small, "
            "mini, tiny",
        ),
        ("--peers=elmo", "--peers: found 'elmo', expected some of simple_elmo"),
        ("--parts=", "--parts: is empty, expected some of throughput, length"),
        (
            "--dtypes=bfloat16",
            "--dtypes: found 'bfloat16' first, expected float32, with which "
            "the others are compared",
        ),
        (
            "--file_sentences=1000,many",
            "--file_sentences: found 'many', expected whole numbers from 1 on",
        ),
        (
            "--output=no/such/folder.json",
            "--output=no/such/folder.json: expected a file in an existing",
        ),
    ],
)
def test_mistakes(flag, message):
    binaries.check_mistake(run(flag), "inference", message)


def test_an_environment_that_is_not_there(tmp_path):
    result = run(f"--environments={tmp_path}", "--peers=bilm_tf")
    binaries.check_mistake(
        result,
        "inference",
        f"--environments={tmp_path}: has no bilm_tf/bin/python; make it with: ",
    )
    assert result.stderr.endswith(f"peers.sh {tmp_path} bilm_tf\n")


@pytest.mark.slow
def test_measurements_without_peers(tmp_path):
    output = tmp_path / "result.json"
    result = run(
        *TINY,
        *FEW,
        "--peers=",
        "--parts=throughput,batch,startup,file",
        "--file_sentences=5",
        f"--output={output}",
    )
    assert result.returncode == 0, result.stderr
    rows, printed = tables(result)
    assert printed == json.loads(output.read_text())
    parts = printed["sizes"]["tiny"]
    ours = parts["throughput"]["systems"]["elmo_tf float32"]
    assert ours["tokens_per_second"] > 0
    assert ours["ceiling_tokens_per_second"] > 0
    assert ours["peak_bytes"] > 1e8
    assert parts["throughput"]["disagreements"] == []
    again = parts["throughput"]["differences"][
        "elmo_tf float32 / itself, earlier"
    ]
    assert len(again) == 3
    assert [found["sentences"] for found in parts["file"]] == [5]
    assert list(parts["batch"]["elmo_tf float32"]) == "1 4 16 64 256".split()
    assert set(parts["startup"]["elmo_tf float32"]) == {
        "import",
        "load",
        "first_sentence",
        "one_sentence",
    }
    heads = [row[0] for row in rows if row[0].startswith("tiny, ")]
    assert heads == [
        "tiny, tokens/s",
        "tiny, difference",
        "tiny, tokens/s by batch size",
        "tiny, start-up",
        "tiny, embed_file",
    ]


@pytest.mark.slow
def test_outputs_that_disagree_are_an_error(tmp_path):
    script = tmp_path / "stranger.py"
    repository = str(pathlib.Path(__file__).resolve().parent.parent.parent)
    script.write_text(STRANGER.format(repository=repository))
    python = tmp_path / "simple_elmo" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{script}" "$@"\n')
    os.chmod(python, 0o755)
    result = run(
        *TINY, *FEW, f"--environments={tmp_path}", "--peers=simple_elmo"
    )
    assert result.returncode == 1
    assert "inference.py: error: outputs disagree: tiny: simple_elmo / " in (
        result.stderr
    )
    # The figures are there all the same.
    rows, printed = tables(result)
    assert printed["sizes"]["tiny"]["throughput"]["disagreements"]
    assert ["simple_elmo"] == [
        row[0] for row in rows if row[0] == "simple_elmo"
    ]


def test_what_is_relative_is_so_within_a_repetition():
    peers = [types.SimpleNamespace(name=name) for name in ("a", "b")]
    ours = types.SimpleNamespace(name="ours")
    rates = {
        ("ours", "given"): [10.0, 40.0, 30.0],
        ("ours", "ceiling"): [20.0, 50.0, 40.0],
        ("a", "given"): [5.0, 10.0, 1.0],
        ("b", "given"): [2.0, 20.0, 10.0],
        ("a", "sorted"): [10.0, 10.0, 10.0],
        ("b", "sorted"): [1.0, 1.0, 30.0],
    }
    setting = types.SimpleNamespace(peers=peers)
    assert throughput._relative(setting, ours, rates) == {
        "ceiling": 0.75,
        "given": 2.0,
        "sorted": 1.0,
    }
    setting = types.SimpleNamespace(peers=[])
    assert throughput._relative(setting, ours, rates) == {"ceiling": 0.75}


def test_this_project_runs_in_an_environment_of_its_own(tmp_path):
    arguments = (["float32"], ["on"], tmp_path)
    (system,) = systems.our_systems(*arguments)
    assert system.python == sys.executable
    python = tmp_path / "elmo_tf" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.touch()
    (system,) = systems.our_systems(*arguments)
    assert system.python == str(python)
