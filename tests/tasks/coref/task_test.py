"""Coreference as a task, by hand and the whole way round."""

import dataclasses
import io
import json

import numpy as np
import pytest
import tensorflow as tf

from elmo_tf.errors import InputError
from tasks.config import ElmoConfig
from tasks.coref.conll_file import read_conll
from tasks.coref.experiments import CorefConfig
from tasks.coref.json_lines import read_json_lines
from tasks.coref.json_lines import write_json_lines
from tasks.coref.metrics import score_documents
from tasks.coref.task import CorefTask
from tasks.elmo.elmo_source import ElmoSource
from tasks.task_functions import TaskFunctions
from tasks.task_model import TaskModel
from tasks.task_shape import TaskShape
from tests import binaries
from tests.tasks import tiny_elmo
from tests.tasks.coref import small_documents

DOCUMENTS = [
    small_documents.make(
        "Ann met Bob . / She likes him",
        [[(0, 0), (4, 4)], [(2, 2), (6, 6)]],
        key="nw/a",
        speaker="Eve",
    ),
    small_documents.make("Hi", key="b"),
]


@pytest.fixture
def task():
    return CorefTask(CorefConfig(genres=("bc", "nw"), max_span_width=2))


def make_model_inputs(task, documents):
    lengths = [len(document.tokens) for document in documents]
    tokens = tf.constant([["x"] * max(lengths)] * len(documents))
    extra = {
        name: tf.convert_to_tensor(value, task.extra_inputs[name].dtype)
        for name, value in task.extra_values(documents).items()
    }
    return task.make_model_inputs([(tokens, tf.constant(lengths))], extra)


def test_what_the_model_reads(task):
    inputs = make_model_inputs(task, DOCUMENTS)
    assert inputs["sentence_lengths"].numpy().tolist() == [[4, 3], [1, 0]]
    assert inputs["sentence_numbers"].numpy().tolist() == [
        [0, 0, 0, 0, 1, 1, 1],
        [0, -1, -1, -1, -1, -1, -1],
    ]
    assert inputs["genre"].numpy().tolist() == [2, 0]
    speakers = inputs["speakers"].numpy()
    assert speakers.shape == (2, 7) and len(set(speakers[0])) == 1
    assert speakers[0, 0] != speakers[1, 0]
    assert task.texts(DOCUMENTS[0]) == [DOCUMENTS[0].tokens]
    assert task.sentences(DOCUMENTS[0]) == [DOCUMENTS[0].sentences]


def test_speakers_within_a_document(task):
    document = dataclasses.replace(
        DOCUMENTS[0], speakers=(("A", "B", "A", "A"), ("B", "B", "A"))
    )
    (numbers,) = make_model_inputs(task, [document])["speakers"].numpy()
    assert [number == numbers[0] for number in numbers] == [
        *(True, False, True, True, False, False, True)
    ]


def test_sentences_behind_the_end_are_padding(task):
    extra = {
        "sentence_lengths": tf.constant([[4, 3, 4, 4], [7, 7, 7, 7]]),
        "speakers": tf.zeros([2, 0], tf.string),
        "genre": tf.constant(["", ""]),
    }
    texts = [(tf.constant([["x"] * 7] * 2), tf.constant([7, 7]))]
    inputs = task.make_model_inputs(texts, extra)
    assert inputs["sentence_lengths"].numpy().tolist() == [
        [4, 3, 0, 0],
        [7, 0, 0, 0],
    ]
    assert inputs["sentence_numbers"].numpy().tolist() == [
        [0, 0, 0, 0, 1, 1, 1],
        [0] * 7,
    ]


def test_no_speakers(task):
    extra = {
        "sentence_lengths": tf.constant([[4, 3]]),
        "speakers": tf.zeros([1, 0], tf.string),
        "genre": tf.constant([""]),
    }
    texts = [(tf.constant([["x"] * 7]), tf.constant([7]))]
    inputs = task.make_model_inputs(texts, extra)
    assert len(set(inputs["speakers"].numpy()[0])) == 1
    assert inputs["speakers"].shape == (1, 7)


def test_no_genres():
    task = CorefTask(CorefConfig(genres=()))
    inputs = make_model_inputs(task, DOCUMENTS)
    assert inputs["genre"].numpy().tolist() == [0, 0]


@pytest.mark.parametrize(
    ("lengths", "n_speakers", "message"),
    [
        ([4, 2], 7, "sentence_lengths: expected the numbers of tokens of a do"),
        ([8, -1], 7, "sentence_lengths: expected the numbers of tokens of a d"),
        ([4, 3], 6, "speakers: expected as many columns as the tokens have"),
    ],
)
def test_sentences_and_speakers_of_another_text(
    task, lengths, n_speakers, message
):
    extra = {
        "sentence_lengths": tf.constant([lengths]),
        "speakers": tf.constant([["-"] * n_speakers]),
        "genre": tf.constant([""]),
    }
    texts = [(tf.constant([["x"] * 7]), tf.constant([7]))]
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        task.make_model_inputs(texts, extra)


@pytest.mark.parametrize("name", ["sentence_lengths", "speakers", "genre"])
@pytest.mark.parametrize("n_rows", [1, 3])
def test_not_one_row_for_each_document(task, name, n_rows):
    extra = {
        "sentence_lengths": tf.constant([[4, 3]] * 2),
        "speakers": tf.constant([["-"] * 7] * 2),
        "genre": tf.constant([""] * 2),
    }
    extra[name] = tf.repeat(extra[name][:1], n_rows, axis=0)
    texts = [(tf.constant([["x"] * 7] * 2), tf.constant([7, 7]))]
    run = tf.function(
        lambda extra: task.make_model_inputs(texts, extra),
        input_signature=[task.extra_inputs],
    )
    message = f"{name}: expected as many rows as there are documents. Found:"
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        run(extra)


def test_targets_and_loss(task):
    document = dataclasses.replace(
        DOCUMENTS[0], clusters=(((0, 1), (4, 4)), ((0, 2), (5, 6)))
    )
    targets = task.targets([document, DOCUMENTS[1]])["clusters"]
    assert targets.shape == (2, 7, 2)
    expected = np.full((2, 7, 2), -1)
    # (0, 2) is too wide.
    expected[0, 0, 1] = expected[0, 4, 0] = 0
    expected[0, 5, 1] = 1
    np.testing.assert_array_equal(targets, expected)
    least = np.finfo(np.float32).min
    outputs = {
        "places": tf.constant([[1, 8, 11], [0, 0, 0]]),
        "mask": tf.constant([[True] * 3, [False] * 3]),
        "scores": tf.constant(
            [[[0, least], [0, 1.0], [0, 2.0]], [[0, least]] * 3]
        ),
    }
    loss = task.loss(None, outputs, {"clusters": tf.constant(targets)})
    e = np.e
    np.testing.assert_allclose(
        loss, [np.log(1 + 1 / e) + np.log(1 + e**2), 0], rtol=1e-6
    )


def test_single_mentions(task):
    """They join the loss, and clusters, where they are wanted."""
    single = CorefTask(dataclasses.replace(task.config, singletons=True))
    least = np.finfo(np.float32).min
    outputs = {
        "first": tf.constant([[0, 1]]),
        "last": tf.constant([[0, 2]]),
        "places": tf.constant([[0, 3]]),
        "mask": tf.constant([[True, True]]),
        "scores": tf.constant([[[0, least], [0, -1.0]]]),
    }
    mentions = {
        "candidates": tf.constant([[[True, True], [True, True], [True] * 2]]),
        "mention_scores": tf.constant([[[-1.0, 0.0], [0.0, 2.0], [0.0, 0.0]]]),
    }
    assert task.decode(outputs)["cluster"].numpy().tolist() == [[-1, -1]]
    decoded = single.decode({**outputs, **mentions})
    assert decoded["cluster"].numpy().tolist() == [[-1, 1]]
    found = single.predictions(
        DOCUMENTS[:1], {name: value.numpy() for name, value in decoded.items()}
    )
    assert found == [(((1, 2),),)]
    targets = {"clusters": tf.constant([[[-1, -1], [-1, 0], [-1, -1]]])}
    (without,) = task.loss(None, outputs, targets).numpy()
    (loss,) = single.loss(None, {**outputs, **mentions}, targets).numpy()
    e = np.e
    np.testing.assert_allclose(
        loss - without,
        np.log(1 + 1 / e) + np.log(1 + e**-2) + 4 * np.log(2),
        rtol=1e-5,
    )


def test_predictions_and_metrics(task):
    decoded = {
        "first": np.array([[0, 2, 4, 5, 6], [0] * 5]),
        "last": np.array([[0, 2, 4, 5, 6], [0] * 5]),
        "cluster": np.array([[0, 1, 0, -1, 1], [-1] * 5]),
    }
    found = task.predictions(DOCUMENTS, decoded)
    assert found == [DOCUMENTS[0].clusters, ()]
    metrics = task.metrics(DOCUMENTS, found)
    assert metrics["average_f1"] == metrics["muc/recall"] == 1.0
    missed = task.metrics(DOCUMENTS, [found[0][:1], ()])
    assert (missed["muc/recall"], missed["muc/precision"]) == (0.5, 1.0)
    assert 0.5 < missed["average_f1"] < 1
    json.dumps(metrics)


def test_writing(task, tmp_path):
    file = io.StringIO()
    documents = [dataclasses.replace(d, clusters=()) for d in DOCUMENTS]
    task.write(documents, [d.clusters for d in DOCUMENTS], file)
    path = tmp_path / "a.conll"
    path.write_text(file.getvalue())
    assert small_documents.without_order(read_conll(path)) == (
        small_documents.without_order(DOCUMENTS)
    )


def test_writing_json_lines(task):
    """Such a line is that of the document with other clusters."""
    others = {"ner": [[[0, 0, "PERSON"]], []]}
    document = dataclasses.replace(DOCUMENTS[0], others=others)
    file = io.StringIO()
    task.writer("a.jsonlines")(
        [document, DOCUMENTS[1]], [DOCUMENTS[0].clusters[:1], ()], file
    )
    first, second = map(json.loads, file.getvalue().splitlines())
    assert first == {
        "doc_key": "nw/a",
        "sentences": [["Ann", "met", "Bob", "."], ["She", "likes", "him"]],
        "speakers": [["Eve"] * 4, ["Eve"] * 3],
        "clusters": [[[0, 0], [4, 4]]],
        **others,
    }
    assert (second["doc_key"], second["clusters"]) == ("b", [])


def test_training_data(task, tmp_path):
    path = tmp_path / "a.jsonlines"
    write_json_lines(path, DOCUMENTS[1:])
    assert task.read(str(path)) == DOCUMENTS[1:]
    with pytest.raises(InputError, match="found no cluster, expected some to"):
        task.read_training(str(path))
    config = dataclasses.replace(task.config, max_training_sentences=1)
    views = {
        CorefTask(config)
        .training_view(DOCUMENTS[0], np.random.default_rng(seed))
        .tokens
        for seed in range(9)
    }
    assert views == set(DOCUMENTS[0].sentences)


@pytest.mark.slow
def test_the_exported_model_reads_elmo_by_sentence(tmp_path):
    """As training does, and not the document as one sentence."""
    config = CorefConfig(
        elmo=ElmoConfig(
            saved_model=tiny_elmo.export(tmp_path / "bilm"), cache=False
        ),
        lstm_units=2,
        n_layers=1,
        units=2,
    )
    vocabulary_file = tmp_path / "vocab.txt"
    vocabulary_file.write_text("ann\n")
    source = ElmoSource(config.elmo)
    shape = TaskShape({}, vocabulary_size=3, word_dim=2, elmo_fingerprint="")
    task = CorefTask(config)
    task_model = TaskModel(task, shape, str(vocabulary_file), source)
    expected = task_model.input_maker(DOCUMENTS, "test")(DOCUMENTS)
    texts = [tf.constant([[*DOCUMENTS[0].tokens], ["Hi", *[""] * 6]])]
    extra = {
        name: tf.convert_to_tensor(value, task.extra_inputs[name].dtype)
        for name, value in task.extra_values(DOCUMENTS).items()
    }
    functions = TaskFunctions(config, task_model, "whitespace")
    found = functions._inputs([(*texts, tf.constant([7, 1]))], extra)
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        np.testing.assert_allclose(
            tf.cast(found[name], tf.float32),
            tf.cast(value, tf.float32),
            atol=1e-5,
        )
    by_sentence = source.elmo.embed([DOCUMENTS[0].sentences[1]])[0]
    np.testing.assert_allclose(
        found["tokens_elmo"][0, 4:], by_sentence.transpose(1, 0, 2), atol=1e-5
    )


NAMES = {"Ann": "she", "Bob": "he", "Eve": "she", "Max": "he"}


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A model that tells which of two names a pronoun means."""
    folder = tmp_path_factory.mktemp("coref")
    documents = []
    for first, pronoun in NAMES.items():
        for second, other in NAMES.items():
            if pronoun != other:
                documents.append(
                    small_documents.make(
                        f"{first} met {second} . / there {pronoun} sang",
                        [[(0, 0), (5, 5)]],
                        key=f"{first}{second}",
                    )
                )
    write_json_lines(folder / "data.jsonlines", documents)
    options = {
        "task.max_span_width": 2,
        "task.spans_per_token": 0.6,
        "task.lstm_units": 8,
        "task.n_layers": 1,
        "task.units": 16,
        "task.feature_dim": 4,
        "task.lexical_dropout": 0.1,
        "task.word_vectors": {"dim": 8},
        "task.character_encoder.filters": 4,
        "task.elmo.saved_model": tiny_elmo.export(folder / "bilm"),
        "task.elmo.cache_dir": f"{folder}/cache",
        "task.optimizer.learning_rate": 0.02,
        "task.train_data": {
            "input_path": f"{folder}/data.jsonlines",
            "batch_size": 4,
        },
        "task.validation_data.input_path": f"{folder}/data.jsonlines",
        "trainer.train_epochs": 40,
        "trainer.validation_interval": 40,
        "seeds": [1, 2],
    }
    (folder / "options.json").write_text(json.dumps(options))
    result = binaries.run(
        "tasks.train",
        "--experiment=coref/conll2012",
        f"--model_dir={folder}/model",
        f"--params_override={json.dumps(options)}",
    )
    assert result.returncode == 0, result.stderr
    return folder, documents


def run(module, *arguments):
    result = binaries.run(module, *arguments)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout.splitlines()[-1])


@pytest.mark.slow
def test_the_whole_way(trained):
    folder, documents = trained
    model = f"--model_dir={folder}/model/seed_1"
    data = f"--input_path={folder}/data.jsonlines"
    assert run("tasks.evaluate", model, data)["average_f1"] == 1.0
    output = f"{folder}/predicted.conll"
    run("tasks.predict", model, data, f"--output={output}")
    found = score_documents(documents, read_conll(output))
    assert found["average_f1"] == 1.0
    output = f"{folder}/predicted.jsonl"
    run("tasks.predict", model, data, f"--output={output}")
    assert small_documents.without_order(
        read_json_lines(output)
    ) == small_documents.without_order(documents)
    ensemble = run("tasks.ensemble", f"--model_dir={folder}/model", data)
    assert "average_f1" in json.dumps(ensemble)


@pytest.mark.slow
def test_documents_with_little_in_them(trained, tmp_path):
    """None has a cluster, with one model or two, trained on or not."""
    folder, documents = trained
    little = [
        small_documents.make("Hi", key="one"),
        dataclasses.replace(DOCUMENTS[1], sentences=(), speakers=()),
        small_documents.make("it rains .", key="none"),
    ]
    data, output = tmp_path / "a.jsonlines", tmp_path / "b.jsonlines"
    write_json_lines(data, little)
    arguments = [f"--input_path={data}", f"--output={output}"]
    model = f"--model_dir={folder}/model"
    for module, *more in (
        ("tasks.predict", f"{model}/seed_1"),
        ("tasks.ensemble", model, "--mode=predict"),
    ):
        run(module, *more, *arguments)
        assert read_json_lines(output) == little
        output.unlink()
    evaluated = run("tasks.evaluate", f"{model}/seed_1", arguments[0])
    assert evaluated["average_f1"] == 0.0
    write_json_lines(data, [*little, documents[0]])
    options = json.loads((folder / "options.json").read_text())
    options |= {
        "task.train_data": {"input_path": str(data), "batch_size": 1},
        "task.validation_data.input_path": str(data),
        "trainer.train_epochs": 1,
        "trainer.validation_interval": None,
        "seeds": [],
    }
    run(
        "tasks.train",
        "--experiment=coref/conll2012",
        f"--model_dir={tmp_path}/model",
        f"--params_override={json.dumps(options)}",
    )


@pytest.mark.slow
def test_a_mistake_in_the_data(trained, tmp_path):
    folder, documents = trained
    outside = dataclasses.replace(documents[0], clusters=(((0, 0), (5, 7)),))
    unbalanced = tmp_path / "a.conll"
    write_json_lines(tmp_path / "a.jsonlines", [outside])
    unbalanced.write_text("#begin document (a);\na 0 0 A (1\n#end document\n")
    for path, message in (
        (
            tmp_path / "a.jsonlines",
            "a.jsonlines:1: clusters: found the mention [5, 7], expected the "
            "numbers of a first and a last token, from 0 to 6",
        ),
        (unbalanced, "a.conll:2: found (1, expected 1) after it in the docum"),
    ):
        model = f"--model_dir={folder}/model/seed_1"
        overrides = [
            f"task.{name}_data.input_path={path}"
            for name in ("train", "validation")
        ]
        for module, *arguments in (
            ("predict", model, f"--output={tmp_path}/b.conll"),
            ("evaluate", model),
            (
                "train",
                "--experiment=coref/conll2012",
                f"--model_dir={tmp_path}/model",
                f"--params_override={','.join(overrides)}",
            ),
        ):
            if module != "train":
                arguments.append(f"--input_path={path}")
            result = binaries.run(f"tasks.{module}", *arguments)
            binaries.check_mistake(result, module, f"{tmp_path}/{message}")
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.slow
def test_the_exported_model(trained):
    folder, documents = trained
    run(
        "tasks.export",
        f"--model_dir={folder}/model/seed_1",
        f"--output={folder}/saved_model",
    )
    signatures = tf.saved_model.load(f"{folder}/saved_model").signatures
    chosen = [documents[0], documents[-1]]
    extra = {
        "sentence_lengths": tf.constant([[4, 3], [4, 3]]),
        "speakers": tf.constant([["-"] * 7] * 2),
        "genre": tf.constant([""] * 2),
    }
    found = signatures["tokens"](
        tokens=tf.constant([document.tokens for document in chosen]),
        sequence_len=tf.constant([7, 7]),
        **extra,
    )
    for row in range(2):
        spans = np.transpose([found["first"][row], found["last"][row]])
        is_chosen = found["cluster"][row].numpy() >= 0
        assert spans[is_chosen].tolist() == [[0, 0], [5, 5]]
    raw = signatures["default"](
        strings=tf.constant([" ".join(document.tokens) for document in chosen]),
        **extra,
    )
    np.testing.assert_array_equal(raw["cluster"], found["cluster"])
    for lengths in ([[4, 4], [4, 3]], [[8, -1], [4, 3]], [[4, 3]]):
        extra["sentence_lengths"] = tf.constant(lengths)
        with pytest.raises(
            tf.errors.InvalidArgumentError, match="sentence_lengths: expected"
        ):
            signatures["tokens"](
                tokens=tf.constant([document.tokens for document in chosen]),
                sequence_len=tf.constant([7, 7]),
                **extra,
            )
    for strings, lengths in (([""], [[0]]), (["", "Hi"], [[0], [1]])):
        raw = signatures["default"](
            strings=tf.constant(strings),
            sentence_lengths=tf.constant(lengths),
            speakers=tf.zeros([len(strings), 0], tf.string),
            genre=tf.constant([""] * len(strings)),
        )
        assert (raw["cluster"].numpy() == -1).all()
