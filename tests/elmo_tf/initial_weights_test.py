import numpy as np
import pytest
import tensorflow as tf

from elmo_tf.errors import InputError
from elmo_tf.initial_weights import read_initial_weights
from elmo_tf.language_model_batch import LanguageModelEncoder
from elmo_tf.model_dir import load_language_model
from elmo_tf.perplexity import PerplexityMeter
from elmo_tf.text.vocabulary import Vocabulary
from elmo_tf.weights import write_softmax
from elmo_tf.weights import write_weights
from tests import tiny_language_model
from tests import tiny_pretraining as tiny

OLD = Vocabulary(["<S>", "</S>", "<UNK>", "a", "b", "c", "naïve"])
# Some words are common, in another order and at other places.
NEW = Vocabulary(["</S>", "x", "<UNK>", "naïve", "b", "<S>", "y", "z", "w"])
COMMON = ["</S>", "<UNK>", "naïve", "b", "<S>"]

SENTENCES = [b"a b c".split(), b"naive a d".split(), [], b"b b c a".split()]


def values_of(model):
    return {variable.path: variable.numpy() for variable in model.variables}


def perplexity(model, vocabulary):
    meter = PerplexityMeter(
        model, LanguageModelEncoder(model.config, vocabulary)
    )
    return meter.measure(SENTENCES)


def make_state(model):
    generator = np.random.default_rng(2)
    return tf.nest.map_structure(
        lambda part: generator.normal(size=part.shape).astype(np.float32),
        model.zero_state(4),
    )


SHAPES = {
    "characters": {},
    "words": {"word_input": True},
    "one direction": {"bidirectional": False},
    "shared table": {
        "word_input": True,
        "options": {"share_embedding_softmax": True},
    },
}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_the_same_vocabulary(tmp_path, shape):
    trained = tiny_language_model.make(OLD, seed=1, **shape)
    tiny_language_model.save(trained, OLD, tmp_path, make_state(trained))
    model = tiny_language_model.make(OLD, seed=2, **shape)
    state = read_initial_weights(str(tmp_path), model, OLD)
    for path, value in values_of(trained).items():
        np.testing.assert_array_equal(value, values_of(model)[path])
    assert perplexity(model, OLD) == perplexity(trained, OLD)
    tf.nest.map_structure(
        lambda mean, rows: np.testing.assert_allclose(
            mean, rows.mean(axis=0, keepdims=True), atol=1e-6
        ),
        state,
        make_state(trained),
    )


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_another_vocabulary(tmp_path, shape):
    """Common words keep their rows, the others start as they were."""
    trained = tiny_language_model.make(OLD, seed=1, **shape)
    tiny_language_model.save(trained, OLD, tmp_path, make_state(trained))
    model = tiny_language_model.make(NEW, seed=2, **shape)
    before = values_of(model)
    read_initial_weights(str(tmp_path), model, NEW)
    after = values_of(model)
    tables = 0
    for path, trained_value in values_of(trained).items():
        if len(trained_value) != len(OLD):
            np.testing.assert_array_equal(after[path], trained_value)
            continue
        tables += 1
        for word in NEW.tokens:
            row = after[path][NEW.id(word)]
            if word in COMMON:
                expected = trained_value[OLD.id(word)]
            else:
                expected = before[path][NEW.id(word)]
            np.testing.assert_array_equal(row, expected, err_msg=word)
    assert tables == (3 if shape == {"word_input": True} else 2)


def test_an_official_file(tmp_path, caplog):
    """It has no softmax and no state."""
    trained = tiny_language_model.make(OLD, seed=1)
    path = str(tmp_path / "weights.hdf5")
    write_weights(path, trained.bilm)
    model = tiny_language_model.make(NEW, seed=2)
    before = values_of(model)
    state = read_initial_weights(path, model, NEW)
    for name, value in values_of(model).items():
        expected = before if "softmax" in name else values_of(trained)
        np.testing.assert_array_equal(value, expected[name])
    for part in tf.nest.flatten(state):
        assert part.shape[0] == 1
        np.testing.assert_array_equal(part, 0.0)
    assert f"{path} has no softmax: it starts at random" in caplog.text


@pytest.mark.parametrize("vocabulary", [OLD, NEW], ids=["same", "another"])
def test_an_exported_softmax_beside_the_file(tmp_path, caplog, vocabulary):
    trained = tiny_language_model.make(OLD, seed=1)
    write_weights(str(tmp_path / "weights.hdf5"), trained.bilm)
    write_softmax(str(tmp_path / "softmax.h5"), trained.softmax)
    OLD.save(str(tmp_path / "vocab.txt"))
    model = tiny_language_model.make(vocabulary, seed=2)
    before = values_of(model)
    read_initial_weights(str(tmp_path / "weights.hdf5"), model, vocabulary)
    after = values_of(model)
    tables = 0
    for path, trained_value in values_of(trained).items():
        if "softmax" not in path:
            np.testing.assert_array_equal(after[path], trained_value)
            continue
        tables += 1
        for word in vocabulary.tokens:
            expected = before[path][vocabulary.id(word)]
            if word in OLD:
                expected = trained_value[OLD.id(word)]
            np.testing.assert_array_equal(
                after[path][vocabulary.id(word)], expected, err_msg=word
            )
    assert tables == 2
    assert "starts at random" not in caplog.text


def test_an_exported_softmax_without_its_vocabulary(tmp_path):
    trained = tiny_language_model.make(OLD, seed=1)
    write_weights(str(tmp_path / "weights.hdf5"), trained.bilm)
    write_softmax(str(tmp_path / "softmax.h5"), trained.softmax)
    model = tiny_language_model.make(OLD, seed=2)
    with pytest.raises(InputError, match=r"vocab\.txt: cannot be read"):
        read_initial_weights(str(tmp_path / "weights.hdf5"), model, OLD)


@pytest.mark.parametrize(
    "trained, ours, message",
    [
        ({"dim": 9}, {}, "its lstm is LSTMOptions(dim=9, "),
        ({"n_layers": 2}, {}, "its lstm is LSTMOptions(dim=8, "),
        ({"n_highway": 2}, {}, "its char_cnn is CharCNNOptions(filters="),
        ({"word_input": True}, {}, "its char_cnn is None, but task.model."),
        (
            {"bidirectional": False},
            {},
            "its bidirectional is False, but task.model.bidirectional is True",
        ),
        (
            {"word_input": True},
            {"word_input": True, "options": {"share_embedding_softmax": True}},
            "share_embedding_softmax differs",
        ),
    ],
)
def test_another_shape(tmp_path, trained, ours, message):
    trained = tiny_language_model.make(OLD, **trained)
    tiny_language_model.save(trained, OLD, tmp_path, make_state(trained))
    model = tiny_language_model.make(OLD, seed=2, **ours)
    before = values_of(model)
    with pytest.raises(InputError) as info:
        read_initial_weights(str(tmp_path), model, OLD)
    assert str(info.value).startswith(
        f"task.init_weights={tmp_path}: {message}"
    )
    for path, value in values_of(model).items():
        np.testing.assert_array_equal(value, before[path])


def test_another_dropout_is_fine(tmp_path):
    trained = tiny_language_model.make(OLD, options={"dropout": 0.5})
    tiny_language_model.save(trained, OLD, tmp_path, make_state(trained))
    model = tiny_language_model.make(OLD, seed=2)
    read_initial_weights(str(tmp_path), model, OLD)
    np.testing.assert_array_equal(
        model.softmax.bias.numpy(), trained.softmax.bias.numpy()
    )


def test_what_is_missing(tmp_path):
    model = tiny_language_model.make(OLD)
    for source, message in (
        (tmp_path / "none", f"{tmp_path}/none: no such file"),
        (tmp_path, f"{tmp_path}: holds no checkpoint"),
    ):
        with pytest.raises(InputError) as info:
            read_initial_weights(str(source), model, OLD)
        assert str(info.value) == message


def test_an_official_file_of_another_shape(tmp_path):
    path = str(tmp_path / "weights.hdf5")
    write_weights(path, tiny_language_model.make(OLD, dim=9).bilm)
    model = tiny_language_model.make(OLD)
    with pytest.raises(InputError, match="has the shape .* expected "):
        read_initial_weights(path, model, OLD)


@pytest.fixture(scope="module")
def pretrained(tmp_path_factory):
    """The corpus, folder and validation of a pre-training."""
    corpus = tiny.make_corpus(tmp_path_factory.mktemp("corpus"))
    folder = tmp_path_factory.mktemp("pretrained")
    with pytest.MonkeyPatch.context() as patch:
        result = tiny.pretrain(
            patch, tiny.make_config(corpus, 30), folder, "train_and_eval"
        )
    return corpus, folder, result


def test_fine_tuning_starts_where_the_pre_training_ended(
    pretrained, tmp_path, monkeypatch
):
    """With a learning rate of nearly nothing, and the folder's vocabulary."""
    corpus, folder, expected = pretrained
    config = tiny.make_config(
        corpus,
        1,
        {
            "task.vocab_file": "",
            "task.init_weights": str(folder),
            "task.learning_rate": 1e-30,
            "task.model.dropout": 0.0,
        },
    )
    tiny.pretrain(monkeypatch, config, tmp_path)
    model, vocabulary = load_language_model(str(tmp_path))
    trained, _ = load_language_model(str(folder))
    for path, value in values_of(trained).items():
        np.testing.assert_array_equal(values_of(model)[path], value)
    assert perplexity(model, vocabulary) == perplexity(trained, vocabulary)
    arrays = tiny.checkpoint_arrays(tmp_path)
    steps = [value for name, value in arrays.items() if "iteration" in name]
    assert steps == [1]
    accumulators = [
        value for name, value in arrays.items() if "accumulator" in name
    ]
    # From 1, not from where the pre-training's had got to.
    assert max(value.max() for value in accumulators) < max(
        value.max()
        for name, value in tiny.checkpoint_arrays(folder).items()
        if "accumulator" in name
    )
    assert min(value.min() for value in accumulators) == 1.0


@pytest.mark.slow
def test_fine_tuning_is_better_than_a_random_start(
    pretrained, tmp_path, monkeypatch
):
    corpus, folder, expected = pretrained
    options = {"task.learning_rate": 1e-3}
    results = [
        tiny.pretrain(
            monkeypatch,
            tiny.make_config(
                corpus, 2, {**options, "task.init_weights": start}
            ),
            tmp_path / name,
            "train_and_eval",
        )["average_perplexity"]
        for name, start in (("random", ""), ("tuned", str(folder)))
    ]
    assert results[1] < results[0]
    # The state that blocks start from differs a little.
    assert results[1] == pytest.approx(expected["average_perplexity"], rel=0.1)


@pytest.mark.slow
def test_a_fine_tuning_goes_on_with_its_own_weights(
    pretrained, tmp_path, monkeypatch
):
    """Started again, it does not go back to the pre-training's."""
    corpus, folder, _ = pretrained
    options = {"task.init_weights": str(folder)}
    for name, parts in (("whole", [4]), ("cut", [2, 4])):
        for steps in parts:
            tiny.pretrain(
                monkeypatch,
                tiny.make_config(corpus, steps, options),
                tmp_path / name,
            )
    tiny.assert_same_run(tmp_path / "cut", tmp_path / "whole")
