import dataclasses
import json

import keras
import numpy as np
import pytest
import tensorflow as tf

from elmo_tf.config import BiLMConfig
from elmo_tf.language_model import BiLanguageModel
from elmo_tf.layers.log_uniform import log_uniform_candidates
from tests import layer_checks
from tests.reference import bilm as reference
from tests.reference import options as options_lib
from tests.reference import sampled_softmax

N_WORDS = 11
# Two directions, two rows, three steps; row 0 of the ids is padding.
WORDS = ["naïve", "<S>", "cat", "."]
WORD_INDEX = np.array([[[1, 2, 3], [4, 4, 0]], [[3, 1, 2], [2, 0, 0]]])
TARGETS = np.array([[[3, 0, 10], [5, 5, 7]], [[1, 2, 4], [9, 0, 0]]])
MASK = WORD_INDEX > 0
SEED = (7, 8)


def make_options(**shape):
    options = options_lib.make_options(
        **{"cell_clip": 0.4, "proj_clip": 0.3, "max_characters": 9, **shape}
    )
    options["n_tokens_vocab"] = N_WORDS
    return options


def make_model(options, n_negative_samples=None, **changes):
    config = BiLMConfig.from_dict({**options, **changes})
    model = BiLanguageModel(config, n_negative_samples, name="language_model")
    model.build()
    generator = np.random.default_rng(0)
    for variable in model.variables:
        variable.assign(0.6 * generator.normal(size=variable.shape))
    return model


def arguments(options):
    """The inputs of a call, cut to the directions that there are."""
    n = 2 if options["bidirectional"] else 1
    if "char_cnn" not in options:
        # A word's id plus one.
        inputs = np.where(MASK, WORD_INDEX * 2, 0)[:n]
        return inputs, TARGETS[:n], {"mask": MASK[:n]}
    size = options["char_cnn"]["max_characters_per_token"]
    ids = np.array(
        [[0] * size] + [reference.word_character_ids(w, size) for w in WORDS],
        np.int32,
    )
    return ids, TARGETS[:n], {"word_index": WORD_INDEX[:n], "mask": MASK[:n]}


def stack_weights(model, direction):
    """One direction's LSTMs under the names of the first direction."""
    weights = {}
    for layer, lstm in enumerate(model.bilm.stacks[direction].lstms):
        cell = f"RNN_0/RNN/MultiRNNCell/Cell{layer}/LSTMCell"
        weights[f"{cell}/W_0"] = np.concatenate(
            [lstm.kernel.numpy(), lstm.recurrent_kernel.numpy()]
        )
        weights[f"{cell}/B"] = lstm.bias.numpy()
        if lstm.has_projection:
            weights[f"{cell}/W_P_0"] = lstm.projection_kernel.numpy()
    return weights


def expected_tops(model, options, inputs, initial_state=None):
    """Each direction's top layer and final state in NumPy.

    Each direction reads in its own order, so nothing is reversed here.
    """
    vectors = model.bilm.token_encoder(inputs).numpy()
    tops = []
    states = []
    for direction in range(model.config.n_directions):
        index = WORD_INDEX[direction]
        x = vectors[index] if "char_cnn" in options else vectors[direction]
        layers, state = reference.lstm_stack(
            x,
            options,
            stack_weights(model, direction),
            0,
            None if initial_state is None else initial_state[direction],
            MASK[direction],
        )
        tops.append(layers[-1])
        states.append(state)
    return tops, states


SHAPES = {
    "two layers": {},
    "one direction": {"bidirectional": False},
    "one layer, no projection": {"n_layers": 1, "dim": 4},
    "word input": {"word_input": True},
    "no skip connections": {"use_skip_connections": False},
}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("starts", ["zero", "given"])
def test_exact_losses(shape, starts):
    options = make_options(**shape)
    model = make_model(options)
    inputs, targets, kwargs = arguments(options)
    initial_state = None
    if starts == "given":
        generator = np.random.default_rng(1)
        initial_state = tf.nest.map_structure(
            lambda part: generator.uniform(-0.3, 0.3, part.shape).astype("f"),
            model.zero_state(2),
        )
    losses, state = model(
        inputs, targets, initial_state=initial_state, **kwargs
    )
    tops, states = expected_tops(model, options, inputs, initial_state)
    expected = np.zeros(targets.shape)
    for direction, top in enumerate(tops):
        mask = MASK[direction]
        expected[direction][mask] = -sampled_softmax.full_log_probabilities(
            top[mask],
            targets[direction][mask],
            model.softmax.kernel.numpy(),
            model.softmax.bias.numpy(),
        )
    assert losses.dtype == tf.float32
    np.testing.assert_allclose(losses, expected, atol=1e-5)
    assert (losses.numpy()[~kwargs["mask"]] == 0).all()
    tf.nest.map_structure(
        lambda actual, wanted: np.testing.assert_allclose(
            actual, wanted, atol=1e-5
        ),
        state,
        [[list(layer) for layer in layers] for layers in states],
    )


def test_without_a_mask_every_position_counts():
    options = make_options()
    model = make_model(options)
    inputs, targets, kwargs = arguments(options)
    index = np.maximum(kwargs["word_index"], 1)
    for training in (False, True):
        plain, _ = model(inputs, targets, word_index=index, training=training)
        masked, _ = model(
            inputs,
            targets,
            word_index=index,
            mask=np.ones_like(MASK),
            training=training,
        )
        np.testing.assert_allclose(plain, masked, atol=1e-6)
        assert (plain.numpy() > 0).all()


def test_sampled_losses():
    """Each direction draws its own negatives; the softmax is shared."""
    options = make_options()
    model = make_model(options, n_negative_samples=4)
    inputs, targets, kwargs = arguments(options)
    losses, _ = model(
        inputs, targets, training=True, sample_seed=SEED, **kwargs
    )
    tops, _ = expected_tops(model, options, inputs)
    drawn = []
    for direction, top in enumerate(tops):
        mask = MASK[direction]
        candidates, n_draws = log_uniform_candidates(
            4, N_WORDS, tf.random.fold_in(SEED, direction)
        )
        drawn.append(set(candidates.numpy().tolist()))
        labels = targets[direction][mask]
        expected = sampled_softmax.sampled_softmax_loss(
            top[mask],
            labels,
            model.softmax.kernel.numpy(),
            model.softmax.bias.numpy(),
            candidates.numpy(),
            sampled_softmax.expected_count(labels, N_WORDS, float(n_draws)),
            sampled_softmax.expected_count(
                candidates.numpy(), N_WORDS, float(n_draws)
            ),
        )
        np.testing.assert_allclose(
            losses.numpy()[direction][mask], expected, rtol=1e-4, atol=1e-5
        )
    assert drawn[0] != drawn[1]
    # Exact where it is not training.
    exact, _ = model(inputs, targets, **kwargs)
    same, _ = make_model(options)(inputs, targets, **kwargs)
    np.testing.assert_array_equal(exact, same)
    assert np.abs(exact - losses).max() > 0.01


def test_dropout_depends_on_the_seed_alone():
    options = make_options()
    model = make_model(options, dropout=0.5)
    inputs, targets, kwargs = arguments(options)

    def losses(seed, training=True):
        return model(
            inputs, targets, training=training, dropout_seed=seed, **kwargs
        )[0].numpy()

    np.testing.assert_array_equal(losses(SEED), losses(SEED))
    assert np.abs(losses(SEED) - losses((7, 9))).max() > 0.01
    none, _ = make_model(options)(inputs, targets, **kwargs)
    np.testing.assert_array_equal(losses(SEED, training=False), none)
    with pytest.raises(ValueError):
        losses(None)


def test_the_last_output_is_dropped_too():
    """What goes into the softmax, besides the input of each LSTM."""
    options = make_options(n_layers=1, bidirectional=False)
    model = make_model(options, dropout=0.9)
    # The LSTM's output does not depend on its input, so only the dropout on
    # the output is left.
    (lstm,) = model.bilm.stacks[0].lstms
    lstm.kernel.assign(lstm.kernel * 0.0)
    model.softmax.bias.assign(np.zeros(N_WORDS))
    inputs, targets, kwargs = arguments(options)
    losses = []
    for i in range(20):
        loss, _ = model(
            inputs, targets, training=True, dropout_seed=(0, i), **kwargs
        )
        losses += loss.numpy()[kwargs["mask"]].tolist()
    # All four outputs are dropped at 0.9⁴ of the positions.
    uniform = np.isclose(losses, np.log(N_WORDS), atol=1e-5)
    assert 0.5 < uniform.mean() < 0.85


@pytest.mark.parametrize("name", SHAPES)
def test_every_weight_has_a_gradient(name):
    options = make_options(**SHAPES[name])
    model = make_model(options, n_negative_samples=5, dropout=0.1)
    inputs, targets, kwargs = arguments(options)
    with tf.GradientTape() as tape:
        losses, _ = model(
            inputs,
            targets,
            training=True,
            dropout_seed=SEED,
            sample_seed=SEED,
            **kwargs,
        )
        loss = tf.reduce_sum(losses)
    gradients = tape.gradient(loss, [v.value for v in model.variables])
    for variable, gradient in zip(model.variables, gradients, strict=True):
        assert np.abs(tf.convert_to_tensor(gradient)).max() > 0, variable.path
    by_word = {
        variable.path: isinstance(gradient, tf.IndexedSlices)
        for variable, gradient in zip(model.variables, gradients, strict=True)
        if variable.shape[0] == N_WORDS
    }
    assert len(by_word) == (3 if "word" in name else 2)
    assert all(by_word.values()), by_word


def test_the_variables_have_these_names():
    """Checkpoints hold them."""
    options = make_options(n_layers=1, filters=((1, 2),))
    names = [variable.path for variable in make_model(options).variables]
    encoder = "language_model/bilm/token_encoder"
    lstm_parts = ("kernel", "recurrent_kernel", "bias", "projection_kernel")
    assert sorted(names) == sorted(
        [
            *(
                f"{encoder}/{part}"
                for part in (
                    *("character_embedding", "kernel_0", "bias_0"),
                    *("projection_kernel", "projection_bias"),
                    *("highway_0/carry_kernel", "highway_0/carry_bias"),
                    *("highway_0/transform_kernel", "highway_0/transform_bias"),
                )
            ),
            *(
                f"language_model/bilm/{direction}/lstm_0/{part}"
                for direction in ("forward", "backward")
                for part in lstm_parts
            ),
            "language_model/softmax/kernel",
            "language_model/softmax/bias",
        ]
    )


def test_shared_table():
    options = make_options(word_input=True)
    model = make_model(options, share_embedding_softmax=True)
    assert model.softmax.kernel is model.bilm.token_encoder.embeddings
    assert len(model.variables) == len(model.trainable_variables)
    tables = [v for v in model.variables if tuple(v.shape) == (N_WORDS, 4)]
    assert len(tables) == 1


def test_config_round_trip():
    config = BiLMConfig.from_dict(make_options())
    model = BiLanguageModel(config, n_negative_samples=3, name="model")
    written = json.loads(json.dumps(model.get_config()))
    again = BiLanguageModel.from_config(written)
    assert again.config == config
    assert again.get_config() == model.get_config()
    layer_checks.check_config(
        BiLanguageModel,
        {
            "config": json.loads(json.dumps(dataclasses.asdict(config))),
            "n_negative_samples": 3,
        },
    )
    serialized = json.loads(json.dumps(keras.layers.serialize(model)))
    assert type(keras.layers.deserialize(serialized)) is BiLanguageModel


def test_states_stay_float32_in_mixed_precision():
    """A state with more digits than bfloat16 has goes in as it is."""
    options = make_options(n_layers=1)
    model = make_model(options)
    low = BiLanguageModel(model.config, dtype="mixed_bfloat16")
    low.build()
    low.set_weights(model.get_weights())
    # A state that a step carries on unchanged but for the forget gate's 1.
    for stack in low.bilm.stacks:
        for variable in stack.lstms[0].variables:
            variable.assign(variable * 0.0)
        bias = np.zeros(stack.lstms[0].bias.shape)
        bias[2 * 8 : 3 * 8] = 100.0
        stack.lstms[0].bias.assign(bias)
    inputs, targets, kwargs = arguments(options)
    state = [
        [[tf.fill([2, 8], 0.1234567), tf.fill([2, 4], 0.0)]] for _ in range(2)
    ]
    losses, final_state = low(inputs, targets, initial_state=state, **kwargs)
    assert losses.dtype == tf.float32
    for direction in final_state:
        cell, hidden = direction[0]
        assert cell.dtype == hidden.dtype == tf.float32
        np.testing.assert_allclose(cell, 0.1234567, rtol=1e-6)


def test_a_vocabulary_is_needed():
    options = make_options()
    del options["n_tokens_vocab"]
    with pytest.raises(ValueError, match="needs `n_tokens_vocab`, the size"):
        BiLanguageModel(BiLMConfig.from_dict(options))


def test_masks_cause_no_warning(recwarn):
    options = make_options()
    inputs, targets, kwargs = arguments(options)
    make_model(options)(inputs, targets, **kwargs)
    assert [str(w.message) for w in recwarn if "mask" in str(w.message)] == []
