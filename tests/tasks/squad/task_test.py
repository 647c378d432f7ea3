"""Question answering from the logits to answers, and the whole way round."""

import dataclasses
import io
import itertools
import json
import pathlib

import numpy as np
import pytest
import tensorflow as tf

from bidaf_tf import squad
from bidaf_tf import squad_metrics
from bidaf_tf.squad_answer import SquadAnswer
from bidaf_tf.squad_question import SquadQuestion
from tasks.squad.data import SquadExample
from tasks.squad.experiments import SquadConfig
from tasks.squad.task import SquadTask
from tests import binaries
from tests.tasks import tiny_elmo

CONTEXT = "Zoë 😀 met  Bob."
STARTS, ENDS = (0, 4, 6, 11, 14), (3, 5, 9, 14, 15)
TOKENS = tuple(
    CONTEXT[start:end] for start, end in zip(STARTS, ENDS, strict=True)
)


def make_task(**options):
    return SquadTask(SquadConfig(n_best=3, **options))


def make_example(question_id="1", window=slice(0, 5), answers=("Bob",)):
    return SquadExample(
        SquadQuestion(
            question_id,
            "T",
            CONTEXT,
            "Who?",
            tuple(
                SquadAnswer(answer, CONTEXT.index(answer)) for answer in answers
            ),
        ),
        TOKENS[window],
        ("Who", "?"),
        STARTS[window],
        ENDS[window],
        answer=(0, 0),
    )


def softmax(logits):
    exponentials = np.exp(logits - logits.max())
    return exponentials / exponentials.sum()


def random_outputs(seed, lengths=(5, 2)):
    """Logits as models give them: −1e30 at padding."""
    generator = np.random.default_rng(seed)
    mask = np.arange(5) < np.array(lengths)[:, None]
    return {
        name: tf.constant(
            np.where(mask, generator.normal(size=mask.shape), -1e30), tf.float32
        )
        for name in ("start", "end")
    }


def all_spans(length, max_length):
    spans = itertools.combinations_with_replacement(range(length), 2)
    return [
        (k, m) for k, m in spans if max_length is None or m - k < max_length
    ]


@pytest.mark.parametrize("max_length", [None, 2])
def test_decode(max_length):
    lengths = (5, 2)
    outputs = random_outputs(0, lengths)
    task = make_task(max_answer_length=max_length)
    examples = [make_example(), make_example(window=slice(0, 2))]
    decoded = {
        name: value.numpy() for name, value in task.decode(outputs).items()
    }
    predictions = task.predictions(examples, decoded)
    for row, length in enumerate(lengths):
        start, end = (outputs[name][row].numpy() for name in ("start", "end"))
        first, last = softmax(start[:length]), softmax(end[:length])
        spans = sorted(
            all_spans(length, max_length),
            key=lambda span: -first[span[0]] * last[span[1]],
        )[:3]
        found = predictions[row].spans
        assert [span[:2] for span in found] == spans
        for n, (k, m, score) in enumerate(found):
            assert score == pytest.approx(start[k] + end[m], 1e-4)
            probability = pytest.approx(first[k] * last[m], 1e-4)
            assert np.exp(score - predictions[row].total) == probability
            assert decoded["probabilities"][row, n] == probability


@pytest.mark.parametrize("max_length", [None, 2])
def test_an_ensemble_sums_the_probabilities_of_spans(max_length):
    members = [random_outputs(seed) for seed in range(3)]
    task = make_task(max_answer_length=max_length)
    examples = [make_example("1"), make_example("2", slice(0, 2))]
    for row, length in enumerate((5, 2)):
        means = {
            (STARTS[k], ENDS[m]): np.mean(
                [
                    softmax(member["start"][row, :length].numpy())[k]
                    * softmax(member["end"][row, :length].numpy())[m]
                    for member in members
                ]
            )
            for k, m in all_spans(length, max_length)
        }
        best = sorted(means, key=lambda span: -means[span])[:3]
        found = n_best(task, examples, predict(task, examples, members))
        ranked = found[str(row + 1)]
        assert [(answer["start"], answer["end"]) for answer in ranked] == best
        assert [answer["text"] for answer in ranked] == [
            CONTEXT[start:end] for start, end in best
        ]
        np.testing.assert_allclose(
            [answer["probability"] for answer in ranked],
            [means[span] for span in best],
            rtol=1e-4,
        )


def predict(task, examples, members):
    """The predictions of one model, or of several together."""
    outputs = members[0]
    if len(members) > 1:
        outputs = task.combine([None] * len(members), members)
    decoded = {
        name: value.numpy() for name, value in task.decode(outputs).items()
    }
    return task.predictions(examples, decoded)


def n_best(task, examples, predictions):
    """What the n-best file holds."""
    file = io.StringIO()
    task.write_n_best(examples, predictions, file)
    return json.loads(file.getvalue())


@pytest.mark.parametrize("n_members", [1, 2])
def test_windows_share_one_softmax(n_members):
    """Probabilities are those among the pairs of all windows."""
    task = make_task()
    task.n_best = 100
    windows = [make_example("1", slice(0, 3)), make_example("1", slice(2, 5))]
    members = [random_outputs(seed, (3, 3)) for seed in range(n_members)]
    expected = dict.fromkeys(
        [(0, 3), (0, 5), (0, 9), (4, 5), (4, 9), (6, 9)]
        + [(6, 14), (6, 15), (11, 14), (11, 15), (14, 15)],
        0.0,
    )
    shared = []
    for member in members:
        start, end = (member[name].numpy()[:, :3] for name in ("start", "end"))
        pairs = np.exp(start[:, :, np.newaxis] + end[:, np.newaxis])
        pairs /= pairs.sum()
        for row, shift in enumerate((0, 2)):
            for k, m in all_spans(3, None):
                place = STARTS[k + shift], ENDS[m + shift]
                if place == (6, 9):
                    continue
                expected[place] += pairs[row, k, m] / n_members
        shared.append((pairs[0, 2, 2], pairs[1, 0, 0]))
    # The window that gives the span both have the most.
    expected[6, 9] = np.mean(shared, axis=0).max()
    found = n_best(task, windows, predict(task, windows, members))["1"]
    assert [answer["probability"] for answer in found] == sorted(
        (answer["probability"] for answer in found), reverse=True
    )
    assert {(a["start"], a["end"]): a["probability"] for a in found} == {
        place: pytest.approx(value, 1e-4) for place, value in expected.items()
    }


def test_more_answers_than_spans():
    task = make_task()
    examples = [make_example(window=slice(1, 2))]
    for members in ([random_outputs(0, (1,))], [random_outputs(0, (1,))] * 2):
        members = [
            {name: value[..., :1] for name, value in member.items()}
            for member in members
        ]
        found = n_best(task, examples, predict(task, examples, members))
        assert found == {
            "1": [
                {
                    "text": "😀",
                    "probability": pytest.approx(1, 1e-5),
                    "start": 4,
                    "end": 5,
                }
            ]
        }
        assert found["1"][0]["probability"] <= 1


def test_a_blank_context_has_an_empty_answer():
    task = make_task()
    question = SquadQuestion("1", "T", "  ", "Who?")
    examples = [SquadExample(question, ("",), ("Who", "?"), (0,), (0,))]
    outputs = {name: tf.constant([[3.0]]) for name in ("start", "end")}
    found = n_best(task, examples, predict(task, examples, [outputs]))
    assert found == {
        "1": [{"text": "", "probability": 0.0, "start": 0, "end": 0}]
    }


def test_targets_and_loss():
    task = make_task()
    examples = [
        dataclasses.replace(make_example(), answer=(1, 3)),
        dataclasses.replace(make_example(), answer=(0, 1)),
    ]
    targets = task.targets(examples)
    outputs = random_outputs(1)
    losses = task.loss(None, outputs, targets)
    expected = [
        -np.log(softmax(outputs["start"][row].numpy())[first])
        - np.log(softmax(outputs["end"][row].numpy())[last])
        for row, (first, last) in enumerate([(1, 3), (0, 1)])
    ]
    np.testing.assert_allclose(losses, expected, rtol=1e-4)


def test_the_best_of_all_windows():
    task = make_task()
    windows = [
        make_example("1", slice(0, 3)),
        make_example("1", slice(2, 5)),
        make_example("2", answers=("met", "Zoë")),
    ]
    decoded = {
        "starts": np.array([[0, 2], [1, 0], [0, -1]]),
        "ends": np.array([[0, 2], [1, 0], [3, -1]]),
        # The second window's answer counts more, whatever its share there.
        "ranks": np.array([[1.0, 0.5], [2.0, 0.7], [0.1, -9.0]]),
        "totals": np.array([1.1, 9.0, 0.2]),
    }
    predictions = task.predictions(windows, decoded)
    file = io.StringIO()
    task.write(windows, predictions, file)
    assert json.loads(file.getvalue()) == {"1": "Bob", "2": "Zoë 😀 met  Bob"}
    found = task.metrics(windows, predictions)
    assert found["questions"] == 2
    assert found["exact_match"] == 0.5
    # Three or four words, one of which is right.
    assert found["f1"] == pytest.approx((1 + 2 * 0.25 / 1.25) / 2)


WORDS = ("red", "green", "blue", "black", "white", "grey")


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A model that has learnt to find the word after "is"."""
    folder = tmp_path_factory.mktemp("squad")
    questions = [
        SquadQuestion(
            f"{word}-{number}",
            "T",
            f"Zoë 😀 {first}\u00a0is {word}, not {other}. So?",
            f"What is {first}?",
            (SquadAnswer(word, len(f"Zoë 😀 {first}\u00a0is ")),),
        )
        for number, first in enumerate(("it", "this"))
        for word, other in itertools.permutations(WORDS, 2)
        if (len(word) + len(other)) % 2
    ]
    questions = [
        dataclasses.replace(question, id=str(number))
        for number, question in enumerate(questions)
    ]
    squad.write_data(str(folder / "data.json"), questions)
    options = {
        "task.model.hidden_size": 8,
        "task.model.dropout": 0.0,
        "task.character_encoder": {
            "filters": 4,
            "embedding_dim": 3,
            "width": 3,
        },
        "task.word_vectors": {"dim": 8, "trainable": True},
        "task.optimizer": {
            "name": "adam",
            "learning_rate": 0.02,
            "ema_decay": 0.9,
        },
        "task.elmo.location": "input_and_output",
        "task.elmo.saved_model": tiny_elmo.export(folder / "bilm"),
        "task.elmo.cache_dir": f"{folder}/cache",
        "task.train_data": {
            "input_path": f"{folder}/data.json",
            "batch_size": 12,
        },
        "task.validation_data.input_path": f"{folder}/data.json",
        "trainer.train_steps": 60,
        "trainer.validation_interval": 60,
        "trainer.progress_seconds": 1000,
    }
    result = binaries.run(
        "tasks.train",
        "--experiment=squad/bidaf",
        f"--model_dir={folder}/model",
        f"--params_override={json.dumps(options)}",
    )
    assert result.returncode == 0, result.stderr
    return folder, questions, json.loads(result.stdout.splitlines()[-1])


def run(folder, module, *arguments):
    result = binaries.run(module, f"--model_dir={folder}/model", *arguments)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout.splitlines()[-1])


@pytest.mark.slow
def test_the_whole_way(trained):
    folder, questions, results = trained
    data = f"{folder}/data.json"
    assert results["validation"]["exact_match"] == 1.0
    found = run(folder, "tasks.evaluate", f"--input_path={data}")
    assert found["f1"] == results["validation"]["f1"]
    output = folder / "predictions.json"
    counts = run(
        folder,
        "tasks.predict",
        f"--input_path={data}",
        f"--output={output}",
        f"--n_best_output={folder}/n_best.json",
        "--n_best=8",
    )
    assert counts == {"examples": len(questions)}
    predictions = squad.read_predictions(str(output))
    assert squad_metrics.score(questions, predictions) == {
        "exact_match": 100.0,
        "f1": 100.0,
    }
    for question in questions:
        ranked = squad.read_n_best(f"{folder}/n_best.json")[question.id]
        # More than the configuration says.
        assert len(ranked) == 8
        assert ranked[0].text == predictions[question.id]
        assert all(
            question.context[answer.start : answer.end] == answer.text
            for answer in ranked
        )
        scores = [answer.score for answer in ranked]
        assert scores == sorted(scores, reverse=True) and scores[0] > 0.3


@pytest.mark.slow
def test_the_exported_model(trained):
    """It loads in TensorFlow alone, and its offsets are the context's."""
    folder, questions, _ = trained
    run(folder, "tasks.export", f"--output={folder}/saved_model")
    answer = tf.saved_model.load(f"{folder}/saved_model").signatures["default"]
    batch = questions[:7]
    found = answer(
        context=tf.constant([question.context for question in batch]),
        question=tf.constant([question.question for question in batch]),
    )
    for row, question in enumerate(batch):
        right = question.answers[0]
        assert found["answer"][row].numpy().decode() == right.text
        assert (found["start"][row], found["end"][row]) == (
            right.start,
            right.end,
        )
        scores = found["scores"][row].numpy()
        assert found["score"][row] == scores[0] > 0.3
        assert (np.diff(scores) <= 0).all() and scores.sum() < 1.0001
        for text, start, end in zip(
            *(
                found[name][row].numpy()
                for name in ("answers", "starts", "ends")
            ),
            strict=True,
        ):
            assert question.context[start:end] == text.decode()
    # One after the other, nothing, one word, other scripts.
    alone = answer(
        context=tf.constant([batch[3].context]),
        question=tf.constant([batch[3].question]),
    )
    np.testing.assert_allclose(alone["score"], found["score"][3:4], rtol=1e-3)
    odd = answer(
        context=tf.constant(["", " ", "Bob", "מה זה", "x"]),
        question=tf.constant(["What?", "What?", "", "?", " "]),
    )
    texts = [text.decode() for text in odd["answer"].numpy()]
    assert texts[:2] == ["", ""] and texts[2] == "Bob" and texts[4] == "x"
    assert texts[3] in "מה זה" and texts[3]
    assert odd["score"].numpy()[:2].tolist() == [0, 0]
    broken = answer(
        context=tf.constant([b"\xff\xfe Bob"]), question=tf.constant([b"\xff?"])
    )
    text = "\ufffd\ufffd Bob"[int(broken["start"][0]) : int(broken["end"][0])]
    assert broken["answer"].numpy()[0].decode() == text != ""
    both = answer(context=tf.constant([""]), question=tf.constant([""]))
    assert both["answer"].numpy().tolist() == [b""]


@pytest.mark.slow
def test_its_own_tokenizer(trained, tmp_path):
    folder, _, _ = trained
    result = binaries.run(
        "tasks.export",
        f"--model_dir={folder}/model",
        f"--output={tmp_path}/saved_model",
        "--tokenizer=whitespace",
    )
    binaries.check_mistake(
        result,
        "export",
        "--tokenizer: found whitespace, expected none, as squad splits strings "
        "in one way only",
    )
    assert not pathlib.Path(tmp_path, "saved_model").exists()
