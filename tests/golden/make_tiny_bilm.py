"""Makes the golden files of a tiny biLM with the NumPy reference.

    python -m tests.golden.make_tiny_bilm [FOLDER]

The published golden files have no skip connections and no active projection
clip; these have both, with a clip of the cell state that is active too. Two
batches of three sentences run one after the other, the second from the final
state of the first.

FOLDER (by default the folder `tiny_bilm` beside this file) gets

*   `options.json` and `weights.hdf5` in the official formats;
*   `expected.npz`: for batch 0 and 1, `tokens_{batch}` `[3, time]` (str,
    without boundaries, "" at padding), `sequence_len_{batch}` `[3]`,
    `character_ids_{batch}` `[3, time + 2, 50]`, `layers_{batch}`
    `[3, time + 2, 3, 16]` with the boundaries, and the final states
    `cell_{batch}` `[2, 2, 3, 24]` and `hidden_{batch}` `[2, 2, 3, 8]`
    (direction, layer, sentence, unit).
"""

import copy
import json
import pathlib
import sys

import numpy as np

from tests.reference import bilm
from tests.reference import options as options_lib

BATCHES = [
    [
        ["The", "U.S.", "naïve", "café", "—", "opened", "."],
        ["Yes"],
        # 66 bytes of UTF-8, cut after 48, and a token without characters.
        ["日本語" * 6 + "学校都市", "", "'s", "<UNK>"],
    ],
    [
        ["A", "second", "batch", "carries", "on"],
        ["with", "the", "state", "of", "the", "first", "!"],
        ["😀", "<S>", "</S>"],
    ],
]


def make_options():
    return options_lib.make_options(
        dim=24,
        projection_dim=8,
        n_layers=2,
        cell_clip=0.8,
        proj_clip=0.4,
        use_skip_connections=True,
        filters=[[1, 8], [2, 8], [3, 12], [5, 4]],
        n_highway=2,
    )


def expected_values(options, weights):
    """Returns the dict of arrays of `expected.npz`."""
    expected = {}
    state = None
    for i, sentences in enumerate(BATCHES):
        lengths = np.array([len(sentence) for sentence in sentences])
        tokens = np.zeros((len(sentences), lengths.max()), "<U30")
        for row, sentence in enumerate(sentences):
            tokens[row, : len(sentence)] = sentence
        ids = bilm.sentences_character_ids(sentences)
        result = bilm.bilm(ids, options, weights, state)
        state = result["final_state"]
        expected[f"tokens_{i}"] = tokens
        expected[f"sequence_len_{i}"] = lengths
        expected[f"character_ids_{i}"] = ids
        expected[f"layers_{i}"] = result["layers"]
        expected[f"cell_{i}"] = np.array(
            [[cell for cell, _ in direction] for direction in state]
        )
        expected[f"hidden_{i}"] = np.array(
            [[hidden for _, hidden in direction] for direction in state]
        )
    return expected


def assert_every_option_matters(options, weights):
    """Raises an AssertionError if an option has no effect on the output."""
    real = expected_values(options, weights)["layers_0"]
    changes = {
        "cell_clip": {"cell_clip": None},
        "proj_clip": {"proj_clip": None},
        "skip connections": {"use_skip_connections": False},
    }
    for name, change in changes.items():
        changed = copy.deepcopy(options)
        changed["lstm"].update(change)
        other = expected_values(changed, weights)["layers_0"]
        assert np.abs(other - real).max() > 0.05, f"{name} has no effect"


def main(folder):
    options = make_options()
    weights = options_lib.random_weights(options, seed=2018, scale=1.5)
    assert_every_option_matters(options, weights)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "options.json").write_text(json.dumps(options) + "\n")
    options_lib.save_weights(folder / "weights.hdf5", weights)
    np.savez_compressed(
        folder / "expected.npz", **expected_values(options, weights)
    )


if __name__ == "__main__":
    main(
        pathlib.Path(sys.argv[1])
        if len(sys.argv) > 1
        else pathlib.Path(__file__).parent / "tiny_bilm"
    )
