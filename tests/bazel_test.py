"""Bazel builds every target and passes tests, in a copy and offline."""

import os
import shutil
import subprocess

import pytest

from tests.bazel import offline_workspace

TARGETS = (
    "//:tests/build_test",
    "//:tests/elmo_tf/layers/highway_test",
    "//:tests/elmo_tf/layers/stateless_dropout_test",
    "//:tests/elmo_tf/text/shards_test",
    "//:tests/elmo_tf/text/vocabulary_test",
    "//:tests/import_arrows_test",
)


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    """A copy of the checkout; skips where the old Bazel cannot run."""
    if "TEST_SRCDIR" in os.environ:
        pytest.skip("this is Bazel already")
    if shutil.which("bazel") is None:
        pytest.skip("no Bazel here (Debian, Ubuntu: bazel-bootstrap)")
    folder = tmp_path_factory.mktemp("bazel")
    version = subprocess.run(
        ["bazel", "--version"], cwd=folder, capture_output=True, text=True
    ).stdout.strip()
    # Debian's 4.2.3 calls itself so. Later versions have no native rules.
    if version != "bazel no_version" and not version.startswith("bazel 4."):
        pytest.skip(f"needs Bazel 4 of bazel-bootstrap, not {version!r}")
    with offline_workspace.OfflineWorkspace(folder) as workspace:
        yield workspace


@pytest.mark.slow
def test_bazel_builds_every_target(workspace):
    result = workspace.run("build", "//...")
    assert result.returncode == 0, result.stdout


@pytest.mark.slow
def test_bazel_passes_tests(workspace):
    result = workspace.run("test", *TARGETS)
    assert result.returncode == 0, result.stdout
    for target in TARGETS:
        assert any(
            line.startswith(target) and " PASSED in " in line
            for line in result.stdout.splitlines()
        ), result.stdout


@pytest.mark.slow
def test_bazel_says_that_a_failing_test_failed(workspace):
    # Without it, a target that runs no test at all would look like a pass.
    result = workspace.run(
        "test", "//:tests/import_arrows_test", "--test_filter=no_such_test"
    )
    assert result.returncode == 3, result.stdout
    assert "deselected" in result.stdout
