"""The benchmark of the attention's two forms."""

import json

import numpy as np
import pytest

from benchmarks.plain_similarity import PlainSimilarity
from bidaf_tf.layers.similarity import Similarity
from tests import binaries


def test_both_forms_agree():
    generator = np.random.default_rng(0)
    context = generator.normal(size=(3, 5, 4)).astype(np.float32)
    question = generator.normal(size=(3, 2, 4)).astype(np.float32)
    factored, plain = Similarity(), PlainSimilarity()
    expected = factored(context, question)
    plain.build(context.shape, question.shape)
    plain.set_weights(factored.get_weights())
    np.testing.assert_allclose(plain(context, question), expected, atol=1e-5)


@pytest.mark.slow
def test_what_it_prints():
    result = binaries.run(
        "benchmarks.attention",
        "--batch_size=16",
        "--context_length=200",
        "--question_length=40",
        "--hidden_size=32",
        "--steps=1",
    )
    assert result.returncode == 0, result.stderr
    *table, line = result.stdout.splitlines()
    names = [row.split("|")[1].strip() for row in table[2:]]
    assert names == [
        "attention flow, plain",
        "attention flow, factored",
        "BiDAF, plain",
        "BiDAF, factored",
    ]
    results = json.loads(line)["results"]
    for part in ("layer", "model"):
        assert results[part]["largest_difference_of_losses"] < 1e-4
        assert results[part]["plain"]["seconds_per_step"] > 0
    # Three vectors of 64 numbers for each pair of words.
    saved = (
        results["layer"]["plain"]["bytes_for_training"]
        - results["layer"]["factored"]["bytes_for_training"]
    )
    assert saved > 16 * 200 * 40 * 3 * 64 * 4
