"""A task's training by several workers, one of which is killed."""

import json
import os
import sys

import numpy as np
import pytest
import tensorflow as tf

from tests import worker_group
from tests.tasks import tiny_elmo
from tests.tasks import tiny_ner
from tests.worker_group import WorkerGroup

pytestmark = pytest.mark.slow


def train_command(folder, model_dir):
    return [
        *(sys.executable, "-m", "tasks.train", "--experiment=ner/conll2003"),
        f"--model_dir={model_dir}",
        f"--params_override={tiny_ner.options(folder)},"
        # Unequal shares: of an epoch's two batches the last has one example.
        "task.train_data.batch_size=3,trainer.train_steps=24,"
        "trainer.checkpoint_interval=5,trainer.patience=null,"
        f"task.test_data.input_path={folder}/test.txt,"
        "runtime.distribution_strategy=multi_worker_mirrored",
    ]


def arrays(folder):
    """What the last checkpoint in a folder holds."""
    reader = tf.train.load_checkpoint(str(folder))
    return {
        name: reader.get_tensor(name)
        for name in reader.get_variable_to_shape_map()
        if not name.startswith(("save_counter", "_CHECKPOINTABLE"))
    }


def results(folder):
    found = json.loads((folder / "results.json").read_text())
    for name in ("command", "date", "seconds"):
        del found[name]
    return found


def test_a_worker_is_killed(tmp_path):
    """The end is that of an undisturbed run, bit for bit."""
    tiny_ner.write_data(tmp_path)
    tiny_elmo.export(tmp_path / "bilm")
    whole = tmp_path / "whole"
    with WorkerGroup(
        train_command(tmp_path, whole), 3, tmp_path / "whole_log"
    ) as group:
        group.finish()
        assert [end.returncode for end in group.ends] == [0, 0, 0]
        printed = [
            json.loads(group.printed(index).splitlines()[-1])
            for index in range(3)
        ]
    # What the first one has measured all of them know.
    assert printed == [json.loads((whole / "results.json").read_text())] * 3
    # A file for the training data, one for validation and test.
    assert len(os.listdir(tmp_path / "cache")) == 2

    killed = tmp_path / "killed"
    with WorkerGroup(
        train_command(tmp_path, killed), 3, tmp_path / "killed_log"
    ) as group:
        group.wait_for(killed / "ckpt-10.index")
        group.kill(0)
        group.finish()
    worker_group.check_restarts(group, killed=0)
    for folder in ("", "best"):
        actual, expected = arrays(killed / folder), arrays(whole / folder)
        assert actual.keys() == expected.keys() and len(actual) > 15
        for name, value in expected.items():
            assert np.array_equal(actual[name], value), name
    assert results(killed) == results(whole)
    assert sorted(os.listdir(killed)) == sorted(os.listdir(whole))
