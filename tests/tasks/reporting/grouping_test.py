"""What belongs together, and what it is called."""

import pytest

from tasks.reporting.grouping import elmo_text
from tasks.reporting.grouping import families
from tasks.reporting.grouping import fraction_families
from tasks.reporting.grouping import make_variants
from tasks.reporting.grouping import task_title
from tests.tasks.reporting.run_folders import read_variants
from tests.tasks.reporting.run_folders import write_run
from tests.tasks.reporting.run_folders import write_seeds

NONE = "task.elmo.location=none"


def names(groups):
    return [[variant.name for variant in group] for group in groups]


def test_seeds_of_a_configuration(tmp_path):
    write_seeds(tmp_path / "a", {1: 0.5, 2: 0.7})
    write_run(tmp_path / "b", overrides="runtime.seed=3", test=0.9)
    write_run(tmp_path / "c", overrides="task.dropout=0.3")
    one, two = read_variants(tmp_path)
    assert (one.name, one.seeds, one.number) == ("a, b", [1, 2, 3], 1)
    assert (two.name, two.seeds, two.number) == ("c", [1], 2)
    summary = one.summary("test")
    assert summary.mean == pytest.approx(0.7)
    assert summary.standard_deviation == pytest.approx(0.2)
    assert two.summary("test") is None
    assert two.summary("validation").standard_deviation is None


def test_what_has_no_effect_makes_no_difference(tmp_path):
    write_run(tmp_path / "a", overrides=f"{NONE},task.elmo.l2=3")
    write_run(
        tmp_path / "b",
        overrides=f"{NONE},task.elmo.cache_dir=x,runtime.seed=2,"
        "trainer.summary_interval=3",
    )
    (variant,) = read_variants(tmp_path)
    assert variant.seeds == [1, 2]


def test_families_differ_in_elmo_alone(tmp_path):
    write_run(tmp_path / "elmo")
    write_run(tmp_path / "none", overrides=NONE)
    write_run(tmp_path / "top", overrides="task.elmo.layers=top")
    write_run(tmp_path / "wide", overrides="task.lstm_units=[7]")
    write_run(tmp_path / "sst", "sst/sst5_small", metric="accuracy")
    assert names(families(read_variants(tmp_path))) == [
        ["none", "elmo", "top"],
        ["wide"],
        ["sst"],
    ]


def test_parts_of_the_data_may_be_trained_on_longer(tmp_path):
    write_run(tmp_path / "all")
    write_run(
        tmp_path / "part",
        overrides="task.train_fraction=0.1,trainer.train_epochs=99",
    )
    write_run(tmp_path / "wide", overrides="task.lstm_units=[7]")
    groups = fraction_families(read_variants(tmp_path))
    assert names(groups) == [["all", "part"]]


def test_texts(tmp_path):
    write_run(tmp_path / "a", overrides="task.elmo.l2=0.1")
    write_run(
        tmp_path / "b",
        "squad/bidaf_self_attention_small",
        "task.elmo.layers=top,task.elmo.layer_norm=bilm_tf,"
        "task.elmo.saved_model=/x/big/",
    )
    write_run(tmp_path / "c", "squad/bidaf_small")
    write_run(tmp_path / "d", overrides="task.elmo.layers=0")
    write_run(
        tmp_path / "e", "sst/sst5", "task.labels=binary", metric="accuracy"
    )
    found = {one.name: one for one in read_variants(tmp_path)}
    assert elmo_text(found["a"]) == "mini, input, all layers, λ\xa0=\xa00.1"
    assert elmo_text(found["b"]) == (
        "big, input and output, top layer, layer norm bilm_tf"
    )
    assert elmo_text(found["b"], with_place=False, with_bilm=False) == (
        "top layer, layer norm bilm_tf"
    )
    assert elmo_text(found["c"]) == "without ELMo"
    assert elmo_text(found["d"]) == "mini, input, token layer"
    assert task_title(found["b"]) == "SQuAD, self-attention"
    assert task_title(found["c"]) == "SQuAD, BiDAF"
    assert task_title(found["e"]) == "SST, binary labels"


def test_the_order_is_that_of_the_papers(tmp_path):
    write_run(tmp_path / "a", "sst/sst5", metric="accuracy")
    write_run(tmp_path / "b", "squad/bidaf")
    write_run(tmp_path / "c")
    variants = read_variants(tmp_path)
    assert [one.config.task.name for one in variants] == ["squad", "ner", "sst"]
    assert [one.number for one in variants] == [1, 2, 3]
    assert make_variants([], 5) == []
