"""Pre-training by several workers, one of which is killed."""

import os

import pytest
import yaml

from elmo_tf.errors import LostWorkerError
from tests import tiny_pretraining as tiny
from tests import worker_group
from tests.worker_group import WorkerGroup

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return tiny.make_corpus(tmp_path_factory.mktemp("corpus"))


def train_command(folder, corpus, model_dir, **options):
    """The command line of a training with dropout, of three workers' rows."""
    path = folder / f"{model_dir.name}.yaml"
    options = {
        "task.model.lstm.n_layers": 2,
        "task.train_data.global_batch_size": 6,
        "trainer.checkpoint_interval": 5,
        "trainer.validation_interval": 20,
        "runtime.distribution_strategy": "multi_worker_mirrored",
        **options,
    }
    path.write_text(
        yaml.safe_dump(tiny.make_options(corpus, 40, options)),
        encoding="utf-8",
    )
    return [
        *tiny.train_command(path, model_dir),
        "--mode=train_and_eval",
    ]


def test_a_worker_is_killed(corpus, tmp_path):
    """The end is that of an undisturbed run, bit for bit."""
    whole = tmp_path / "whole"
    with WorkerGroup(
        train_command(tmp_path, corpus, whole), 3, tmp_path / "whole_log"
    ) as group:
        group.finish()
        assert [end.returncode for end in group.ends] == [0, 0, 0]
        assert group.printed(0) and "worker_1.tmp" not in os.listdir(whole)

    killed = tmp_path / "killed"
    with WorkerGroup(
        train_command(tmp_path, corpus, killed), 3, tmp_path / "killed_log"
    ) as group:
        group.wait_for(killed / "ckpt-15.index")
        group.kill(2)
        group.finish()
    worker_group.check_restarts(group, killed=2)
    tiny.assert_same_run(killed, whole)
    assert sorted(os.listdir(killed)) == sorted(os.listdir(whole))


def test_workers_with_different_options(corpus, tmp_path):
    model_dir = tmp_path / "model"
    first = train_command(tmp_path, corpus, model_dir)
    commands = [first, [*first, "--params_override=task.learning_rate=0.25"]]
    with WorkerGroup(commands, 2, tmp_path / "log") as group:
        group.finish()
    assert [end.returncode for end in group.ends] == [2, 2]
    errors = {end.worker: end.errors for end in group.ends}
    assert (
        "train.py: error: worker 1 of 2: found task.learning_rate 0.25, "
        "expected 0.5 as the first worker (0) has it\n"
    ) in errors[1]
    assert (
        "train.py: error: worker 0 of 2: found workers that were started with "
        "something else than the first one (0): 1; "
    ) in errors[0]
    assert not model_dir.exists()


def test_a_worker_that_never_comes(corpus, tmp_path):
    command = train_command(
        tmp_path, corpus, tmp_path / "model", **{"runtime.worker_timeout": 1}
    )
    with WorkerGroup([command], 1, tmp_path / "log", [2]) as group:
        group.wait_for_ends(1)
        (end,) = group.ends
    assert end.returncode == LostWorkerError.exit_code
    assert (
        "train.py: error: worker 0 of 2: found nobody within 1 seconds "
        "(runtime.worker_timeout) where TF_CONFIG has other workers: 1 "
        "(127.0.0.1:"
    ) in end.errors
