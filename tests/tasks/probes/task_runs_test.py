"""The folders of trainings of task models."""

import json

import pytest

from elmo_tf.errors import InputError
from tasks.probes.task_runs import finished_runs
from tasks.probes.task_runs import read_results


def write(folder, results, task="ner"):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "results.json").write_text(json.dumps(results))
    (folder / "params.yaml").write_text(f"task:\n  name: {task}\n")


def test_one_seed(tmp_path):
    write(tmp_path, {"seed": 7})
    assert finished_runs(tmp_path, "ner") == {7: tmp_path}


def test_several_seeds(tmp_path):
    for seed in (1, 2, 3):
        write(tmp_path / f"seed_{seed}", {"seed": seed})
    (tmp_path / "results.json").write_text('{"seeds": [3, 1]}')
    assert finished_runs(tmp_path, "ner") == {
        3: str(tmp_path / "seed_3"),
        1: str(tmp_path / "seed_1"),
    }


def test_a_training_that_has_not_ended(tmp_path):
    assert read_results(tmp_path) is None
    with pytest.raises(InputError) as caught:
        finished_runs(tmp_path, "ner")
    assert str(caught.value) == (
        f"{tmp_path}: has no results.json, expected the folder of a finished "
        "training"
    )


def test_a_training_of_another_task(tmp_path):
    write(tmp_path, {"seed": 7}, task="sst")
    with pytest.raises(InputError) as caught:
        finished_runs(tmp_path, "ner")
    assert str(caught.value) == (
        f"{tmp_path}/params.yaml: found the task 'sst', expected 'ner'"
    )


def test_a_model_that_is_gone(tmp_path):
    (tmp_path / "results.json").write_text('{"seeds": [4]}')
    with pytest.raises(InputError) as caught:
        finished_runs(tmp_path, "ner")
    assert str(caught.value) == f"{tmp_path}/seed_4/params.yaml: no such file"


@pytest.mark.parametrize(
    "text, found",
    [
        (
            "{",
            "Expecting property name enclosed in double quotes: line 1 column "
            "2 (char 1)",
        ),
        ("[]", "no JSON object"),
        ('{"f1": 0.5}', "neither a seed nor seeds"),
        ("3", "no JSON object"),
    ],
)
def test_damaged_results(tmp_path, text, found):
    (tmp_path / "results.json").write_text(text)
    with pytest.raises(InputError) as caught:
        read_results(tmp_path)
    assert str(caught.value) == (
        f"{tmp_path}/results.json: expected the results of a task's training, "
        f"found {found}"
    )
