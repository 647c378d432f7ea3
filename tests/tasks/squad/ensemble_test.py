"""Models that answer together do it as their saved answers do."""

import io
import json

import pytest

from bidaf_tf import squad
from bidaf_tf.joined_answers import join_answers
from bidaf_tf.squad_question import SquadQuestion
from tasks.predictor import Predictor
from tests.tasks.squad import tiny_squad

CONTEXTS = ["Zoë 😀 met  Bob.", "Bob", "Who met Zoë, if not Bob?", " "]


def n_best(task_models, path):
    """The n-best file of one model, or of several together."""
    task = task_models[0].task
    examples = task.read_to_predict(path)
    predictions = Predictor(
        task, [task_model.model for task_model in task_models], 2
    ).predict(
        examples,
        [
            task_model.input_maker(examples, "test")
            for task_model in task_models
        ],
    )
    file = io.StringIO()
    task.write_n_best(examples, predictions, file)
    return file.getvalue()


@pytest.mark.slow
def test_saved_and_live(tmp_path):
    data = str(tmp_path / "data.json")
    squad.write_data(
        data,
        [
            SquadQuestion(str(number), "T", context, "Who?")
            for number, context in enumerate(CONTEXTS)
        ],
    )
    members = []
    for number in range(3):
        member = tiny_squad.make_task_model(
            tmp_path / f"vocab_{number}.txt", ("zoë", "met", "bob", "who")
        )
        # All spans.
        member.task.n_best = 100
        for weight in member.model.weights:
            weight.assign(weight * (1 + number) * (-1) ** number / 4)
        members.append(member)
    saved = []
    for number, member in enumerate(members):
        path = tmp_path / f"{number}.json"
        path.write_text(n_best([member], data))
        saved.append(squad.read_n_best(str(path)))
    joined = join_answers(saved, ["0", "1", "2"])
    live = json.loads(n_best(members, data))
    assert live.keys() == joined.keys()
    for question_id, ranked in live.items():
        expected = {(a.start, a.end): a for a in joined[question_id]}
        assert len(ranked) == len(expected)
        for answer in ranked:
            other = expected[answer["start"], answer["end"]]
            assert answer["text"] == other.text
            assert answer["probability"] == pytest.approx(other.score, 1e-4)
        assert ranked[0]["text"] == joined[question_id][0].text
    assert [len(ranked) for ranked in live.values()] == [15, 1, 36, 1]
    # The members do not all agree.
    assert any(
        len({member[question_id][0].text for member in saved}) > 1
        for question_id in live
    )
