"""Figure 2 of the ELMo paper: its data, as a table, as a picture."""

import matplotlib.image
import pytest

from tasks.reporting.learned_weights import learned_weights
from tasks.reporting.learned_weights_picture import draw_learned_weights
from tasks.reporting.learned_weights_section import learned_weights_section
from tests.tasks.reporting.html_tables import read_tables
from tests.tasks.reporting.run_folders import read_variants
from tests.tasks.reporting.run_folders import write_run

L01 = "all layers, λ\xa0=\xa00.1"


@pytest.fixture
def variants(tmp_path):
    write_run(tmp_path / "none", overrides="task.elmo.location=none")
    for seed, gamma, shares in (
        (1, 0.5, [0.1, 0.7, 0.2]),
        (2, 0.7, [0.2, 0.8, 0.0]),
    ):
        write_run(
            tmp_path / f"all/seed_{seed}",
            overrides=f"runtime.seed={seed}",
            elmo={
                "elmo_input": {"gamma": gamma, "s": shares},
                "elmo_output": {"s": [0.4, 0.35, 0.25]},
            },
        )
    write_run(
        tmp_path / "top",
        overrides="task.elmo.layers=top",
        elmo={"elmo_input": {"gamma": 2.0}},
    )
    return read_variants(tmp_path)


def test_means_over_the_seeds(variants):
    weights = learned_weights(variants)
    assert [(one.name, one.place) for one in weights] == [
        (f"NER: {L01}", "input"),
        (f"NER: {L01}", "output"),
        ("NER: top layer", "input"),
    ]
    assert weights[0].gamma == pytest.approx(0.6)
    assert weights[0].shares == pytest.approx([0.15, 0.75, 0.1])
    assert weights[1].gamma is None
    assert weights[2].shares is None


def test_other_configurations_have_their_folder(tmp_path):
    elmo = {"elmo_input": {"gamma": 1, "s": [1.0]}}
    write_run(tmp_path / "a", elmo=elmo)
    write_run(
        tmp_path / "b",
        overrides="task.lstm_units=[3],task.train_fraction=0.5,"
        "task.elmo.saved_model=big",
        elmo=elmo,
    )
    names = [one.name for one in learned_weights(read_variants(tmp_path))]
    assert names == [
        f"NER: mini, {L01} (a)",
        f"NER: big, {L01}, 50 % of the data (b)",
    ]


def test_section(variants):
    _, text = learned_weights_section(variants)
    at_input, at_output = read_tables(text)
    name = "NER: all layers, λ = 0.1"
    assert at_input == [
        ["task", "token layer", "LSTM 1", "LSTM 2", "γ", "seeds"],
        [name, "0.15", "0.75", "0.10", "0.60", "2"],
        ["NER: top layer", "one layer only", "2.00", "1"],
    ]
    assert at_output[1] == [name, "0.40", "0.35", "0.25", "—", "2"]
    # Below 1/3 hatched, above 2/3 speckled; the darker, the larger.
    for share, kinds in (
        ("0.15", "share share-1 low"),
        ("0.75", "share share-7 high"),
        ("0.35", "share share-3"),
    ):
        assert f'<td class="{kinds}"><span><b>{share}</b></span></td>' in text
    assert learned_weights_section([]) is None


def test_picture(variants, tmp_path):
    path = tmp_path / "weights.png"
    draw_learned_weights(path, learned_weights(variants))
    height, width, _ = matplotlib.image.imread(path).shape
    assert width > height > 200
