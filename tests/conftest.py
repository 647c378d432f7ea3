"""Set-up shared by all tests: the shared data folder, quiet and repeatable."""

import os
import pathlib
import random
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import pytest

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
SHARED_DATA_VARIABLE = "ELMO_TF_SHARED_DATA"


@pytest.fixture(scope="session")
def shared_data():
    """The folder with the data sets and golden files that are not committed.

    It is named by the environment variable ELMO_TF_SHARED_DATA, else it is the
    folder `shared` beside the repository. A test that asks for it is skipped
    where it is absent.
    """
    named = os.environ.get(SHARED_DATA_VARIABLE)
    folder = pathlib.Path(named) if named else REPOSITORY.parent / "shared"
    if not folder.is_dir():
        pytest.skip(
            f"no shared data folder at {folder} (set {SHARED_DATA_VARIABLE})"
        )
    return folder


@pytest.fixture(scope="session")
def bilm_tf_golden(shared_data):
    """The folder with the golden files of bilm-tf; skips where absent."""
    folder = shared_data / "golden" / "bilm-tf"
    if not folder.is_dir():
        pytest.skip(f"no golden files of bilm-tf at {folder}")
    return folder


@pytest.fixture(scope="session")
def tiny_bilm_golden():
    """The folder with the committed golden files of a tiny biLM."""
    return REPOSITORY / "tests" / "golden" / "tiny_bilm"


@pytest.fixture(scope="session", autouse=True)
def two_logical_devices():
    """Splits the CPU in two, so that a strategy can have two replicas.

    TensorFlow takes this only before it runs its first operation, hence
    before the first test and not in the test that needs it.
    """
    # Tests of plain Python code do not pay for importing TensorFlow.
    if "tensorflow" in sys.modules:
        tf_config = sys.modules["tensorflow"].config
        tf_config.set_logical_device_configuration(
            tf_config.list_physical_devices("CPU")[0],
            [tf_config.LogicalDeviceConfiguration() for _ in range(2)],
        )


@pytest.fixture(autouse=True)
def fixed_seeds():
    """Starts every test from the same state of every global generator."""
    random.seed(0)
    np.random.seed(0)
    if "keras" in sys.modules:
        sys.modules["keras"].utils.set_random_seed(0)
