"""What the cache of the biLM's layers saves, from the flags to the table."""

import json
import pathlib

import pytest

from tests import binaries
from tests.tasks import tiny_elmo
from tests.tasks import tiny_ner


def run(folder, more=""):
    return binaries.run(
        "benchmarks.elmo_cache",
        "--experiment=ner/conll2003",
        f"--output={folder}/runs",
        f"--params_override={tiny_ner.options(folder)}{more}",
    )


@pytest.mark.slow
def test_all_three(tmp_path):
    tiny_ner.write_data(tmp_path)
    tiny_elmo.export(tmp_path / "bilm")
    result = run(tmp_path, ",trainer.summary_interval=1")
    assert result.returncode == 0, result.stderr
    *table, line = result.stdout.splitlines()
    assert [row.split(" ")[1] for row in table[2:]] == [
        "live",
        "first",
        "again",
    ]
    found = json.loads(line)
    for name in ("live", "first", "again"):
        assert len(found["seconds"][name]) == 1
        # As computed, and not left out for want of common steps.
        assert 0 <= found["largest_difference_of_losses"][name] < 1e-4
    assert found["times_as_fast_as_live"]["live"] == 1
    # Three layers of eight numbers for each token of both files.
    n_tokens = sum(
        bool(row) and not row.startswith("-DOCSTART-")
        for text in (tiny_ner.TRAIN, tiny_ner.TEST)
        for row in text.splitlines()
    )
    n_bytes = 4 * tiny_elmo.N_LAYERS * tiny_elmo.OUTPUT_DIM * n_tokens
    assert n_bytes <= found["cache_bytes"] < n_bytes + 10_000
    assert pathlib.Path(tmp_path, "runs", "again_0", "results.json").exists()


@pytest.mark.parametrize(
    "more, message",
    [
        (
            ",task.elmo.location=none",
            "task.elmo.location: found none: nothing to cache",
        ),
        (",seeds=[1]", "seeds: expected none, as each is trained alike"),
    ],
)
def test_nothing_to_compare(tmp_path, more, message):
    result = run(tmp_path, more)
    binaries.check_mistake(result, "elmo_cache", message)
    assert not (tmp_path / "runs").exists()


def test_the_folder_exists(tmp_path):
    (tmp_path / "runs").mkdir()
    result = run(tmp_path)
    binaries.check_mistake(
        result, "elmo_cache", f"--output: {tmp_path}/runs exists"
    )
