"""Where a training came from, and how to make it again."""

from tasks.reporting.origin import nearest_experiment
from tasks.reporting.origin import recorded_commands
from tasks.reporting.origin import reproducing_command
from tests.tasks.reporting.run_folders import read_variants
from tests.tasks.reporting.run_folders import write_run
from tests.tasks.reporting.run_folders import write_seeds

PATHS = "task.word_vectors.input_path=glove.txt"


def test_nearest(tmp_path):
    write_run(
        tmp_path / "a",
        overrides=f"{PATHS},task.dropout=0.25,trainer.patience=9",
    )
    (variant,) = read_variants(tmp_path)
    assert nearest_experiment(variant) == (
        "ner/conll2003_small",
        {"task.dropout": 0.25, "trainer.patience": 9},
    )


def test_recorded(tmp_path):
    write_run(
        tmp_path / "a", experiment="ner/conll2003_small", command="python x"
    )
    path = tmp_path / "a" / "results.json"
    text = path.read_text()
    path.write_text(
        text.replace('"seed"', '"experiment": "ner/conll2003", "seed"')
    )
    (variant,) = read_variants(tmp_path)
    name, changed = nearest_experiment(variant)
    assert name == "ner/conll2003"
    assert "task.lstm_units" in changed
    assert recorded_commands(variant) == ["python x"]


def test_command(tmp_path):
    folder = tmp_path / "the runs"
    write_run(folder / "a", "squad/bidaf_self_attention_small", PATHS)
    (variant,) = read_variants(folder)
    assert reproducing_command(
        variant, "squad/bidaf_self_attention", "the runs"
    ) == (
        "python -m tasks.train --experiment=squad/bidaf_self_attention "
        "'--config_file=the runs/a/params.yaml' --model_dir=MODEL_DIR"
    )
    # This one has a model with other options.
    assert reproducing_command(variant, "squad/bidaf", "the runs") is None
    assert recorded_commands(variant) == []


def test_command_for_several_seeds(tmp_path):
    write_seeds(tmp_path / "a", {3: 0.5, 1: 0.6})
    (variant,) = read_variants(tmp_path)
    command = reproducing_command(variant, "ner/conll2003", "runs")
    assert "--config_file=runs/a/seed_1/params.yaml" in command
    assert command.endswith("'--params_override=seeds=[1,3]'")


def test_an_older_file_that_lacks_an_option(tmp_path):
    """What it lacks is the task's default, which an experiment may change."""
    write_run(tmp_path / "a", overrides="task.dropout=0.5")
    path = tmp_path / "a" / "params.yaml"
    text = path.read_text()
    assert "  lstm_units:\n  - 100\n" in text
    path.write_text(text.replace("  lstm_units:\n  - 100\n", ""))
    (variant,) = read_variants(tmp_path)
    assert variant.config.task.lstm_units == (200, 100)
    assert reproducing_command(variant, "ner/conll2003_small", "x") is None
    assert reproducing_command(variant, "ner/conll2003", "x") is not None
