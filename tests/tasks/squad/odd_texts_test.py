"""Odd texts, answered in three ways: from a file, exported, from Python."""

import dataclasses
import io
import json
import random

import numpy as np
import pytest
import tensorflow as tf

from bidaf_tf.answer import Answer
from bidaf_tf.question_answerer import QuestionAnswerer
from tasks.predictor import Predictor
from tests.tasks.squad import tiny_squad

FAMILY = "👨\u200d👩\u200d👧\u200d👦"
ODD = {
    "nothing": "",
    "spaces": " \t\u00a0\u3000\r\n",
    "one token": "Zoë",
    "a long token": "x" * 100_000,
    "5,000 tokens": " ".join(
        random.Random(0).choices(["Zoë", "met", "Bob", "1990,", "(x)"], k=4_000)
    ),
    "emoji": f"Zoë 👍🏽 met {FAMILY}🇳🇴🏳️\u200d🌈 Bob ❤️.",
    "arabic": "وُلد أحمد في القاهرة عام ١٩٨٠، وعاش فيها.",
    "hebrew": "שָׁלוֹם, דוד המלך נולד בבית לחם (ב־1040).",
    "mixed directions": "Zoë \u202bקרא\u202c met \u2067أحمد\u2069 Bob",
    "zero width": "\ufeffZoë\u200bmet\u200cBob\u2060 \u200b \u00ad1\ufeff990",
    "nothing visible": "\u200b\u200c\u200d\ufeff",
    "line ends": "Zoë\r\nmet\tBob\v\f\x1c\x85\u2028.",
    "controls": "Zoë\0met\x07 Bob\x7f\0",
    "nul": "\0",
    "astral": "𝒵𝑜𝑒 𐍈𐌰𐌹 met 𠀀𠀁 Bob",
    "combining": "e\u0301 \u0301 Zoe\u0308",
    "no spaces": "佐伊在一九九〇年遇见了鲍勃。โซอี้พบบ็อบ",
    "brackets": "<S> </S> <UNK> [SEP] \\1 \\d+ $1 %s",
}
CHARACTERS = [
    *"ab Z1.,'-’“<(",
    *"\0\t\r\n\x85\u00a0\u00ad\u0301\u200b\u200c\u200d\u2028\u202e\ufeff",
    *"ß中ก😀🏽🇳אع𝒵\U0010ffff\ufffd\uffff",
]


@pytest.fixture(scope="module")
def task_model(tmp_path_factory):
    task_model = tiny_squad.make_task_model(
        tmp_path_factory.mktemp("vocabulary") / "vocab.txt",
        ("zoë", "met", "bob", "who"),
    )
    task = task_model.task
    task.config = dataclasses.replace(
        task.config, max_context_length=60, window_stride=30
    )
    return task_model


@pytest.fixture(scope="module")
def answerer(task_model, tmp_path_factory):
    folder = tmp_path_factory.mktemp("exported") / "saved_model"
    return QuestionAnswerer(tiny_squad.export(folder, task_model))


def from_file(task_model, contexts, questions, path):
    """The n best answers to each question, as the n-best file has them."""
    paragraphs = [
        {
            "context": context,
            "qas": [{"id": str(number), "question": question}],
        }
        for number, (context, question) in enumerate(
            zip(contexts, questions, strict=True)
        )
    ]
    path.write_text(json.dumps({"data": [{"paragraphs": paragraphs}]}))
    task = task_model.task
    examples = task.read_to_predict(str(path))
    predictions = Predictor(task, [task_model.model], 32).predict(
        examples, [task_model.input_maker(examples, "test")]
    )
    file = io.StringIO()
    task.write_n_best(examples, predictions, file)
    found = json.loads(file.getvalue())
    return [
        [
            Answer(
                answer["text"],
                answer["start"],
                answer["end"],
                answer["probability"],
            )
            for answer in found[str(number)]
        ]
        for number in range(len(contexts))
    ]


def check(task_model, answerer, contexts, questions, path):
    exported = {
        name: value.numpy()
        for name, value in answerer._answer(
            context=tf.constant([text.encode() for text in contexts]),
            question=tf.constant([text.encode() for text in questions]),
        ).items()
    }
    from_python = answerer.answer_batch(contexts, questions, n=3)
    for row, expected in enumerate(
        from_file(task_model, contexts, questions, path)
    ):
        context = contexts[row]
        n = len(expected)
        assert len(from_python[row]) == n >= 1
        for rank, answer in enumerate(expected):
            assert context[answer.start : answer.end] == answer.text
            assert bool(answer.text) == bool(context.strip())
            found = from_python[row][rank]
            assert context[found.start : found.end] == found.text
            assert found == Answer(
                exported["answers"][row, rank].decode(),
                exported["starts"][row, rank],
                exported["ends"][row, rank],
                pytest.approx(exported["scores"][row, rank], 1e-4),
            )
            assert found.score == pytest.approx(answer.score, 1e-3, 1e-7)
        # Where two are as good as one, either may come first.
        scores = np.array([answer.score for answer in expected])
        if (scores[:-1] > scores[1:] * 1.001).all():
            # The last one may be as good as what comes after it.
            n_clear = n if n < 3 else 2
            for answer, found in zip(
                expected[:n_clear], from_python[row], strict=False
            ):
                assert (found.start, found.end) == (answer.start, answer.end)
        assert not exported["answers"][row, n:].any()


@pytest.mark.slow
def test_odd_texts(task_model, answerer, tmp_path):
    contexts = list(ODD.values())
    questions = [text for text in ODD.values() if len(text) < 100_000]
    questions = (questions * 2)[1 : 1 + len(contexts)]
    check(task_model, answerer, contexts, questions, tmp_path / "data.json")


@pytest.mark.slow
def test_random_texts(task_model, answerer, tmp_path):
    generator = random.Random(1)

    def text(longest):
        length = generator.randrange(longest)
        return "".join(generator.choices(CHARACTERS, k=length))

    contexts = [text(200) for _ in range(150)]
    questions = [text(30) for _ in range(150)]
    check(task_model, answerer, contexts, questions, tmp_path / "data.json")


@pytest.mark.slow
def test_alone_as_in_a_batch(answerer):
    contexts = list(ODD.values())
    together = answerer.answer_batch(contexts, ["Who met Bob?"] * len(contexts))
    for context, expected in list(zip(contexts, together, strict=True))[::4]:
        (found,) = answerer.answer(context, "Who met Bob?")
        assert found.score == pytest.approx(expected[0].score, 1e-3, 1e-7)
        assert (found.start, found.end) == (expected[0].start, expected[0].end)
