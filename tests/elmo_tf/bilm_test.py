import copy
import dataclasses
import json

import h5py
import keras
import numpy as np
import pytest
import tensorflow as tf

from elmo_tf.bilm import BiLM
from elmo_tf.config import BiLMConfig
from tests import layer_checks
from tests.reference import bilm as reference
from tests.reference import options as options_lib

N_WORDS = 9
SENTENCES = [
    ["The", "naïve", "café", "—", "opened", "."],
    ["x" * 60],
    ["", "<S>", "</S>", "\U0001f600"],
]
BASE = dict(
    dim=12,
    projection_dim=4,
    n_layers=2,
    cell_clip=0.6,
    proj_clip=0.3,
    use_skip_connections=True,
    filters=[[1, 3], [2, 4], [4, 5]],
    n_highway=2,
    embedding_dim=4,
)
SHAPES = {
    "base": {},
    "1 layer": dict(n_layers=1),
    "3 layers": dict(n_layers=3),
    "no skip connections": dict(use_skip_connections=False),
    "no clips": dict(cell_clip=None, proj_clip=None),
    "no LSTM projection": dict(dim=4),
    "no highway": dict(n_highway=0),
    "no CNN projection": dict(filters=[[1, 1], [3, 3]]),
    "no projection at all": dict(dim=12, projection_dim=12),
    "tanh": dict(activation="tanh"),
    "short words": dict(max_characters=5),
    "one direction": dict(bidirectional=False),
    "one direction, 1 layer": dict(bidirectional=False, n_layers=1),
    "word input": dict(word_input=True),
    "word input, one direction": dict(word_input=True, bidirectional=False),
    "word input, no projection": dict(word_input=True, dim=4, n_layers=3),
}


def options_of(name="base"):
    options = options_lib.make_options(**{**BASE, **SHAPES[name]})
    if "char_cnn" not in options:
        options["n_tokens_vocab"] = N_WORDS
    return options


def ids_of(options):
    """Ids of three sentences, the last two padded."""
    if "char_cnn" in options:
        return reference.sentences_character_ids(
            SENTENCES, options["char_cnn"]["max_characters_per_token"]
        )
    return np.array(
        [[1, 5, 9, 2, 2, 4], [1, 2, 0, 0, 0, 0], [7, 8, 3, 3, 0, 0]], np.int32
    )


def official_names(name):
    """From a variable's name to its dataset's and the rows it has there."""
    parts = name.split("/")
    if parts[0] == "token_encoder":
        part = parts[-1]
        if parts[1].startswith("highway_"):
            letter = "W" if part.endswith("_kernel") else "b"
            gate = part.split("_")[0]
            return f"CNN_high_{parts[1][8:]}/{letter}_{gate}"
        if part.startswith(("kernel_", "bias_")):
            return f"CNN/{'W' if part[0] == 'k' else 'b'}_cnn_{part[-1]}"
        return {
            "character_embedding": "char_embed",
            "projection_kernel": "CNN_proj/W_proj",
            "projection_bias": "CNN_proj/b_proj",
            "embeddings": "embedding",
        }[part]
    direction = ["forward", "backward"].index(parts[0])
    cell = f"RNN_{direction}/RNN/MultiRNNCell/Cell{parts[1][5:]}/LSTMCell"
    dataset = {
        "kernel": "W_0",
        "recurrent_kernel": "W_0",
        "bias": "B",
        "projection_kernel": "W_P_0",
    }[parts[2]]
    return f"{cell}/{dataset}"


def set_official_weights(layer, weights):
    """Puts the weights of an official file into a biLM."""
    used = set()
    for variable in layer.weights:
        name = variable.path.split("/", 1)[1]
        dataset = official_names(name)
        value = weights[dataset]
        if dataset.startswith("CNN/W_"):
            value = value[0]
        if name.endswith("/kernel"):
            value = value[: variable.shape[0]]
        if name.endswith("/recurrent_kernel"):
            value = value[-variable.shape[0] :]
        variable.assign(value)
        used.add(dataset)
    assert used == weights.keys()


def make_bilm(options, seed=1):
    """A biLM with random weights, so large that the clips are active."""
    layer = BiLM(BiLMConfig.from_dict(options))
    layer.build()
    weights = options_lib.random_weights(
        options, seed, n_words=N_WORDS, scale=1.5
    )
    set_official_weights(layer, weights)
    return layer, weights


def random_state(options, batch=3):
    generator = np.random.default_rng(8)
    lstm = options["lstm"]
    clips = lstm["cell_clip"] or 1.0, lstm["proj_clip"] or 1.0

    def part(width, clip):
        value = generator.uniform(-clip, clip, size=(batch, width))
        return value.astype(np.float32)

    return [
        [
            [
                part(lstm["dim"], clips[0]),
                part(lstm["projection_dim"], clips[1]),
            ]
            for _ in range(lstm["n_layers"])
        ]
        for _ in range(2 if options["bidirectional"] else 1)
    ]


@pytest.mark.parametrize("name", SHAPES)
class TestAgainstTheReference:
    def test_from_zeros(self, name):
        options = options_of(name)
        layer, weights = make_bilm(options)
        ids = ids_of(options)
        actual = layer(ids)
        expected = reference.bilm(ids, options, weights)
        layer_checks.assert_close(actual, expected, 1e-5)
        np.testing.assert_array_equal(
            actual["layers"].numpy()[~expected["mask"]], 0.0
        )

    def test_from_a_state_in_training(self, name):
        options = options_of(name)
        layer, weights = make_bilm(options)
        ids, state = ids_of(options), random_state(options)
        layer_checks.assert_close(
            layer(ids, initial_state=state, training=True),
            reference.bilm(ids, options, weights, state),
            1e-5,
        )

    def test_every_option_acts(self, name):
        # Otherwise the comparison would prove little.
        options = options_of(name)
        _, weights = make_bilm(options)
        ids = ids_of(options)
        expected = reference.bilm(ids, options, weights)["layers"]
        lstm = options["lstm"]
        changes = {"cell_clip": None}
        if lstm["dim"] != lstm["projection_dim"]:
            changes["proj_clip"] = None
        if lstm["n_layers"] > 1:
            changes["use_skip_connections"] = not lstm["use_skip_connections"]
        for key, value in changes.items():
            if lstm[key] == value:
                continue
            changed = copy.deepcopy(options)
            changed["lstm"][key] = value
            other = reference.bilm(ids, changed, weights)["layers"]
            assert np.abs(other - expected).max() > 1e-3, key


class TestGoldenFiles:
    def test_tiny_bilm(self, tiny_bilm_golden):
        options = json.loads((tiny_bilm_golden / "options.json").read_text())
        layer = BiLM(options)
        layer.build()
        set_official_weights(
            layer, options_lib.load_weights(tiny_bilm_golden / "weights.hdf5")
        )
        state = None
        with np.load(tiny_bilm_golden / "expected.npz") as expected:
            for i in (0, 1):
                result = layer(
                    expected[f"character_ids_{i}"], initial_state=state
                )
                state = result["final_state"]
                np.testing.assert_allclose(
                    result["layers"], expected[f"layers_{i}"], atol=1e-5
                )
                for direction in (0, 1):
                    for k in (0, 1):
                        cell, hidden = state[direction][k]
                        np.testing.assert_allclose(
                            cell, expected[f"cell_{i}"][direction, k], atol=1e-5
                        )
                        np.testing.assert_allclose(
                            hidden,
                            expected[f"hidden_{i}"][direction, k],
                            atol=1e-5,
                        )

    def test_bilm_tf(self, bilm_tf_golden):
        folder = bilm_tf_golden / "model"
        layer = BiLM(BiLMConfig.from_json_file(folder / "options.json"))
        layer.build()
        set_official_weights(
            layer, options_lib.load_weights(folder / "lm_weights.hdf5")
        )
        lists = json.loads(
            (folder / "lm_embeddings_sentences.json").read_text()
        )
        files = [
            h5py.File(folder / f"lm_embeddings_{k}.hdf5") for k in range(3)
        ]
        run = tf.function(layer, reduce_retracing=True)
        state = layer.zero_state(3)
        for i in range(10):
            sentences = [lists[k][i].split() for k in range(3)]
            ids = reference.sentences_character_ids(sentences)
            result = run(ids, initial_state=state)
            state = result["final_state"]
            for k in range(3):
                n = len(sentences[k])
                np.testing.assert_allclose(
                    result["layers"][k, 1 : n + 1, 2],
                    np.concatenate(list(files[k][str(i)]), axis=-1),
                    atol=1e-6,
                    rtol=1e-5,
                )
        for file in files:
            file.close()


class TestLayer:
    """What every layer has to pass, for characters and for words."""

    @pytest.mark.parametrize("name", ["base", "word input, one direction"])
    def test_layer(self, name, tmp_path):
        options = options_of(name)
        config = dataclasses.asdict(BiLMConfig.from_dict(options))
        init_kwargs = dict(config=config)
        inputs = {
            "inputs": ids_of(options),
            "initial_state": random_state(options),
        }
        layer_checks.check_config(BiLM, init_kwargs)
        layer, weights = make_bilm(options)
        n_batch, n_time = inputs["inputs"].shape[:2]
        width = 4 * (1 + options["bidirectional"])
        lstm = options["lstm"]
        layer_checks.check_output(
            layer,
            inputs,
            {
                "layers": (n_batch, n_time, 3, width),
                "mask": (n_batch, n_time),
                "final_state": [[[(n_batch, lstm["dim"]), (n_batch, 4)]] * 2]
                * (1 + options["bidirectional"]),
            },
            lambda _, inputs, initial_state: reference.bilm(
                inputs, options, weights, initial_state
            ),
            1e-5,
        )
        layer_checks.check_symbolic_output(layer, inputs)
        layer_checks.check_saved_model(layer, inputs, True, tmp_path)
        layer_checks.check_mixed_precision(
            BiLM, init_kwargs, inputs, layer, None, 0.1, False
        )
        layer_checks.check_gradients(layer, inputs)
        layer_checks.check_two_replicas(BiLM, init_kwargs, inputs, layer)

    def test_config_as_dict_and_as_object(self):
        options = options_of()
        config = BiLMConfig.from_dict(options)
        assert BiLM(options).config == config == BiLM(config).config

    def test_weights_by_number(self):
        layer, weights = make_bilm(options_of())
        # W_0 is two variables for each LSTM.
        assert len(layer.trainable_weights) == len(weights) + 4


class TestDistinctWords:
    def test_equal_to_each_word_by_itself(self):
        options = options_of()
        layer, _ = make_bilm(options)
        ids = ids_of(options)
        rows, word_index = np.unique(
            ids.reshape([-1, 50]), axis=0, return_inverse=True
        )
        assert len(rows) < ids.shape[0] * ids.shape[1]
        expected = layer(ids)
        actual = layer(rows, word_index=word_index.reshape(ids.shape[:2]))
        layer_checks.assert_close(actual, expected, 1e-6)

    def test_symbolic(self):
        layer, _ = make_bilm(options_of())
        result = layer(
            keras.Input(batch_shape=(None, 50), dtype="int32"),
            word_index=keras.Input((None,), dtype="int32"),
        )
        assert result["layers"].shape == (None, None, 3, 8)
        assert result["mask"].shape == (None, None)


class TestPadding:
    @pytest.mark.parametrize("name", ["base", "word input"])
    def test_a_sentence_does_not_depend_on_its_batch(self, name):
        options = options_of(name)
        layer, _ = make_bilm(options)
        ids = ids_of(options)
        together = layer(ids)
        for row in range(3):
            length = int(together["mask"].numpy()[row].sum())
            alone = layer(ids[row : row + 1, :length])
            np.testing.assert_allclose(
                alone["layers"][0], together["layers"][row, :length], atol=1e-6
            )
            for direction in (0, 1):
                layer_checks.assert_close(
                    [part[0] for part in alone["final_state"][direction][1]],
                    [
                        part[row]
                        for part in together["final_state"][direction][1]
                    ],
                    1e-6,
                )
        longer = np.pad(ids, [[0, 0], [0, 4]] + [[0, 0]] * (ids.ndim - 2))
        layers = layer(longer)["layers"].numpy()
        n_time = ids.shape[1]
        np.testing.assert_allclose(
            layers[:, :n_time], together["layers"], atol=1e-6
        )
        np.testing.assert_array_equal(layers[:, n_time:], 0.0)
        order = [2, 0, 1]
        np.testing.assert_allclose(
            layer(ids[order])["layers"],
            together["layers"].numpy()[order],
            atol=1e-6,
        )

    def test_given_mask(self):
        options = options_of()
        layer, weights = make_bilm(options)
        ids = ids_of(options)
        mask = np.arange(ids.shape[1]) < np.array([[3], [2], [0]])
        actual = layer(ids, mask=mask)
        layer_checks.assert_close(
            actual, reference.bilm(ids, options, weights, mask=mask), 1e-5
        )
        np.testing.assert_array_equal(actual["layers"].numpy()[~mask], 0.0)

    def test_a_row_of_padding_keeps_its_state(self):
        options = options_of()
        layer, _ = make_bilm(options)
        ids, state = ids_of(options), random_state(options)
        ids[1] = 0
        final_state = layer(ids, initial_state=state)["final_state"]
        for before, after in zip(
            tf.nest.flatten(state), tf.nest.flatten(final_state), strict=True
        ):
            np.testing.assert_array_equal(before[1], after[1])
            assert not np.array_equal(before[0], after[0])


class TestState:
    def test_zero_state_is_the_default(self):
        options = options_of()
        layer, _ = make_bilm(options)
        ids = ids_of(options)
        layer_checks.assert_equal(
            layer(ids, initial_state=layer.zero_state(3)), layer(ids)
        )

    def test_bfloat16_takes_the_state_in_float32(self):
        options = options_of()
        layer = BiLM(options, dtype="mixed_bfloat16")
        state = random_state(options)
        ids = np.zeros((3, 4, 50), np.int32)
        layer_checks.assert_equal(
            layer(ids, initial_state=state)["final_state"], state
        )


class TestDropout:
    def make(self):
        options = {**options_of(), "dropout": 0.5}
        return make_bilm(options)[0], ids_of(options)

    def test_only_in_training(self):
        layer, ids = self.make()
        plain, _ = make_bilm(options_of())
        layer_checks.assert_equal(layer(ids), plain(ids))

    def test_is_a_function_of_the_seed(self):
        layer, ids = self.make()

        def run(seed):
            return layer(ids, training=True, dropout_seed=seed)["layers"]

        np.testing.assert_array_equal(run((1, 2)), run((1, 2)))
        assert not np.array_equal(run((1, 2)), run((1, 3)))
        # The token layer is never dropped.
        np.testing.assert_allclose(
            run((1, 2))[:, :, 0], layer(ids)["layers"][:, :, 0], atol=1e-6
        )

    def test_directions_have_masks_of_their_own(self):
        layer, ids = self.make()
        forward, backward = layer.stacks
        for ours, theirs in zip(backward.weights, forward.weights, strict=True):
            ours.assign(theirs)
        # One token: both directions compute the same but for the masks.
        ids = ids[:, :1]
        plain = layer(ids)["layers"][:, 0, 1].numpy()
        np.testing.assert_allclose(plain[:, :4], plain[:, 4:], atol=1e-6)
        dropped = layer(ids, training=True, dropout_seed=(1, 2))
        dropped = dropped["layers"][:, 0, 1].numpy()
        assert not np.allclose(dropped[:, :4], dropped[:, 4:], atol=1e-3)

    def test_needs_a_seed(self):
        layer, ids = self.make()
        with pytest.raises(ValueError, match="needs `dropout_seed`"):
            layer(ids, training=True)


class TestErrors:
    def test_word_input_without_a_vocabulary(self):
        options = options_lib.make_options(word_input=True)
        with pytest.raises(
            ValueError, match="a word-input biLM needs `n_tokens_vocab`"
        ):
            BiLM(options)

    def test_options(self):
        options = options_of()
        del options["lstm"]["dim"]
        with pytest.raises(ValueError, match="`config`: lstm.dim"):
            BiLM(options)
