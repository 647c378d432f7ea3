import subprocess
import sys

import numpy as np
import pytest
import tensorflow as tf

from tasks.text.word_lookup import WordLookup
from tasks.text.word_vocabulary import WordVocabulary

WORDS = ["the", "The", ". .", "\u0085", "ps0", "0", "οδος", "naïve"]
WORDS += ["'s", "``", '"', "n't", "n’t", "o'neill", "'0s"]
TOKENS = [
    *WORDS,
    *["’s", "“", "”", "N’T", "O’Neill", "’90s", "‘"],
    *["THE", "ΟΔΟΣ", "PS2", "1,000", "NAÏVE", "ps2", "unknown", ""],
    *[chr(code) for code in range(0x80, 0x600)],
]
FORMS = [
    dict(),
    dict(lowercase=True),
    dict(zero_numbers=True),
    dict(lowercase=True, zero_numbers=True),
]


@pytest.fixture
def path(tmp_path):
    path = str(tmp_path / "words.txt")
    letters = [chr(code) for code in range(0xE0, 0x500) if chr(code).islower()]
    WordVocabulary(WORDS + letters).save(path)
    return path


@pytest.mark.parametrize("kwargs", FORMS)
def test_agrees_with_the_vocabulary(path, kwargs):
    expected = WordVocabulary.load(path, **kwargs).ids(TOKENS)
    # Some of the tokens are unknown, but only some.
    assert 0.1 < (expected == 1).mean() < 0.9
    lookup = WordLookup(path, **kwargs)
    ids = lookup.ids(tf.constant(TOKENS))
    assert ids.dtype == tf.int32
    np.testing.assert_array_equal(ids, expected)
    in_graph = tf.function(lookup.ids)(tf.reshape(TOKENS, [2, -1]))
    np.testing.assert_array_equal(in_graph, expected.reshape([2, -1]))
    dataset = tf.data.Dataset.from_tensors(TOKENS).map(lookup.ids)
    np.testing.assert_array_equal(next(iter(dataset)), expected)


def test_padding(path):
    ids = WordLookup(path).ids(
        tf.constant([["the", "x", "the"], ["The", "the", ""]]),
        tf.constant([[True, True, False], [True, False, False]]),
    )
    np.testing.assert_array_equal(ids, [[2, 1, 0], [3, 0, 0]])


def test_saved_model_has_its_own_file(path, tmp_path):
    module = tf.Module()
    module.lookup = WordLookup(path, lowercase=True)
    module.ids = tf.function(
        module.lookup.ids,
        input_signature=[tf.TensorSpec([None], tf.string)],
    )
    tf.saved_model.save(module, str(tmp_path / "model"))
    (tmp_path / "words.txt").unlink()
    program = (
        "import sys, tensorflow as tf\n"
        "model = tf.saved_model.load('model')\n"
        "assert not {'elmo_tf', 'tasks'} & set(sys.modules)\n"
        "print(model.ids(tf.constant(['THE', 'naïve', 'x'])).numpy())\n"
    )
    output = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert output.splitlines()[-1] == "[2 9 1]"
