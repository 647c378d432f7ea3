import keras
import numpy as np
import pytest
import tensorflow as tf

from tasks.config import CharacterEncoderConfig
from tasks.config import ElmoConfig
from tasks.model_inputs import ModelInputs
from tasks.ner.experiments import NERConfig
from tasks.ner.model import make_tagger
from tasks.text.tags import end_mask
from tasks.text.tags import start_mask
from tasks.text.tags import tag_set
from tasks.text.tags import transition_mask
from tests.reference import crf as crf_reference
from tests.reference.bilstm import bilstm
from tests.reference.character_encoder import character_encoder
from tests.reference.weighted_layer_sum import weighted_layer_sum

N_WORDS = 9
WORD_DIM = 4
N_LAYERS = 3
ELMO_DIM = 6
UNITS = (3, 5)
LENGTHS = (4, 1, 3)
TIME = 5
MASK = np.arange(TIME) < np.array(LENGTHS)[:, None]
TAGS = tag_set(["A"], "BIOUL")
MASKS = {
    "transition_mask": transition_mask(TAGS, "BIOUL"),
    "start_mask": start_mask(TAGS, "BIOUL"),
    "end_mask": end_mask(TAGS, "BIOUL"),
}
LOCATIONS = pytest.mark.parametrize(
    "location", ["none", "input", "output", "input_and_output"]
)


def make_model(location="input_and_output", **options):
    """A tiny tagger with random weights."""
    config = NERConfig(
        elmo=ElmoConfig(location=location),
        character_encoder=CharacterEncoderConfig(
            filters=7, embedding_dim=2, width=3
        ),
        lstm_units=UNITS,
        **options,
    )
    elmo_shape = (N_LAYERS, ELMO_DIM) if config.elmo.is_used else None
    inputs = ModelInputs(config, ("tokens",), N_WORDS, WORD_DIM, elmo_shape)
    model = make_tagger(config, inputs, TAGS)
    generator = np.random.default_rng(0)
    for weight in model.weights:
        weight.assign(generator.normal(size=weight.shape))
    return model


def make_inputs(model, padding_seed=0, time=TIME):
    """A batch in whose padding anything stands."""
    generator = np.random.default_rng(1)
    padding = np.random.default_rng(padding_seed)
    mask = np.pad(MASK, [(0, 0), (0, time - TIME)])

    def mixed(draw, *shape):
        values = draw(padding, (*mask.shape, *shape))
        values[mask] = draw(generator, (mask.sum(), *shape))
        return values

    character_ids = mixed(lambda g, shape: g.integers(1, 257, shape), 50)
    # Words of two characters and more, with what ends them.
    lengths = 2 + mixed(lambda g, shape: g.integers(9, size=shape))
    character_ids[np.arange(50) >= lengths[..., None]] = 261
    inputs = {
        "tokens_word_ids": mixed(
            lambda g, shape: g.integers(N_WORDS, size=shape)
        ).astype(np.int32),
        "tokens_mask": mask,
        "tokens_character_ids": character_ids.astype(np.int32),
        "tokens_elmo": mixed(
            lambda g, shape: g.normal(size=shape), N_LAYERS, ELMO_DIM
        ).astype(np.float32),
    }
    return {
        name: tf.constant(value)
        for name, value in inputs.items()
        if name in model.input
    }


def weights_of(model, name):
    return model.get_layer(name).get_weights()


def expected_scores(model, inputs):
    inputs = {name: value.numpy() for name, value in inputs.items()}

    def elmo(location):
        if f"elmo_{location}" not in [layer.name for layer in model.layers]:
            return []
        layer_weights, gamma = weights_of(model, f"elmo_{location}")
        return [
            weighted_layer_sum(
                inputs["tokens_elmo"], layer_weights, gamma, MASK
            )
        ]

    (table,) = weights_of(model, "word_embedding")
    vectors = [
        table[inputs["tokens_word_ids"]],
        character_encoder(
            inputs["tokens_character_ids"],
            *weights_of(model, "character_encoder"),
            mask=MASK,
        ),
        *elmo("input"),
    ]
    for index in range(len(UNITS)):
        weights = weights_of(model, f"bilstm_{index}")
        vectors = [
            bilstm(
                np.concatenate(vectors, axis=-1),
                [weights[:3], weights[3:]],
                MASK,
            )
        ]
        if index == 0:
            vectors += elmo("output")
    kernel, bias = weights_of(model, "scores")
    return vectors[0] @ kernel + bias


@LOCATIONS
def test_equals_the_reference(location):
    model = make_model(location)
    inputs = make_inputs(model)
    outputs = {name: value.numpy() for name, value in model(inputs).items()}
    expected = expected_scores(model, inputs)
    np.testing.assert_allclose(
        outputs["scores"][MASK], expected[MASK], rtol=1e-4, atol=1e-4
    )
    np.testing.assert_array_equal(outputs["mask"], MASK)
    crf = dict(
        zip(
            ("transitions", "start_scores", "end_scores"),
            weights_of(model, "crf"),
            strict=True,
        )
    )
    for row, length in enumerate(LENGTHS):
        scores = expected[row, :length]
        tags = crf_reference.viterbi(scores, crf, **MASKS)
        assert outputs["tags"][row].tolist() == [
            *tags,
            *[0] * (TIME - length),
        ]
        assert outputs["log_probability"][row] == pytest.approx(
            crf_reference.log_likelihood(scores, tags, crf), abs=1e-3
        )
        np.testing.assert_allclose(
            outputs["marginals"][row, :length],
            crf_reference.marginals(scores, crf),
            atol=1e-4,
        )


@LOCATIONS
def test_parameters(location):
    model = make_model(location)
    at_input = location in ("input", "input_and_output")
    at_output = location in ("output", "input_and_output")
    lowest_dim = WORD_DIM + 7 + at_input * ELMO_DIM
    next_dim = 2 * UNITS[0] + at_output * ELMO_DIM
    n_tags = 5
    assert model.count_params() == sum(
        [
            N_WORDS * WORD_DIM,
            260 * 2 + 3 * 2 * 7 + 7,
            (at_input + at_output) * (N_LAYERS + 1),
            2 * 4 * UNITS[0] * (lowest_dim + UNITS[0] + 1),
            2 * 4 * UNITS[1] * (next_dim + UNITS[1] + 1),
            (2 * UNITS[1] + 1) * n_tags,
            n_tags * n_tags + 2 * n_tags,
        ]
    )
    layers = [layer.name for layer in model.layers]
    assert ("elmo_input" in layers) == at_input
    assert ("elmo_output" in layers) == at_output
    names = [*layers, *model.input, *(weight.path for weight in model.weights)]
    assert any("elmo" in name for name in names) == (location != "none")


def test_each_location_has_weights_of_its_own():
    model = make_model("input_and_output")
    for location in ("input", "output"):
        inputs = make_inputs(model)
        before = model(inputs)["scores"].numpy()
        gamma = model.get_layer(f"elmo_{location}").gamma
        gamma.assign(gamma + 1.0)
        assert not np.allclose(model(inputs)["scores"], before)


def test_elmo_at_the_output_of_the_only_bilstm():
    """It reaches the scores, though there is no second biLSTM."""
    config = NERConfig(elmo=ElmoConfig(location="output"), lstm_units=(3,))
    inputs = ModelInputs(
        config, ("tokens",), N_WORDS, WORD_DIM, (N_LAYERS, ELMO_DIM)
    )
    model = make_tagger(config, inputs, TAGS)
    kernel, _ = weights_of(model, "scores")
    assert kernel.shape == (2 * 3 + ELMO_DIM, len(TAGS))


def test_padding_makes_no_difference():
    model = make_model()
    expected = model(make_inputs(model))
    longer = model(make_inputs(model, padding_seed=5, time=TIME + 3))
    for name in ("scores", "tags", "marginals"):
        np.testing.assert_allclose(
            longer[name].numpy()[:, :TIME][MASK],
            expected[name].numpy()[MASK],
            rtol=1e-5,
            atol=1e-5,
        )
    np.testing.assert_allclose(
        longer["log_probability"], expected["log_probability"], atol=1e-4
    )


def test_the_order_of_a_batch_makes_no_difference():
    model = make_model()
    inputs = make_inputs(model)
    expected = model(inputs)
    order = [2, 0, 1]
    permuted = model(
        {name: tf.gather(value, order) for name, value in inputs.items()}
    )
    for name, value in permuted.items():
        np.testing.assert_allclose(
            value, tf.gather(expected[name], order), rtol=1e-5, atol=1e-5
        )


@pytest.mark.parametrize("frozen", [False, True])
def test_every_weight_learns(frozen):
    model = make_model(
        word_vectors={"trainable": not frozen},
    )
    inputs = make_inputs(model)
    with tf.GradientTape() as tape:
        scores = model(inputs, training=True)["scores"]
        loss = -tf.reduce_sum(
            model.get_layer("crf").log_likelihood(
                scores, tf.ones(MASK.shape, tf.int32), tf.constant(MASK)
            )
        )
    gradients = tape.gradient(
        loss, [weight.value for weight in model.trainable_weights]
    )
    for weight, gradient in zip(
        model.trainable_weights, gradients, strict=True
    ):
        assert tf.reduce_any(tf.convert_to_tensor(gradient) != 0), weight.path
    assert [weight.path for weight in model.non_trainable_weights] == (
        ["word_embedding/embeddings"] if frozen else []
    )


class TestDropout:
    def differs(self, training, **options):
        model = make_model("none", **options)
        inputs = make_inputs(model)
        first, second = (
            model(inputs, training=training)["scores"].numpy()[MASK]
            for _ in range(2)
        )
        return not np.array_equal(first, second)

    def test_in_training_only(self):
        assert self.differs(True)
        assert not self.differs(False)

    def test_the_rate_of_the_configuration(self):
        assert not self.differs(True, dropout=0.0)
        model = make_model(dropout=0.25)
        for index in range(len(UNITS)):
            assert model.get_layer(f"bilstm_{index}").dropout == 0.25
        # ELMo has one of its own.
        assert model.get_layer("elmo_input").dropout == 0.5


def test_mixed_precision():
    inputs = make_inputs(make_model())
    expected = make_model()(inputs)
    keras.config.set_dtype_policy("mixed_bfloat16")
    try:
        model = make_model()
    finally:
        keras.config.set_dtype_policy("float32")
    assert model.get_layer("bilstm_0").compute_dtype == "bfloat16"
    outputs = model(inputs)
    for name in ("scores", "log_probability", "marginals"):
        assert outputs[name].dtype == tf.float32
        assert np.isfinite(outputs[name]).all()
    np.testing.assert_allclose(
        outputs["scores"].numpy()[MASK],
        expected["scores"].numpy()[MASK],
        atol=0.3,
    )


def test_a_sentence_without_words():
    model = make_model()
    inputs = make_inputs(model)
    inputs["tokens_mask"] = tf.zeros_like(inputs["tokens_mask"])
    outputs = model(inputs)
    assert np.isfinite(outputs["scores"]).all()
    np.testing.assert_array_equal(outputs["tags"], np.zeros_like(MASK))
    np.testing.assert_array_equal(outputs["log_probability"], np.zeros(3))
    none = {name: value[:, :0] for name, value in inputs.items()}
    assert model(none)["tags"].shape == (3, 0)
