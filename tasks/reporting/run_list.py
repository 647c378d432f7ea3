"""The list of runs: where each figure comes from."""

from bidaf_tf.report.markup import joined
from bidaf_tf.report.markup import tag
from tasks.reporting.bilm_description import describe_bilm
from tasks.reporting.cells import n_examples_text
from tasks.reporting.cells import percent
from tasks.reporting.grouping import elmo_text
from tasks.reporting.grouping import metric_name
from tasks.reporting.grouping import task_title
from tasks.reporting.origin import nearest_experiment
from tasks.reporting.origin import recorded_commands
from tasks.reporting.origin import reproducing_command
from tasks.reporting.probe_results import SenseResults
from tasks.reporting.table import NOTHING
from tasks.reporting.table import scrolling_table
from tasks.reporting.table import section

_DATA = {"train": "Training", "validation": "Validation", "test": "Test"}


def runs_section(variants, probes, root):
    """Makes the list of runs, to which all figures lead.

    Args:
        variants: All `Variant`s.
        probes: A list of tuples of the number of an entry and a `ProbeRun`.
        root: The folder of all runs, as it was given.

    Returns:
        A tuple of its name and the `Markup`.
    """
    return section(
        "Runs",
        tag(
            "p",
            f"Folders are relative to {root}. Runs that differ in their seed "
            "alone stand in one entry.",
            class_="note",
        ),
        *(_variant_entry(variant, root) for variant in variants),
        *(_probe_entry(number, run) for number, run in probes),
    )


def left_out_section(left_out):
    """Makes the list of what is not in the report.

    Args:
        left_out: A list of tuples of a folder and a reason.

    Returns:
        A tuple of its name and the `Markup`; None: nothing was left out.
    """
    if not left_out:
        return None
    return section(
        "Left out",
        scrolling_table(
            "Folders that look like runs and are not in the report",
            ["folder", "reason"],
            left_out,
            text_columns=(1,),
        ),
    )


def _variant_entry(variant, root):
    task = variant.config.task
    results = variant.first.results
    name, changed = nearest_experiment(variant)
    facts = [
        ("Seeds", ", ".join(map(str, variant.seeds))),
        ("Again by", _commands(variant, name, root)),
        ("ELMo", elmo_text(variant)),
    ]
    if variant.uses_elmo:
        bilm = describe_bilm(
            task.elmo.saved_model, variant.first.elmo_fingerprint
        )
        facts.append(("biLM", bilm))
    for split, name_of_split in _DATA.items():
        path = getattr(task, f"{split}_data").input_path
        if path:
            size = n_examples_text(variant, split)
            facts.append((f"{name_of_split} data", f"{path}: {size}"))
    if task.train_fraction != 1.0:
        facts.append(
            ("Part", f"{100 * task.train_fraction:g} % of the training data")
        )
    if task.word_vectors.input_path:
        facts.append(("Word vectors", task.word_vectors.input_path))
    facts.append(
        (
            "Parameters",
            f"{results.n_trainable:,} trainable, "
            f"{results.parameters.get('frozen', 0):,} frozen",
        )
    )
    if name is not None:
        is_recorded = results.experiment == name
        label = f"{name}" if is_recorded else f"nearest to {name}"
        facts.append(("Experiment", label))
        facts.append(("Other options", _options(changed)))
    return _entry(
        variant.number,
        f"{task_title(variant)}: {variant.name}",
        facts,
        _seeds_table(variant),
    )


def _probe_entry(number, run):
    results = run.results
    facts = [("Again by", tag("pre", results.command))]
    if isinstance(results, SenseResults):
        facts += [
            ("biLM", describe_bilm(results.saved_model, None)),
            ("Seconds", f"{results.seconds:,.0f}"),
        ]
        if results.train:
            figures = (
                f"{value:,} {name.replace('_', ' ')}"
                for name, value in results.train.items()
            )
            facts.append(("Training data", ", ".join(figures)))
    else:
        facts.append(("biLM", f"the pre-training in {results.model_dir}"))
    facts.append(("Date", run.date))
    return _entry(number, f"{run.title}: {run.folder}", facts)


def _entry(number, title, facts, *children):
    return tag(
        "section",
        tag("h3", f"{number}. {title}"),
        tag(
            "dl",
            *(
                part
                for name, text in facts
                for part in (tag("dt", name), tag("dd", text))
            ),
            class_="facts",
        ),
        *children,
        id=f"run-{number}",
        class_="run",
    )


def _commands(variant, experiment, root):
    commands = recorded_commands(variant)
    if commands:
        return joined(tag("pre", command) for command in commands)
    command = experiment and reproducing_command(variant, experiment, root)
    if not command:
        return "the command was not recorded; params.yaml has all options"
    return joined(
        [
            "the command was not recorded; this has the same options and seeds",
            tag("pre", command),
        ]
    )


def _options(changed):
    if not changed:
        return "none differs from the experiment’s"
    return ", ".join(f"{name}={value}" for name, value in changed.items())


def _seeds_table(variant):
    metric = variant.first.metric
    rows = []
    for run in variant.runs:
        results = run.results
        best = results.validation or {}
        rows.append(
            [
                str(results.seed),
                *(
                    percent(metrics[metric]) if metrics else NOTHING
                    for metrics in (results.validation, results.test)
                ),
                f"{best['step']:,.0f} of {results.steps:,}"
                if "step" in best
                else f"{results.steps:,}",
                f"{run.seconds:,.0f}",
                run.date,
                run.folder,
            ]
        )
    label = metric_name(variant)
    return scrolling_table(
        f"Its runs: {label} in %, the step of the best validation, seconds",
        [
            "seed",
            "validation",
            "test",
            "best step",
            "seconds",
            "date",
            "folder",
        ],
        rows,
        text_columns=(5, 6),
    )
