"""Which runs belong together."""

import os

from tasks.reporting.options import without
from tasks.reporting.variant import Variant
from tasks.reporting.variant import folder_without_seed

# In the order of the papers' tables; others follow by name.
TASK_TITLES = {
    "squad": "SQuAD",
    "snli": "SNLI",
    "srl": "SRL",
    "coref": "Coref",
    "ner": "NER",
    "sst": "SST-5",
    "pos": "POS",
    "cloze": "Cloze test",
}

METRIC_NAMES = {
    "f1": "F1",
    "average_f1": "average F1",
    "exact_match": "EM",
    "accuracy": "accuracy",
}

_ELMO = "task.elmo."
_FRACTION = "task.train_fraction"
_BUDGET = (
    "trainer.train_epochs",
    "trainer.train_steps",
    "trainer.validation_interval",
)


def make_variants(runs, first_number=1):
    """Puts the runs together that differ in the seed alone.

    Args:
        runs: A list of `TaskRun`, none of them twice.
        first_number: The number of the first variant.

    Returns:
        A list of `Variant`, task by task, then by folder.
    """
    groups = {}
    for run in runs:
        groups.setdefault((run.task, without(run.options)), []).append(run)
    tasks = list(TASK_TITLES)
    ordered = sorted(
        groups.values(),
        key=lambda group: (
            tasks.index(group[0].task)
            if group[0].task in tasks
            else len(tasks),
            group[0].task,
            folder_without_seed(group[0]),
        ),
    )
    return [
        Variant(
            tuple(sorted(group, key=lambda run: run.results.seed)),
            number,
        )
        for number, group in enumerate(ordered, first_number)
    ]


def families(variants):
    """Puts the variants together that differ in ELMo's options alone.

    Args:
        variants: A list of `Variant`.

    Returns:
        A list of lists of `Variant`, those without ELMo first.
    """
    return [
        sorted(group, key=lambda variant: variant.uses_elmo)
        for group in _grouped(variants, _ELMO)
    ]


def fraction_families(variants):
    """Puts variants together that differ in ELMo and in how much they train on.

    Args:
        variants: A list of `Variant`.

    Returns:
        A list of lists of `Variant`, those with two fractions at least. How
        long they train may differ too, which must not be the same for all
        fractions.
    """
    return [
        group
        for group in _grouped(variants, _ELMO, _FRACTION, *_BUDGET)
        if len({variant.fraction for variant in group}) > 1
    ]


def at_full_data(variants):
    """Leaves out the variants that train on a part of their data."""
    return [variant for variant in variants if variant.fraction == 1.0]


def common_folder(variants):
    """The folder that variants stand in, relative to all runs."""
    folders = [
        folder_without_seed(run) for variant in variants for run in variant.runs
    ]
    return os.path.commonpath(folders) or os.curdir


def task_title(variant):
    """The name of a variant's task, with the model where there are several."""
    config = variant.config.task
    title = TASK_TITLES.get(config.name, config.name)
    if config.name == "squad":
        model = "BiDAF" if config.model.name == "bidaf" else "self-attention"
        return f"{title}, {model}"
    if config.name == "sst" and config.labels != "fine":
        return f"SST, {config.labels} labels"
    return title


def elmo_text(variant, with_place=True, with_bilm=True):
    """Says how a variant uses ELMo, as "mini, input, all layers, λ = 0.1"."""
    elmo = variant.config.task.elmo
    if not elmo.is_used:
        return "without ELMo"
    parts = [bilm_name(variant)] if with_bilm else []
    if with_place:
        parts.append(elmo.location.replace("_", " "))
    if elmo.layers == "all":
        parts += ["all layers", f"λ\u00a0=\u00a0{elmo.l2:g}"]
    elif elmo.layers == "top":
        parts.append("top layer")
    else:
        parts.append(
            "token layer" if elmo.layers == 0 else f"LSTM {elmo.layers}"
        )
    if elmo.layer_norm:
        parts.append(f"layer norm {elmo.layer_norm}")
    if not uses_gamma(variant):
        parts.append("without γ")
    return ", ".join(parts)


def bilm_name(variant):
    """The name of a variant's biLM, without the folder that it stands in."""
    path = os.path.normpath(variant.config.task.elmo.saved_model)
    return os.path.basename(path)


def metric_name(variant):
    """What to call the metric that decides in a variant's task."""
    name = variant.first.metric
    return METRIC_NAMES.get(name, name.replace("_", " "))


def uses_gamma(variant):
    """Whether a variant scales ELMo by γ (equation 1)."""
    return variant.options.get("task.elmo.use_gamma", True)


def _grouped(variants, *prefixes):
    groups = {}
    for variant in variants:
        key = (
            variant.config.task.name,
            without(variant.options, *prefixes),
        )
        groups.setdefault(key, []).append(variant)
    return list(groups.values())
