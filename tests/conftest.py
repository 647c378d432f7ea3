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


@pytest.fixture(autouse=True)
def fixed_seeds():
    """Starts every test from the same state of every global generator."""
    random.seed(0)
    np.random.seed(0)
    # Tests of plain Python code do not pay for importing TensorFlow.
    if "keras" in sys.modules:
        sys.modules["keras"].utils.set_random_seed(0)
