import keras
import numpy as np
import pytest

from tasks.coref.layers.candidate_spans import CandidateSpans
from tests import layer_checks
from tests.reference import coreference_model as reference_lib


def numbers(*sentence_lengths, time):
    found = [i for i, n in enumerate(sentence_lengths) for _ in range(n)]
    return found + [-1] * (time - len(found))


def spans_of(row):
    return [(first, first + width) for first, width in np.argwhere(row)]


@pytest.mark.parametrize("max_width", [1, 2, 3, 9])
def test_equals_the_reference(max_width):
    documents = [(3, 1, 4), (1,), (), (5, 2)]
    inputs = np.array([numbers(*lengths, time=8) for lengths in documents])
    layer = CandidateSpans(max_width)
    found = layer(inputs).numpy()
    assert found.shape == (4, 8, max_width)
    for row, lengths in zip(found, documents, strict=True):
        assert spans_of(row) == reference_lib.candidate_spans(
            lengths, max_width
        )


def test_in_a_model(tmp_path):
    layer_checks.check_config(CandidateSpans, dict(max_width=3))
    inputs = np.array([numbers(3, 1, 4, time=9)], np.int32)
    layer = CandidateSpans(3)
    layer_checks.check_symbolic_output(layer, {"inputs": inputs})
    layer_checks.check_saved_model(layer, {"inputs": inputs}, True, tmp_path)
    layer_checks.check_jit_compile(layer, {"inputs": inputs})
    assert layer(keras.Input([None], dtype="int32")).shape == (None, None, 3)


def test_error():
    with pytest.raises(ValueError, match="`max_width` should be positive"):
        CandidateSpans(0)
