"""Learning curves, and parts of the training data."""

from tasks.reporting.curves import fractions_section
from tasks.reporting.curves import learning_curves_section
from tests.tasks.reporting.html_tables import read_tables
from tests.tasks.reporting.run_folders import read_variants
from tests.tasks.reporting.run_folders import write_run

NONE = "task.elmo.location=none"
PART = "task.train_fraction=0.1,trainer.train_epochs=90"


def test_learning_curves(tmp_path):
    for seed in (1, 2):
        write_run(
            tmp_path / f"a/elmo/seed_{seed}",
            overrides=f"runtime.seed={seed}",
            curve=[(10, 0.1 * seed), (20, 0.5)],
        )
    write_run(tmp_path / "a/none", overrides=NONE, curve=[(10, 0.1)])
    write_run(tmp_path / "b", overrides="task.lstm_units=[3]")
    _, text = learning_curves_section(read_variants(tmp_path))
    # b has left no curve.
    assert text.count("<figure>") == 1
    assert "<figcaption>NER: a</figcaption>" in text
    assert text.count('class="color-0"') == 3
    assert text.count('<polyline points="') == 3
    assert '<a href="#run-2">without ELMo</a> (1 seed)' in text
    assert "(2 seeds)" in text


def test_no_curves(tmp_path):
    write_run(tmp_path / "b")
    assert learning_curves_section(read_variants(tmp_path)) is None


def test_fractions(tmp_path):
    parts = tmp_path / "parts"
    write_run(parts / "none_1", overrides=NONE, test=0.5)
    write_run(parts / "elmo_1", test=0.6)
    write_run(parts / "none_0.1", overrides=f"{NONE},{PART}", test=0.1)
    write_run(parts / "elmo_0.1", overrides=PART, test=0.3)
    # With another budget, and with one fraction alone.
    longer = "trainer.train_epochs=50"
    write_run(tmp_path / "a/none", overrides=f"{NONE},{longer}", test=0.9)
    write_run(tmp_path / "a/top", overrides=f"task.elmo.layers=top,{longer}")
    _, text = fractions_section(read_variants(tmp_path))
    ((header, *rows),) = read_tables(text)
    assert [row[0] for row in rows] == ["10 %", "100 %"]
    found = {
        name: [row[column] for row in rows]
        for column, name in enumerate(header)
    }
    assert len(found) == 3
    assert found["without ELMo"] == ["10.00 | 1 seed", "50.00 | 1 seed"]
    assert found["mini, input, all layers, λ = 0.1"] == [
        "30.00 | 1 seed",
        "60.00 | 1 seed",
    ]
    assert "NER: parts: test F1 in %, here" in text
    assert text.count("<polyline") == 2


def test_what_was_not_trained_on_parts(tmp_path):
    write_run(tmp_path / "none", overrides=NONE)
    write_run(tmp_path / "elmo", overrides=PART)
    assert fractions_section(read_variants(tmp_path)) is None


def test_fractions_without_common_data(tmp_path):
    write_run(tmp_path / "a", validation=None, test=0.5)
    write_run(tmp_path / "b", overrides=PART)
    _, text = fractions_section(read_variants(tmp_path))
    assert "the runs were not measured on the same kind of data" in text


def test_one_fraction_is_no_figure(tmp_path):
    write_run(tmp_path / "a")
    assert fractions_section(read_variants(tmp_path)) is None
