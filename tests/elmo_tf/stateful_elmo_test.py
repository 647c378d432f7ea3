import json

import h5py
import keras
import numpy as np
import pytest

from elmo_tf.embedder import Elmo
from elmo_tf.errors import InputError
from elmo_tf.stateful_elmo import StatefulElmo
from tests.reference import bilm as reference

# The tolerance of the tests of bilm-tf and AllenNLP.
TOLERANCE = dict(atol=1e-6, rtol=1e-5)


@pytest.fixture
def stateful(official_files):
    return StatefulElmo(*official_files.paths)


class Reference:
    """Rows that carry their states, in NumPy."""

    def __init__(self, files):
        self.files = files
        self.states = {}

    def embed(self, batch):
        results = []
        for row, tokens in enumerate(batch):
            outputs = reference.bilm(
                reference.sentences_character_ids([tokens]),
                self.files.options,
                self.files.weights,
                self.states.get(row),
            )
            self.states[row] = outputs["final_state"]
            results.append(np.swapaxes(outputs["layers"][0, 1:-1], 0, 1))
        return results


def check(actual, expected, **tolerance):
    assert len(actual) == len(expected)
    for left, right in zip(actual, expected, strict=True):
        assert left.shape == right.shape and left.dtype == np.float32
        np.testing.assert_allclose(left, right, **(tolerance or TOLERANCE))


class TestGolden:
    def test_tiny_bilm(self, tiny_bilm_golden):
        elmo = StatefulElmo(
            tiny_bilm_golden / "options.json",
            tiny_bilm_golden / "weights.hdf5",
        )
        expected = np.load(tiny_bilm_golden / "expected.npz")
        for batch in range(2):
            lengths = expected[f"sequence_len_{batch}"]
            sentences = [
                tokens[:n].tolist()
                for tokens, n in zip(
                    expected[f"tokens_{batch}"], lengths, strict=True
                )
            ]
            layers = expected[f"layers_{batch}"]
            check(
                elmo.embed(sentences),
                [
                    np.swapaxes(row[1 : n + 1], 0, 1)
                    for row, n in zip(layers, lengths, strict=True)
                ],
            )

    def test_bilm_tf(self, bilm_tf_golden):
        folder = bilm_tf_golden / "model"
        elmo = StatefulElmo(folder / "options.json", folder / "lm_weights.hdf5")
        sentences = json.loads(
            (folder / "lm_embeddings_sentences.json").read_text()
        )
        assert [len(row) for row in sentences] == [10] * 3
        # Each of the three lists is a row of all batches.
        for batch in range(10):
            rows = [row[batch].split() for row in sentences]
            expected = []
            for row in range(3):
                with h5py.File(folder / f"lm_embeddings_{row}.hdf5") as file:
                    # [directions, n, 16], of the top layer alone
                    forward, backward = file[str(batch)][()]
                expected.append(np.concatenate([forward, backward], axis=-1))
            check(elmo.embed(rows, layers="top"), expected)


class TestState:
    BATCHES = [
        [["the", "bank"], ["a"], ["x" * 60, "", "—"]],
        [["of", "the", "river", "."]],
        [[], ["b", "c"]],
        [["more"], ["rows"], ["than"], ["before"], []],
        [["the", "bank"], ["a"], ["x"], ["y"], ["z"]],
    ]

    def test_rows_carry_their_states(self, stateful, official_files):
        """Batches smaller and larger than the one before."""
        expected = Reference(official_files)
        for batch in self.BATCHES:
            check(
                stateful.embed(batch),
                expected.embed(batch),
                atol=2e-6,
                rtol=1e-5,
            )

    def test_reset(self, stateful):
        first = stateful.embed(self.BATCHES[0])
        second = stateful.embed(self.BATCHES[0])
        assert np.abs(first[0] - second[0]).max() > 0.01
        stateful.reset()
        check(stateful.embed(self.BATCHES[0]), first, atol=0, rtol=0)

    def test_first_batch_is_that_of_elmo(self, stateful, official_files):
        elmo = Elmo.from_weights(*official_files.paths)
        batch = self.BATCHES[0]
        check(stateful.embed(batch), elmo.embed(batch), atol=1e-6)

    def test_layers(self, stateful):
        batch = self.BATCHES[0]
        every = stateful.embed(batch)
        stateful.reset()
        top = stateful.embed(batch, layers="top")
        check(top, [array[-1] for array in every], atol=0, rtol=0)
        stateful.reset()
        average = stateful.embed(batch, layers="average")
        check(average, [array.mean(axis=0) for array in every], atol=1e-6)

    def test_nothing(self, stateful):
        assert stateful.embed([]) == []
        first, second = stateful.embed([[], []])
        assert first.shape == second.shape == (3, 0, 8)

    def test_traced_once(self, stateful):
        for batch in self.BATCHES:
            stateful.embed(batch)
        assert stateful._run.experimental_get_tracing_count() == 1


def test_keras_policy_does_not_matter(stateful, official_files):
    expected = stateful.embed(TestState.BATCHES[0])
    keras.config.set_dtype_policy("mixed_bfloat16")
    try:
        low = StatefulElmo(*official_files.paths)
    finally:
        keras.config.set_dtype_policy("float32")
    check(low.embed(TestState.BATCHES[0]), expected)


class TestMistakes:
    @pytest.mark.parametrize(
        "batch, message",
        [
            (["raw"], "batch[0]: found 'raw', expected a list of strings"),
            ("raw", "batch[0]: found 'r', expected a list of strings"),
            (
                [["a"], ["b", 1]],
                "batch[1]: found ['b', 1], expected a list of strings",
            ),
        ],
    )
    def test_batch(self, stateful, batch, message):
        with pytest.raises(InputError) as error:
            stateful.embed(batch)
        assert str(error.value) == message

    def test_layers(self, stateful):
        with pytest.raises(InputError) as error:
            stateful.embed([["a"]], layers="bottom")
        assert str(error.value) == (
            "layers: found 'bottom', expected one of all, top, average"
        )

    def test_word_input(self, word_files):
        with pytest.raises(InputError) as error:
            StatefulElmo(*word_files.paths)
        assert str(error.value) == (
            f"{word_files.options_file}: StatefulElmo needs a biLM that reads "
            "characters, found no char_cnn"
        )
