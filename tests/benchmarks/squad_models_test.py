"""The models of question answering from the flags to the table."""

import json

import pytest

from bidaf_tf import squad
from bidaf_tf.squad_answer import SquadAnswer
from bidaf_tf.squad_question import SquadQuestion
from tests import binaries
from tests.tasks import tiny_elmo

ALL = [
    "bidaf",
    "no_characters",
    "no_words",
    "no_context_to_query",
    "no_query_to_context",
    "dynamic_attention",
    "self_attention",
    "self_attention_elmo",
]


def run(folder, *arguments, more=""):
    return binaries.run(
        "benchmarks.squad_models",
        f"--output={folder}/models",
        f"--params_override=task.train_data.input_path={folder}/data.json,"
        f"task.validation_data.input_path={folder}/data.json,"
        f"task.elmo.saved_model={folder}/bilm,"
        f"task.elmo.cache_dir={folder}/cache,trainer.train_epochs=1{more}",
        *arguments,
    )


@pytest.fixture
def data(tmp_path):
    context = "Ada lives in Rome and Bob in Oslo ."
    questions = [
        SquadQuestion(
            id=str(number),
            title="",
            context=context,
            question=f"Where is {name} ?",
            answers=(SquadAnswer(city, context.index(city)),),
        )
        for number, (name, city) in enumerate(
            [("Ada", "Rome"), ("Bob", "Oslo")]
        )
    ]
    squad.write_data(str(tmp_path / "data.json"), questions)
    return tmp_path


@pytest.mark.slow
def test_all_models(data):
    tiny_elmo.export(data / "bilm")
    result = run(data)
    assert result.returncode == 0, result.stderr
    *table, line = result.stdout.splitlines()
    assert [row.split("|")[1].strip() for row in table[2:]] == ALL
    found = json.loads(line)
    assert (found["size"], found["seeds"]) == ("small", [1])
    sizes = {}
    for name, model in found["models"].items():
        sizes[name] = model["trainable_parameters"]
        recorded = json.loads(
            (data / "models" / name / "results.json").read_text()
        )
        assert model["validation"] == recorded["validation"]
        assert (model["elmo"] != {}) == (name == "self_attention_elmo")
    # What is missing is not paid for.
    for name in ("no_characters", "no_words", "no_query_to_context"):
        assert sizes[name] < sizes["bidaf"], name
    assert sizes["no_context_to_query"] == sizes["bidaf"]
    assert len(set(sizes.values())) == len(ALL) - 1
    page = (data / "models" / "table.md").read_text()
    assert "\n".join(table) in page
    assert f"python benchmarks/squad_models.py --output={data}/models" in page
    # Once more, some of them: nothing is trained.
    some = run(data, "--models=no_words,bidaf")
    assert list(json.loads(some.stdout.splitlines()[-1])["models"]) == [
        "no_words",
        "bidaf",
    ]
    assert "training" not in some.stderr


@pytest.mark.parametrize(
    "flag, more, message",
    [
        (
            "--models=bidaf,cnn",
            "",
            f"--models: found 'cnn', expected some of {', '.join(ALL)}",
        ),
        ("--seeds=x", "", "--seeds: found 'x', expected whole numbers from 0"),
        (
            "--size=paper",
            ",task.elmo.location=none",
            "--params_override: found task.elmo.location, but the models "
            "differ in that",
        ),
        (
            "--size=paper",
            ",task.model.units=3",
            "--params_override: unknown option task.model.units; expected one "
            "of",
        ),
    ],
)
def test_mistakes(tmp_path, flag, more, message):
    result = run(tmp_path, flag, more=more)
    assert result.returncode == 2, result.stderr
    assert message in result.stderr.splitlines()[-1]
    assert not result.stdout and not (tmp_path / "models").exists()
