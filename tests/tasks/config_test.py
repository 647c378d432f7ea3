"""Options that all tasks share."""

import pydantic
import pytest

from elmo_tf.errors import InputError
from elmo_tf.training.experiment import experiment_config
from elmo_tf.training.overrides import override
from elmo_tf.training.overrides import to_dict
from tasks import registry  # noqa: F401 (registers the experiments)
from tasks.config import CharacterEncoderConfig
from tasks.config import ElmoConfig

WIDTH = "task.character_encoder.width"
LAYERS = "task.elmo.layers"


@pytest.mark.parametrize(
    "value, widths", [(3, (3,)), ([3], (3,)), ([3, 4, 5], (3, 4, 5))]
)
def test_one_width_of_filters_or_several(value, widths):
    config = override(experiment_config("ner/conll2003"), {WIDTH: value}, "")
    assert config.task.character_encoder.width == widths
    # As it is saved and loaded.
    written = to_dict(config)
    assert written["task"]["character_encoder"]["width"] == [*widths]
    assert pydantic.TypeAdapter(type(config)).validate_python(written) == config
    assert CharacterEncoderConfig(width=value).width == widths


@pytest.mark.parametrize(
    "value, message",
    [
        (0, "width.0: input should be greater than 0, found 0"),
        ([3, 0], "width.1: input should be greater than 0, found 0"),
        ([], "width: found [], expected a width or different ones"),
        ([3, 4, 3], "width: found [3, 4, 3], expected a width or different on"),
        ("wide", "width: input should be a valid tuple, found 'wide'"),
    ],
)
def test_wrong_widths(value, message):
    with pytest.raises(InputError) as error:
        override(experiment_config("ner/conll2003"), {WIDTH: value}, "test")
    assert str(error.value).startswith(
        f"test: task.character_encoder.{message}"
    )


@pytest.mark.parametrize(
    "value, only_layer", [("all", None), ("top", -1), (0, 0), (2, 2)]
)
def test_all_layers_or_one(value, only_layer):
    config = override(experiment_config("ner/conll2003"), {LAYERS: value}, "")
    assert config.task.elmo.only_layer == only_layer
    written = to_dict(config)
    assert written["task"]["elmo"]["layers"] == value
    assert pydantic.TypeAdapter(type(config)).validate_python(written) == config
    assert ElmoConfig(layers=value).layers == value


@pytest.mark.parametrize("value", [-1, "1", "bottom", 0.5, True, [0]])
def test_wrong_layers(value):
    with pytest.raises(InputError) as error:
        override(experiment_config("ner/conll2003"), {LAYERS: value}, "test")
    assert str(error.value) == (
        f"test: task.elmo.layers: found {value!r}, expected all, top or the "
        "number of a layer, from 0 on"
    )
