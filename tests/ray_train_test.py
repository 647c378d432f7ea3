"""The example for Ray Train, run as a user runs it."""

import subprocess
import sys

import pytest
import yaml

from tests import binaries
from tests import tiny_pretraining as tiny

pytest.importorskip("ray")
pytestmark = pytest.mark.slow


def test_two_workers_under_ray(tmp_path):
    """They do what one process does."""
    corpus = tiny.make_corpus(tmp_path / "corpus")
    config_file = tmp_path / "config.yaml"
    config_file.write_text(
        yaml.safe_dump(
            tiny.make_options(corpus, 6, {"task.model.dropout": 0.0})
        ),
        encoding="utf-8",
    )
    arguments = ["--experiment=elmo/tiny", f"--config_file={config_file}"]
    result = subprocess.run(
        [
            *(sys.executable, "-m", "examples.ray_train", "--workers=2"),
            *arguments,
            f"--model_dir={tmp_path}/ray",
        ],
        env={
            **binaries.program_environment(),
            # Ray ends workers when other programs need the memory.
            "RAY_memory_monitor_refresh_ms": "0",
        },
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    config = yaml.safe_load((tmp_path / "ray" / "params.yaml").read_text())
    strategy = config["runtime"]["distribution_strategy"]
    assert strategy == "multi_worker_mirrored"
    one = binaries.run(
        "elmo_tf.train", *arguments, f"--model_dir={tmp_path}/one"
    )
    assert one.returncode == 0, one.stderr
    tiny.assert_same_run(tmp_path / "ray", tmp_path / "one", tolerance=1e-4)
