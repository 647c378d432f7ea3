import keras
import pytest

from elmo_tf.errors import InputError
from elmo_tf.training.experiment import experiment_config
from tasks import registry  # noqa: F401 (registers the experiments)
from tasks.model_inputs import ModelInputs
from tasks.pos.model import make_linear_tagger


def make_model(overrides="", word_dim=0):
    config = experiment_config("pos/linear", params_override=overrides).task
    inputs = ModelInputs(config, ("tokens",), 100, word_dim, (3, 8))
    return make_linear_tagger(inputs, ["DT", "NN", "VB"])


def test_nothing_but_a_linear_classifier_on_elmo():
    model = make_model()
    assert set(model.input) == {"tokens_mask", "tokens_elmo"}
    names = [weight.path for weight in model.weights]
    assert names == [
        *("elmo_input/layer_weights", "elmo_input/gamma"),
        *("scores/kernel", "scores/bias"),
    ]
    assert model.get_layer("scores").activation is keras.activations.linear
    assert model.get_layer("elmo_input").dropout == 0
    assert model.count_params() == 3 + 1 + 9 * 3


def test_one_layer():
    model = make_model("task.elmo.layers=1")
    assert model.get_layer("elmo_input").only_layer == 1
    assert model.count_params() == 1 + 9 * 3


def test_word_vectors_beside_it():
    model = make_model("task.word_vectors.dim=5", word_dim=5)
    assert model.get_layer("scores").kernel.shape == (13, 3)


@pytest.mark.parametrize("location", ["output", "input_and_output"])
def test_elmo_at_the_output(location):
    with pytest.raises(InputError) as error:
        experiment_config(
            "pos/linear",
            params_override=f"task.elmo.location={location},"
            "task.word_vectors.dim=5",
        )
    assert f"elmo.location: found {location}, expected input or none" in (
        str(error.value)
    )
