import io
import json
import zlib

import keras
import numpy as np
import pytest
import tensorflow as tf

from elmo_tf.errors import InputError
from tasks.config import CharacterEncoderConfig
from tasks.config import ElmoConfig
from tasks.elmo.elmo_layers import ElmoLayers
from tasks.layers.crf import LinearChainCRF
from tasks.ner.experiments import NERConfig
from tasks.ner.metrics import score
from tasks.ner.task import NERTask
from tasks.predictor import Predictor
from tasks.task_model import TaskModel
from tasks.task_shape import TaskShape
from tasks.text.tags import read_spans
from tasks.text.tags import tag_set
from tests.reference import crf as crf_reference
from tests.tasks import tiny_ner

ELMO_SHAPE = (3, 6)


class FakeElmoLayers(ElmoLayers):
    """Layers that depend on the words before and after, as a biLM's."""

    @property
    def shape(self):
        return ELMO_SHAPE

    def of(self, sentences):
        return [
            np.array(
                [
                    np.random.default_rng(
                        [i, zlib.crc32(" ".join(sentence).encode())]
                    ).normal(size=ELMO_SHAPE)
                    for i in range(len(sentence))
                ]
            )
            for sentence in sentences
        ]


class FakeElmoSource:
    shape = ELMO_SHAPE

    def layers(self, sentences, name):
        return FakeElmoLayers()


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    tiny_ner.write_data(folder)
    return folder


def make_task(encoding="BIOUL"):
    task = NERTask(
        NERConfig(
            elmo=ElmoConfig(location="input_and_output"),
            encoding=encoding,
            character_encoder=CharacterEncoderConfig(filters=4),
            lstm_units=(4,),
        )
    )
    task.restore({"classes": tiny_ner.CLASSES})
    return task


@pytest.fixture(scope="module", params=["BIO", "BIOUL"])
def task_model(request, data):
    """A tagger with random weights, under which invalid tags are likely."""
    (data / "vocab.txt").write_text("Ann\nOslo\nin\nEU\n")
    task_model = TaskModel(
        make_task(request.param),
        TaskShape(
            state={}, vocabulary_size=6, word_dim=3, elmo_fingerprint=None
        ),
        str(data / "vocab.txt"),
        FakeElmoSource(),
    )
    generator = np.random.default_rng(0)
    for weight in task_model.model.weights:
        weight.assign(2.0 * generator.normal(size=weight.shape))
    return task_model


@pytest.fixture
def examples(task_model, data):
    return task_model.task.read(str(data / "train.txt"))


def decode(task_model, examples):
    task = task_model.task
    inputs = task_model.input_maker(examples, "examples")(examples)
    return {
        name: value.numpy()
        for name, value in task.decode(task_model.model(inputs)).items()
    }


class TestDecode:
    def test_equals_the_reference(self, task_model, examples):
        task, model = task_model.task, task_model.model
        decoded = decode(task_model, examples)
        inputs = task_model.input_maker(examples, "examples")(examples)
        scores = model(inputs)["scores"].numpy()
        tags = tag_set(tiny_ner.CLASSES, task.config.encoding)
        transitions, start, end = model.get_layer("crf").get_weights()
        for row, example in enumerate(examples):
            length = len(example.tokens)
            assert decoded["tags"][row, length:].tolist() == (
                [b""] * (len(decoded["tags"][row]) - length)
            )
            np.testing.assert_array_equal(
                decoded["tag_probabilities"][row, length:], 0
            )
            # All sequences of more than three of 17 tags are too many.
            if length > 3:
                continue
            found = [
                tags.index(tag.decode())
                for tag in decoded["tags"][row, :length]
            ]
            weights = {
                "transitions": transitions,
                "start_scores": start,
                "end_scores": end,
            }
            marginals = crf_reference.marginals(scores[row, :length], weights)
            np.testing.assert_allclose(
                decoded["tag_probabilities"][row, :length],
                marginals[range(length), found],
                rtol=1e-3,
                atol=1e-5,
            )
            assert decoded["probability"][row] == pytest.approx(
                np.exp(
                    crf_reference.log_likelihood(
                        scores[row, :length], found, weights
                    )
                ),
                rel=1e-3,
            )

    def test_valid_sequences_only(self, task_model, examples):
        """Whatever the scores: without the constraint some would not be."""
        task, model = task_model.task, task_model.model
        tags = np.array(tag_set(tiny_ner.CLASSES, task.config.encoding))
        crf = model.get_layer("crf")
        generator = np.random.default_rng(0)
        scores = tf.constant(
            generator.normal(size=(50, 7, len(tags))), tf.float32
        )
        lengths = generator.integers(1, 8, size=50)
        mask = tf.sequence_mask(lengths, 7)
        outputs = {"scores": scores, "mask": mask, **crf(scores, mask=mask)}
        decoded = task.decode(outputs)["tags"].numpy()
        n_invalid = 0
        for row, length in enumerate(lengths):
            found = [tag.decode() for tag in decoded[row, :length]]
            read_spans(found, task.config.encoding)
            try:
                best = tags[scores[row, :length].numpy().argmax(axis=1)]
                read_spans(best.tolist(), task.config.encoding)
            except InputError:
                n_invalid += 1
        assert n_invalid > 25


class TestCombine:
    def test_geometric_mean_of_the_distributions(self, data):
        """Normalised, over all sequences of three words."""
        generator = np.random.default_rng(1)
        task = make_task("BIO")
        n_tags = len(task.labels)
        models, outputs = [], []
        for _ in range(3):
            scores = generator.normal(size=(2, 3, n_tags)).astype(np.float32)
            model = keras.Sequential([LinearChainCRF(n_tags, name="crf")])
            model.build((None, None, n_tags))
            for weight in model.weights:
                weight.assign(generator.normal(size=weight.shape))
            models.append(model)
            outputs.append(
                {
                    "scores": tf.constant(scores),
                    "mask": tf.ones((2, 3), tf.bool),
                }
            )
        before = [weight.numpy() for weight in models[0].weights]
        combined = tf.function(lambda: task.combine(models, outputs))()
        for weight, value in zip(models[0].weights, before, strict=True):
            np.testing.assert_array_equal(weight.numpy(), value)
        for row in range(2):
            members = [
                crf_reference.distribution(
                    output["scores"][row],
                    dict(
                        zip(
                            ("transitions", "start_scores", "end_scores"),
                            model.get_weights(),
                            strict=True,
                        )
                    ),
                )
                for model, output in zip(models, outputs, strict=True)
            ]
            means = {
                tags: np.mean([member[tags] for member in members])
                for tags in members[0]
            }
            total = np.log(np.sum(np.exp(list(means.values()))))
            best = max(means, key=means.get)
            assert tuple(combined["tags"][row].numpy()) == best
            assert combined["log_probability"][row].numpy() == pytest.approx(
                means[best] - total, abs=1e-4
            )
            first = sum(
                np.exp(value - total)
                for tags, value in means.items()
                if tags[0] == best[0]
            )
            assert combined["marginals"][
                row, 0, best[0]
            ].numpy() == pytest.approx(first, abs=1e-4)

    def test_one_member_twice_is_that_member(self, task_model, examples):
        task, model = task_model.task, task_model.model
        outputs = model(task_model.input_maker(examples, "examples")(examples))
        combined = task.combine([model, model], [outputs, outputs])
        assert combined.keys() == outputs.keys()
        for name, value in outputs.items():
            np.testing.assert_allclose(combined[name], value, atol=1e-5)


class TestPredictions:
    def predict(self, task_model, examples, batch_size):
        return Predictor(
            task_model.task, [task_model.model], batch_size
        ).predict(examples, [task_model.input_maker(examples, "examples")])

    @pytest.mark.parametrize("batch_size", [2, 3, 10])
    def test_batches_make_no_difference(self, task_model, examples, batch_size):
        expected = self.predict(task_model, examples, 1)
        assert [len(tags) for tags in expected] == [5, 7, 3, 1]
        # They tell the examples apart.
        assert len({tuple(tags) for tags in expected}) == 4
        order = np.random.default_rng(batch_size).permutation(4)
        found = self.predict(
            task_model, [examples[i] for i in order], batch_size
        )
        assert found == [expected[i] for i in order]

    def test_padding_makes_no_difference(self, task_model, examples):
        together = decode(task_model, examples)
        for row, example in enumerate(examples):
            alone = decode(task_model, [example])
            length = len(example.tokens)
            assert alone["tags"].shape == (1, length)
            np.testing.assert_array_equal(
                together["tags"][row, :length], alone["tags"][0]
            )
            np.testing.assert_allclose(
                together["tag_probabilities"][row, :length],
                alone["tag_probabilities"][0],
                rtol=1e-4,
                atol=1e-6,
            )
            np.testing.assert_allclose(
                together["probability"][row],
                alone["probability"][0],
                rtol=1e-3,
            )

    def test_text_not_bytes(self, task_model, examples):
        decoded = {"tags": np.array([[b"B-\xc3\x84", b"O", b""]])}
        (found,) = task_model.task.predictions(examples[3:], decoded)
        assert found == ["B-Ä"]


class TestLoss:
    def test_targets(self, task_model, examples):
        task = task_model.task
        tags = tag_set(tiny_ner.CLASSES, task.config.encoding)
        (targets,) = task.targets(examples).values()
        assert targets.dtype == np.int32
        assert targets.shape == (4, 7)
        for row, example in zip(targets, examples, strict=True):
            length = len(example.tags)
            assert [tags[i] for i in row[:length]] == list(example.tags)
            assert not row[length:].any()

    def test_equals_the_reference(self, task_model, examples):
        task, model = task_model.task, task_model.model
        # All sequences of more than three of 17 tags are too many.
        examples = examples[2:]
        inputs = task_model.input_maker(examples, "examples")(examples)
        outputs = model(inputs)
        targets = task.targets(examples)
        losses = task.loss(model, outputs, targets)
        assert losses.dtype == tf.float32
        transitions, start, end = model.get_layer("crf").get_weights()
        expected = [
            -crf_reference.log_likelihood(
                outputs["scores"].numpy()[row, : len(example.tags)],
                targets["tags"][row, : len(example.tags)],
                {
                    "transitions": transitions,
                    "start_scores": start,
                    "end_scores": end,
                },
            )
            for row, example in enumerate(examples)
        ]
        np.testing.assert_allclose(losses, expected, rtol=1e-4, atol=1e-4)

    def test_padding_makes_no_difference(self, task_model, examples):
        task, model = task_model.task, task_model.model

        def losses(examples):
            inputs = task_model.input_maker(examples, "examples")(examples)
            return task.loss(model, model(inputs), task.targets(examples))

        np.testing.assert_allclose(
            losses(examples),
            np.concatenate([losses([example]) for example in examples]),
            rtol=1e-4,
            atol=1e-4,
        )


class TestLabels:
    def test_state(self, data):
        task = make_task()
        task.learn(task.read(str(data / "train.txt")))
        state = json.loads(json.dumps(task.state()))
        assert state == {"classes": tiny_ner.CLASSES}
        other = NERTask(NERConfig())
        other.restore(state)
        assert other.state() == state

    def test_the_order_of_the_examples_makes_no_difference(self, data):
        task = make_task()
        task.learn(task.read(str(data / "train.txt"))[::-1])
        assert task.state() == {"classes": tiny_ner.CLASSES}

    def test_nothing_to_learn(self, data):
        (data / "no_entity.txt").write_text("a O\nb O\n")
        task = make_task()
        with pytest.raises(InputError) as error:
            task.learn(task.read(f"{data}/no_entity.txt"))
        assert str(error.value) == (
            f"{data}/no_entity.txt: found no entity, expected some to learn "
            "from"
        )

    def test_check(self, data):
        task = make_task()
        examples = task.read(str(data / "test.txt"))
        task.check(examples)
        task.restore({"classes": ["LOC", "ORG"]})
        with pytest.raises(InputError) as error:
            task.check(examples)
        assert str(error.value) == (
            f"{data}/test.txt:3: found an entity of the class PER, expected "
            "one of the training data's: LOC, ORG"
        )


class TestFiles:
    def test_the_columns_of_the_configuration(self, data):
        (data / "columns.txt").write_text("B-X Ann 7\n")
        task = NERTask(NERConfig(token_column=1, tag_column=0, encoding="BIO"))
        path = str(data / "columns.txt")
        (example,) = task.read(path)
        assert task.texts(example) == [("Ann",)]
        assert example.tags == ("B-X",)
        (example,) = task.read_to_predict(path)
        assert task.texts(example) == [("Ann",)]
        assert example.tags is None

    @pytest.mark.parametrize("encoding", ["BIO", "BIOUL"])
    def test_the_encoding_of_the_configuration(self, data, encoding):
        example, *_ = make_task(encoding).read(str(data / "test.txt"))
        assert list(example.tags) == (
            ["B-PER", "O", "B-LOC", "B-LOC", "O"]
            if encoding == "BIO"
            else ["U-PER", "O", "U-LOC", "U-LOC", "O"]
        )

    def test_write(self, data):
        task = make_task()
        examples = task.read(str(data / "test.txt"))
        file = io.StringIO()
        task.write(examples, [list(example.tags) for example in examples], file)
        lines = file.getvalue().splitlines()
        # The first line of each, the last two of which are equal here.
        assert lines[3] == "Bergen NNP I-NP B-LOC B-LOC"
        assert all(
            line.split()[-1] == line.split()[-2] for line in lines if line
        )


def test_metrics(data):
    task = make_task()
    examples = task.read(str(data / "test.txt"))
    gold = [list(example.tags) for example in examples]
    predicted = [list(tags) for tags in gold]
    # One entity in place of two, another one missed.
    predicted[0][2:4] = ["B-LOC", "L-LOC"]
    predicted[2][3] = "O"
    found = task.metrics(examples, predicted)
    expected = score(gold, predicted)
    by_class = expected.pop("by_class")
    assert {name: found[name] for name in expected} == expected
    assert {name: found[name] for name in found if name not in expected} == {
        f"f1/{label}": by_class[label]["f1"] for label in by_class
    }
    assert task.metric in found
    # Correct: Ann, Zürich, Bo Ek. Six in truth, four found.
    assert found["f1"] == pytest.approx(2 * 3 / (6 + 4))
    assert (found["f1/PER"], found["f1/ORG"]) == (1, 0)
    assert found["f1/LOC"] == pytest.approx(2 * 1 / (3 + 2))
    assert json.loads(json.dumps(found)) == found
