"""The committed golden files are what the reference computes today."""

import json

import numpy as np
import pytest

from tests.golden import make_tiny_bilm
from tests.reference import options as options_lib


@pytest.fixture(scope="module")
def golden(tiny_bilm_golden):
    options = json.loads((tiny_bilm_golden / "options.json").read_text())
    weights = options_lib.load_weights(tiny_bilm_golden / "weights.hdf5")
    with np.load(tiny_bilm_golden / "expected.npz") as expected:
        return options, weights, dict(expected)


def test_expected_values(golden):
    options, weights, expected = golden
    again = make_tiny_bilm.expected_values(options, weights)
    assert again.keys() == expected.keys()
    for name, value in again.items():
        if value.dtype.kind == "f":
            np.testing.assert_allclose(expected[name], value, atol=1e-12)
        else:
            np.testing.assert_array_equal(expected[name], value)


def test_every_option_matters(golden):
    options, weights, _ = golden
    make_tiny_bilm.assert_every_option_matters(options, weights)


def test_clips_are_active_but_not_everywhere(golden):
    options, _, expected = golden
    for batch in (0, 1):
        for name, clip in (("cell", "cell_clip"), ("hidden", "proj_clip")):
            value = np.abs(expected[f"{name}_{batch}"])
            clipped = (value == options["lstm"][clip]).mean()
            assert 0.05 < clipped < 0.7, (name, clipped)


def test_main_writes_the_same_files(golden, tmp_path):
    options, weights, _ = golden
    make_tiny_bilm.main(tmp_path)
    assert json.loads((tmp_path / "options.json").read_text()) == options
    again = options_lib.load_weights(tmp_path / "weights.hdf5")
    assert again.keys() == weights.keys()
    for name, value in again.items():
        np.testing.assert_array_equal(value, weights[name])
    assert (tmp_path / "expected.npz").exists()
