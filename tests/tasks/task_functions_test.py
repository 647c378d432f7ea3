import keras
import numpy as np
import pytest
import tensorflow as tf

from tasks.config import CharacterEncoderConfig
from tasks.config import ElmoConfig
from tasks.config import TaskConfig
from tasks.elmo.elmo_source import ElmoSource
from tasks.ner.experiments import NERConfig
from tasks.ner.task import NERTask
from tasks.task import Task
from tasks.task_functions import TaskFunctions
from tasks.task_model import TaskModel
from tasks.task_shape import TaskShape
from tests.tasks import tiny_elmo
from tests.tasks import tiny_ner

SENTENCES = [*tiny_ner.TEST_TOKENS, [], ["x" * 60, "</S>", "—"]]
SHAPE = TaskShape(
    state={"classes": tiny_ner.CLASSES},
    vocabulary_size=6,
    word_dim=3,
    elmo_fingerprint=None,
)


@pytest.fixture(scope="module")
def vocabulary_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("vocabulary") / "vocab.txt"
    path.write_text("ann\noslo\nin\neu\n")
    return str(path)


@pytest.fixture(scope="module")
def bilm(tmp_path_factory):
    return tiny_elmo.export(tmp_path_factory.mktemp("elmo") / "bilm")


def randomize(model):
    generator = np.random.default_rng(0)
    for weight in model.weights:
        weight.assign(generator.normal(size=weight.shape))


def make_tagger(vocabulary_file, bilm, location="input_and_output"):
    """A configuration, and its task model with random weights."""
    config = NERConfig(
        elmo=ElmoConfig(saved_model=bilm, location=location, cache=False),
        character_encoder=CharacterEncoderConfig(filters=4),
        lstm_units=(4,),
    )
    task = NERTask(config)
    task.restore(SHAPE.state)
    source = ElmoSource(config.elmo) if config.elmo.is_used else None
    task_model = TaskModel(task, SHAPE, vocabulary_file, source)
    randomize(task_model.model)
    return config, task_model


def expected_answers(task_model, sentences):
    """The answers to each sentence by itself, as the binaries compute them."""

    class Example:
        def __init__(self, tokens):
            self.tokens = tokens

    answers = []
    for tokens in sentences:
        example = Example(tuple(tokens))
        inputs = task_model.input_maker([example], "test")([example])
        decoded = task_model.task.decode(task_model.model(inputs))
        answers.append(
            {name: value.numpy()[0] for name, value in decoded.items()}
        )
    return answers


def check_answers(found, expected, sentences):
    for row, tokens in enumerate(sentences):
        n = len(tokens)
        tags = found["tags"][row].numpy()
        assert tags[:n].tolist() == expected[row]["tags"].tolist()
        assert set(tags[n:]) <= {b""}
        np.testing.assert_allclose(
            found["tag_probabilities"][row, :n],
            expected[row]["tag_probabilities"],
            rtol=1e-3,
            atol=1e-5,
        )
        np.testing.assert_allclose(
            found["probability"][row], expected[row]["probability"], rtol=1e-3
        )


def padded(sentences, filler="oslo", time=7):
    return tf.constant(
        [[*tokens, *[filler] * (time - len(tokens))] for tokens in sentences]
    )


def lengths_of(sentences):
    return tf.constant([len(tokens) for tokens in sentences])


@pytest.mark.slow
@pytest.mark.parametrize("location", ["none", "input_and_output"])
def test_the_same_answers(vocabulary_file, bilm, location, tmp_path):
    config, task_model = make_tagger(vocabulary_file, bilm, location)
    functions = TaskFunctions(config, task_model, "whitespace")
    signatures = functions.signatures()
    assert sorted(signatures) == ["default", "tokens"]
    expected = expected_answers(task_model, SENTENCES)
    # They tell the sentences apart.
    assert len({tuple(answer["tags"]) for answer in expected}) == 5
    tokens, lengths = padded(SENTENCES), lengths_of(SENTENCES)
    check_answers(
        signatures["tokens"](tokens=tokens, sequence_len=lengths),
        expected,
        SENTENCES,
    )
    strings = tf.constant([f" {'  '.join(tokens)}" for tokens in SENTENCES])
    found = signatures["default"](strings=strings)
    check_answers(found, expected, SENTENCES)
    np.testing.assert_array_equal(
        found["tokens"],
        tf.where(tf.sequence_mask(lengths, 5), tokens[:, :5], ""),
    )
    # What does not fit.
    with pytest.raises(tf.errors.InvalidArgumentError):
        signatures["tokens"](tokens=tokens, sequence_len=lengths + 3)
    # Through a file, what was there being changed meanwhile.
    tf.saved_model.save(functions, f"{tmp_path}/model", signatures=signatures)
    for weight in task_model.model.weights:
        weight.assign(tf.zeros_like(weight))
    loaded = tf.saved_model.load(f"{tmp_path}/model").signatures
    check_answers(loaded["default"](strings=strings), expected, SENTENCES)


@pytest.mark.slow
def test_a_bilm_of_the_package(vocabulary_file, tmp_path):
    config, task_model = make_tagger(vocabulary_file, "mini")
    functions = TaskFunctions(config, task_model, "whitespace")
    expected = expected_answers(task_model, SENTENCES)
    tf.saved_model.save(
        functions, f"{tmp_path}/model", signatures=functions.signatures()
    )
    loaded = tf.saved_model.load(f"{tmp_path}/model").signatures
    for _ in range(2):
        # The second time, it remembers the words.
        check_answers(
            loaded["tokens"](
                tokens=padded(SENTENCES), sequence_len=lengths_of(SENTENCES)
            ),
            expected,
            SENTENCES,
        )


def test_tokenizer(vocabulary_file):
    config, task_model = make_tagger(vocabulary_file, "none", "none")
    found = TaskFunctions(config, task_model, "penn_treebank").signatures()[
        "default"
    ](strings=tf.constant(["It isn't Oslo.", "No."]))
    assert found["tokens"].numpy().tolist() == [
        [b"It", b"is", b"n't", b"Oslo", b"."],
        [b"No", b".", b"", b"", b""],
    ]
    tokens = [["It", "is", "n't", "Oslo", "."], ["No", "."]]
    check_answers(found, expected_answers(task_model, tokens), tokens)


class PairTask(Task):
    """Compares the lengths and the words of two texts."""

    text_fields = ("left", "right")

    def make_model(self, inputs):
        outputs = {}
        for field in self.text_fields:
            vectors = inputs.token_vectors(field)
            outputs[field] = keras.ops.sum(
                keras.ops.where(inputs.mask(field)[..., None], vectors, 0.0),
                axis=[1, 2],
            )
        return keras.Model(inputs.keras_inputs, outputs)

    def decode(self, outputs):
        return {"difference": outputs["left"] - outputs["right"]}

    def texts(self, example):
        return example

    read = learn = state = restore = check = targets = None
    loss = combine = predictions = metrics = write = None


def test_two_texts(vocabulary_file):
    config = TaskConfig(elmo=ElmoConfig(location="none"))
    task_model = TaskModel(PairTask(config), SHAPE, vocabulary_file, None)
    randomize(task_model.model)
    signatures = TaskFunctions(config, task_model, "whitespace").signatures()
    left = [["Ann", "in", "Oslo"], ["EU"]]
    right = [["Oslo"], ["in", "in"]]
    (table,) = task_model.model.get_layer("word_embedding").get_weights()
    ids = {"Ann": 2, "Oslo": 3, "in": 4, "EU": 5}
    expected = [
        sum(table[ids[word]].sum() for word in one)
        - sum(table[ids[word]].sum() for word in other)
        for one, other in zip(left, right, strict=True)
    ]
    found = signatures["tokens"](
        left_tokens=padded(left),
        left_sequence_len=lengths_of(left),
        right_tokens=padded(right, time=4),
        right_sequence_len=lengths_of(right),
    )
    np.testing.assert_allclose(found["difference"], expected, rtol=1e-5)
    found = signatures["default"](
        left=tf.constant(list(map(" ".join, left))),
        right=tf.constant(list(map(" ".join, right))),
    )
    np.testing.assert_allclose(found["difference"], expected, rtol=1e-5)
    assert sorted(found) == ["difference", "left_tokens", "right_tokens"]
    assert found["right_tokens"].numpy().tolist() == [
        [b"Oslo", b""],
        [b"in", b"in"],
    ]
