"""The figures of a variant over its seeds, and their table."""

import json
import os

import numpy as np
import pytest
import tensorflow as tf

from tasks.probes import variant_results


def write_events(path, times):
    path.parent.mkdir(parents=True, exist_ok=True)
    with tf.io.TFRecordWriter(str(path)) as writer:
        for time in times:
            event = tf.compat.v1.Event(wall_time=time)
            writer.write(event.SerializeToString())


def write_seed(folder, seed, f1, elmo, seconds=10.0):
    """Writes what a training with a seed leaves."""
    folder = folder / f"seed_{seed}"
    write_events(folder / "train" / "events.out.1", [100.0, 100.0 + seconds])
    results = {
        "seed": seed,
        "seconds": 1.5,
        "parameters": {"trainable": 1000 + seed, "frozen": 5},
        "elmo": elmo,
        "validation": {"step": 7 * seed, "f1": f1},
        "test": {"f1": f1 / 2},
    }
    (folder / "results.json").write_text(json.dumps(results))


def test_seconds_of_several_processes(tmp_path):
    folder = tmp_path / "train"
    write_events(folder / "events.out.1", [50.0, 51.0, 61.5])
    write_events(folder / "events.out.2", [100.0, 104.0])
    write_events(folder / "events.out.3", [])
    assert variant_results.training_seconds(tmp_path) == 15.5
    # Cut off within the last entry.
    path = folder / "events.out.1"
    os.truncate(path, path.stat().st_size - 3)
    assert variant_results.training_seconds(tmp_path) == 5.0
    assert variant_results.training_seconds(folder) == 0.0


@pytest.fixture
def variant(tmp_path):
    for seed, f1, gamma in ((1, 0.4, 1.0), (3, 0.6, 2.0), (9, 0.8, 3.0)):
        write_seed(
            tmp_path,
            seed,
            f1,
            {
                "elmo_input": {"gamma": gamma, "s": [0.1 * gamma, 0.5]},
                "elmo_output": {"gamma": -gamma},
            },
            seconds=20.0 * seed,
        )
    return tmp_path


def test_means(variant):
    found = variant_results.read(variant, [1, 3, 9])
    assert found["validation"]["f1"] == {
        "mean": pytest.approx(0.6),
        "standard_deviation": pytest.approx(0.2),
        "values": [0.4, 0.6, 0.8],
    }
    assert found["test"]["f1"]["values"] == [0.2, 0.3, 0.4]
    assert found["elmo"].keys() == {"input", "output"}
    assert found["elmo"]["input"]["gamma"] == 2.0
    np.testing.assert_allclose(found["elmo"]["input"]["s"], [0.2, 0.5])
    assert found["elmo"]["output"] == {"gamma": -2.0}
    assert found["trainable_parameters"] == 1004
    assert found["seconds"] == pytest.approx(20 * 13 / 3, abs=0.06)
    # Another one's seeds do not count.
    assert variant_results.read(variant, [3])["seconds"] == 60.0


def test_table(variant, tmp_path):
    write_seed(tmp_path / "none", 1, 0.5, {})
    none = variant_results.read(tmp_path / "none", [1])
    none["test"] = None
    variants = {
        "none": none,
        "all_0.1": variant_results.read(variant, [1, 3, 9]),
    }
    lines = variant_results.table(variants, "f1").splitlines()
    cells = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in lines
    ]
    assert cells[0] == [
        *("ELMo", "validation f1", "test f1", "γ", "s"),
        *("trainable parameters", "seconds"),
    ]
    assert cells[2] == ["none", "50.00", "—", "—", "—", "1,001", "10"]
    assert cells[3] == [
        "all_0.1",
        "60.00 ± 20.00",
        "30.00 ± 10.00",
        "input 2.00, output -2.00",
        "input 0.20 0.50",
        "1,004",
        "87",
    ]
