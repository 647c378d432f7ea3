"""Folders of runs, written without training anything."""

import json

import tensorflow as tf

from elmo_tf.training.experiment import experiment_config
from elmo_tf.training.overrides import to_yaml
from tasks import registry  # noqa: F401  registers the experiments
from tasks.reporting.finding import find_runs
from tasks.reporting.grouping import make_variants

_WORDS = {"tokens": 100, "tokens_with_vector": 80, "tokens_unknown": 5}


def write_run(
    folder,
    experiment="ner/conll2003_small",
    overrides="",
    validation=0.5,
    test=None,
    metric="f1",
    elmo=None,
    curve=(),
    **more,
):
    """Writes what a training leaves, as far as a report reads it.

    Args:
        folder: The folder, a path.
        experiment: Name of the configuration.
        overrides: Its overrides.
        validation: The metric of the validation data; None: there were none.
        test: Likewise of the test data.
        metric: The metric's name.
        elmo: The layer weights.
        curve: Tuples of the step and the metric of a validation.
        **more: What results.json has besides, or instead.
    """
    text = f"task.train_data.input_path=data/train.txt,{overrides}"
    config = experiment_config(experiment, params_override=text.strip(","))
    folder.mkdir(parents=True)
    (folder / "params.yaml").write_text(to_yaml(config), encoding="utf-8")
    results = {
        "seed": config.runtime.seed,
        "steps": 20,
        "steps_per_epoch": 10,
        "seconds": 7.5,
        "parameters": {"trainable": 1234, "frozen": 56},
        "elmo": elmo or {},
        "words": {split: _WORDS for split in ("train", "validation")},
        "validation": None
        if validation is None
        else {"step": 10, metric: validation},
        "test": None if test is None else {metric: test},
        "date": "2026-01-02T03:04:05+00:00",
        **more,
    }
    write_results(folder, results)
    if curve:
        writer = tf.summary.create_file_writer(str(folder / "validation"))
        with writer.as_default():
            for step, value in curve:
                tf.summary.scalar(metric, value, step=step)
        writer.close()


def write_results(folder, results):
    """Writes a results.json into a folder, made if needed."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "results.json").write_text(json.dumps(results))


def write_seeds(folder, values, overrides="", **more):
    """Writes a training with several seeds.

    Args:
        folder: The folder.
        values: A dictionary from seed to the metric of the test data.
        overrides: Overrides of the configuration.
        **more: As for `write_run`.
    """
    for seed, value in values.items():
        write_run(
            folder / f"seed_{seed}",
            overrides=f"runtime.seed={seed},{overrides}".rstrip(","),
            test=value,
            **more,
        )
    write_results(folder, {"seeds": list(values)})


def fine_tuning(corpora):
    """Makes the results of fine-tuning.

    Args:
        corpora: A dictionary from name to an experiment and the perplexities
            before and after.

    Returns:
        What results.json holds.
    """
    return {
        "probe": "fine_tuning",
        "command": "python -m tasks.probes.fine_tuning",
        "model_dir": "pretraining",
        "corpora": {
            name: {
                "experiment": experiment,
                "validation": f"data/{name}.txt",
                "validation_tokens": 2000,
                "train_tokens": 30000,
                "before": {"average_perplexity": before},
                "after": {"average_perplexity": after},
            }
            for name, (experiment, before, after) in corpora.items()
        },
    }


def read_variants(folder):
    """Reads the `Variant`s in a folder."""
    return make_variants(find_runs(str(folder)).tasks)
