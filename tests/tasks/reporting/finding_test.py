"""Runs are found, and what is wrong with others is told."""

import os

import pytest

from elmo_tf.errors import InputError
from tasks.reporting.finding import find_runs
from tests.tasks.reporting.run_folders import fine_tuning
from tests.tasks.reporting.run_folders import write_results
from tests.tasks.reporting.run_folders import write_run
from tests.tasks.reporting.run_folders import write_seeds


def test_a_training(tmp_path):
    write_run(tmp_path / "a" / "b", curve=[(10, 0.25), (20, 0.5)])
    found = find_runs(str(tmp_path))
    (run,) = found.tasks
    assert (run.folder, run.task, run.metric) == ("a/b", "ner", "f1")
    assert run.results.validation == {"step": 10, "f1": 0.5}
    assert run.curve == ([10, 20], [0.25, 0.5])
    assert run.seconds == 7.5
    assert run.date == "2026-01-02T03:04:05+00:00"
    assert found.left_out == []


def test_the_date_of_an_older_run_is_that_of_its_results(tmp_path):
    write_run(tmp_path / "a", date=None)
    os.utime(tmp_path / "a" / "results.json", (1_000_000, 1_000_000))
    (run,) = find_runs(str(tmp_path)).tasks
    assert run.date == "1970-01-12T13:46:40+00:00"


def test_several_seeds(tmp_path):
    write_seeds(tmp_path / "a", {2: 0.5, 1: 0.25})
    found = find_runs(str(tmp_path))
    assert [run.folder for run in found.tasks] == ["a/seed_1", "a/seed_2"]
    assert found.left_out == []


def test_a_seed_that_is_gone(tmp_path):
    write_seeds(tmp_path / "a", {1: 0.25})
    write_results(tmp_path / "a", {"seeds": [1, 4]})
    found = find_runs(str(tmp_path))
    assert found.left_out == [("a/seed_4", "the folder is not there")]


def test_links_are_followed_once(tmp_path):
    write_run(tmp_path / "elsewhere" / "a")
    runs = tmp_path / "runs"
    runs.mkdir()
    (runs / "linked").symlink_to(tmp_path / "elsewhere")
    (runs / "linked" / "loop").symlink_to(runs)
    assert [run.folder for run in find_runs(str(runs)).tasks] == ["linked/a"]


def test_other_measurements(tmp_path):
    scores = {"instances": 4, "attempted": 3, "correct": 2.0}
    write_results(
        tmp_path / "senses",
        {
            "task": "wsd",
            "command": "python …",
            "seconds": 1.5,
            "saved_model": "mini",
            "test": {"senseval2": {"systems": {"layer_1": scores}}},
        },
    )
    results = fine_tuning({"wnut": ("ner/conll2003", 9, 3)})
    write_results(tmp_path / "tuned", results)
    # What the parts of it leave is no run by itself.
    write_results(tmp_path / "tuned" / "wnut", results["corpora"]["wnut"])
    (tmp_path / "tuned" / "wnut" / "model").mkdir()
    (tmp_path / "tuned" / "wnut" / "model" / "params.yaml").write_text(
        "task: {model: {}}"
    )
    found = find_runs(str(tmp_path))
    (senses,) = found.senses
    # The harmonic mean of 2/3 and 2/4.
    scores = senses.results.test["senseval2"].systems["layer_1"]
    assert scores.f1 == pytest.approx(4 / 7)
    (tuned,) = found.fine_tunings
    assert tuned.results.corpora["wnut"].after.average_perplexity == 3
    assert found.left_out == []


def test_what_is_left_out(tmp_path):
    write_run(tmp_path / "good")
    write_run(tmp_path / "again")
    write_run(tmp_path / "unfinished")
    (tmp_path / "unfinished" / "results.json").unlink()
    write_run(tmp_path / "no_metric", metric="accuracy", overrides="seeds=[3]")
    write_run(tmp_path / "half")
    (tmp_path / "half" / "results.json").write_text("{")
    write_run(tmp_path / "wrong", steps="many")
    write_run(tmp_path / "unknown")
    (tmp_path / "unknown" / "params.yaml").write_text("task: {name: x}")
    write_results(tmp_path / "list", [3])
    write_results(tmp_path / "other", {"speed": 3})
    write_results(tmp_path / "seeds", {"seeds": 3})
    write_results(tmp_path / "wsd", {"task": "wsd"})
    found = find_runs(str(tmp_path))
    assert [run.folder for run in found.tasks] == ["again"]
    unknown = tmp_path / "unknown" / "params.yaml"

    def expected_results(folder):
        path = tmp_path / folder / "results.json"
        return f"{path}: expected the results of a run, found "

    assert sorted(found.left_out) == [
        ("good", "the same configuration and seed as again"),
        (
            "half",
            expected_results("half")
            + "Expecting property name enclosed in double quotes: line 1 "
            "column 2 (char 1)",
        ),
        ("list", expected_results("list") + "no JSON object"),
        ("no_metric", "results.json: validation: found no f1"),
        (
            "other",
            expected_results("other")
            + "something else, or params.yaml is missing beside it",
        ),
        ("seeds", expected_results("seeds") + "seeds that are no list"),
        ("unfinished", "unfinished: has no results.json yet"),
        ("unknown", f"{unknown}: unknown task 'x'"),
        (
            "wrong",
            "results.json: steps: input should be a valid integer, unable to "
            "parse string as an integer, found 'many'",
        ),
        ("wsd", "results.json: command: field required"),
    ]


def test_nothing_to_find(tmp_path):
    with pytest.raises(InputError) as caught:
        find_runs(str(tmp_path / "none"))
    assert str(caught.value) == f"{tmp_path}/none: no such folder"
    with pytest.raises(InputError) as caught:
        find_runs(str(tmp_path))
    message = (
        f"{tmp_path}: no finished run in it, expected folders with results.json"
    )
    assert str(caught.value) == message
    write_run(tmp_path / "a")
    (tmp_path / "a" / "results.json").unlink()
    with pytest.raises(InputError) as caught:
        find_runs(str(tmp_path))
    assert str(caught.value) == (
        f"{message}; a was left out: unfinished: has no results.json yet"
    )
