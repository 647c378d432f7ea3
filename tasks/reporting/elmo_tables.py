"""The tables of the ELMo paper that compare trained task models."""

from bidaf_tf.report.markup import joined
from bidaf_tf.report.markup import tag
from tasks.reporting import paper
from tasks.reporting.cells import common_split
from tasks.reporting.cells import data_text
from tasks.reporting.cells import figure
from tasks.reporting.cells import increase
from tasks.reporting.cells import link
from tasks.reporting.grouping import METRIC_NAMES
from tasks.reporting.grouping import at_full_data
from tasks.reporting.grouping import common_folder
from tasks.reporting.grouping import elmo_text
from tasks.reporting.grouping import families
from tasks.reporting.grouping import task_title
from tasks.reporting.grouping import uses_gamma
from tasks.reporting.options import without
from tasks.reporting.table import NOTHING
from tasks.reporting.table import scrolling_table
from tasks.reporting.table import section

_LAYERS = ("task.elmo.layers", "task.elmo.l2")
_LOCATIONS = {
    "input": "input",
    "input_and_output": "input and output",
    "output": "output",
}


def elmo_gain_section(variants):
    """Makes table 1: what ELMo adds to each task.

    Args:
        variants: All `Variant`s.

    Returns:
        A tuple of its name and the `Markup`; None: there are no runs for it.
    """
    rows = []
    for family in _families(variants):
        baseline = next((one for one in family if not one.uses_elmo), None)
        with_elmo = [one for one in family if one.uses_elmo and _mixes(one)]
        for number, variant in enumerate(with_elmo or [None]):
            rows.append(_gain_row(family, baseline, variant, number == 0))
    if not rows:
        return None
    return section(
        "ELMo table 1: what ELMo adds",
        _note(
            "The task models with and without ELMo (table 1 of the ELMo "
            "paper). The paper’s figures are those of the test sets of the "
            "data named with them; those here are of the run’s test set, where "
            "it had one, else of its validation set. The increase is absolute, "
            "in points, and relative to the baseline’s error; it is made of "
            "runs with the same seeds, or with several each."
        ),
        scrolling_table(
            "Figures in %. ±: standard deviation over the seeds; parameters: "
            "the trainable ones, without and with ELMo",
            [
                "task",
                "baseline",
                "ELMo",
                "increase",
                "baseline",
                "ELMo",
                "increase",
                "measured on",
                "parameters",
                "training data",
            ],
            rows,
            [("", 1), ("paper", 3), ("here", 6)],
            text_columns=(9,),
        ),
    )


def _gain_row(family, baseline, variant, with_theirs):
    known = [one for one in (baseline, variant) if one is not None]
    theirs = paper.ELMO_TASKS[known[0].config.task.name]
    split = common_split(known)
    what = f"paper: {theirs.data}, {theirs.metric}"
    here = f"here: {common_folder(family)}"
    if variant is not None:
        here += f", {elmo_text(variant)}"
    return [
        joined(
            [
                task_title(known[0]),
                tag("small", what) if with_theirs else None,
                tag("small", here),
            ]
        ),
        *(
            [theirs.baseline, theirs.elmo, theirs.increase]
            if with_theirs
            else [""] * 3
        ),
        *(
            figure(one, split) if split else NOTHING
            for one in (baseline, variant)
        ),
        increase(variant, baseline, split),
        split or "nothing",
        " → ".join(f"{one.first.results.n_trainable:,}" for one in known),
        data_text(known[0]),
    ]


def layer_mixes_section(variants):
    """Makes table 2: the top layer and the weighted sum with several λ.

    Args:
        variants: All `Variant`s.

    Returns:
        A tuple of its name and the `Markup`; None: there are no runs for it.
    """
    groups = []
    for family in _families(variants):
        baseline = next((one for one in family if not one.uses_elmo), None)
        for group in _grouped(family, *_LAYERS):
            if len(group) > 1:
                groups.append((baseline, group))
    if not groups:
        return None
    lambdas = sorted(
        {
            variant.config.task.elmo.l2
            for _, group in groups
            for variant in group
            if variant.config.task.elmo.layers == "all"
        }
    )
    rows = []
    for baseline, group in groups:
        by_mix = {
            variant.config.task.elmo.l2
            if variant.config.task.elmo.layers == "all"
            else "top": variant
            for variant in group
        }
        name = group[0].config.task.name
        location = group[0].config.task.elmo.location
        rows.append(
            [
                task_title(group[0]),
                *paper.ELMO_LAYERS.get(name, [NOTHING] * 4),
                figure(baseline, "validation"),
                *(
                    figure(by_mix.get(mix), "validation")
                    for mix in ("top", *lambdas)
                ),
                _LOCATIONS[location],
                data_text(group[0], "validation"),
            ]
        )
    return section(
        "ELMo table 2: layers and λ",
        _note(
            "The top layer alone, and the weighted sum of all layers with "
            "different λ (table 2 of the ELMo paper): on development data in "
            "the paper, on validation data here, by which the weights of each "
            "run were chosen too."
        ),
        scrolling_table(
            "Figures in %; the tasks’ metrics are those of table 1",
            [
                "task",
                "without ELMo",
                "top layer",
                "λ = 1",
                "λ = 0.001",
                "without ELMo",
                "top layer",
                *(f"λ = {value:g}" for value in lambdas),
                "ELMo at",
                "validation data",
            ],
            rows,
            [("", 1), ("paper", 4), ("here", 4 + len(lambdas))],
            text_columns=(7 + len(lambdas), 8 + len(lambdas)),
        ),
    )


def locations_section(variants):
    """Makes table 3: ELMo at different places of the task model.

    Args:
        variants: All `Variant`s.

    Returns:
        A tuple of its name and the `Markup`; None: there are no runs for it.
    """
    rows = []
    for family in _families(variants):
        for group in _grouped(family, "task.elmo.location"):
            if len(group) < 2:
                continue
            name = group[0].config.task.name
            theirs = paper.ELMO_LOCATIONS.get(name, {})
            mine = {one.config.task.elmo.location: one for one in group}
            rows.append(
                [
                    task_title(group[0]),
                    *(theirs.get(place, NOTHING) for place in _LOCATIONS),
                    *(
                        figure(mine.get(place), "validation")
                        for place in _LOCATIONS
                    ),
                    elmo_text(group[0], with_place=False),
                    data_text(group[0], "validation"),
                ]
            )
    if not rows:
        return None
    places = list(_LOCATIONS.values())
    return section(
        "ELMo table 3: places",
        _note(
            "ELMo beside the word vectors, beside the output of the lowest "
            "encoder, and at both places (table 3 of the ELMo paper)."
        ),
        scrolling_table(
            "Figures of development (paper) and validation (here) data in %",
            ["task", *places, *places, "ELMo from", "validation data"],
            rows,
            [("", 1), ("paper", 3), ("here", 5)],
            text_columns=(7, 8),
        ),
    )


def gamma_section(variants):
    """Makes a table of what γ is worth (section A.2).

    Args:
        variants: All `Variant`s.

    Returns:
        A tuple of its name and the `Markup`; None: there are no runs for it.
    """
    rows = []
    for family in _families(variants):
        baseline = next((one for one in family if not one.uses_elmo), None)
        for group in _grouped(family, "task.elmo.use_gamma"):
            without_gamma = next(
                (one for one in group if not uses_gamma(one)), None
            )
            if without_gamma is None:
                continue
            with_gamma = next((one for one in group if uses_gamma(one)), None)
            rows.append(
                [
                    task_title(without_gamma),
                    elmo_text(with_gamma or without_gamma),
                    data_text(without_gamma, "validation"),
                    *(
                        figure(one, "validation")
                        for one in (baseline, without_gamma, with_gamma)
                    ),
                ]
            )
    if not rows:
        return None
    return section(
        "ELMo section A.2: without γ",
        _note(
            "Section A.2 of the ELMo paper says, without figures, that the top "
            "layer without γ was well below the baseline for SNLI and failed "
            "completely for SRL."
        ),
        scrolling_table(
            "Figures of validation data in %, here",
            [
                "task",
                "ELMo from",
                "validation data",
                "without ELMo",
                "without γ",
                "with γ",
            ],
            rows,
            text_columns=(1, 2),
        ),
    )


def parts_of_speech_section(variants):
    """Makes table 6: parts of speech by the biLM's layers.

    Args:
        variants: All `Variant`s.

    Returns:
        A tuple of its name and the `Markup`; None: there are no runs for it.
    """
    mine = [
        variant
        for variant in at_full_data(variants)
        if variant.config.task.name == "pos" and variant.uses_elmo
    ]
    if not mine:
        return None
    children = []
    for family in families(mine):
        rows = [
            [name, theirs, *[NOTHING] * 5]
            for name, theirs in paper.OTHER_PARTS_OF_SPEECH
        ]
        for variant in sorted(family, key=_layer_order):
            layer = variant.config.task.elmo.layers
            rows.append(
                [
                    f"biLM: {elmo_text(variant, with_place=False)}",
                    paper.PARTS_OF_SPEECH.get(layer, NOTHING),
                    *(
                        figure(variant, split, metric)
                        for metric in ("accuracy", "unseen_accuracy")
                        for split in ("validation", "test")
                    ),
                    f"{variant.first.results.n_trainable:,}",
                ]
            )
        children.append(
            scrolling_table(
                f"Accuracy in %, here ({common_folder(family)}) on "
                f"{data_text(family[0])} ({family[0].config.task.column}); "
                "“unseen” are the words "
                "that the training data do not have",
                [
                    "model",
                    "test",
                    "validation",
                    "test",
                    "validation, unseen",
                    "test, unseen",
                    "trainable parameters",
                ],
                rows,
                [("", 1), ("paper", 1), ("here", 5)],
            )
        )
    return section(
        "ELMo table 6: parts of speech",
        _note(
            "A linear classifier on a single frozen layer (table 6 of the ELMo "
            "paper, on the Wall Street Journal part of the Penn Treebank)."
        ),
        *children,
    )


def other_systems_section(variants):
    """Makes tables 8 to 13: published systems beside the models here.

    Args:
        variants: All `Variant`s.

    Returns:
        A tuple of its name and the `Markup`; None: there are no runs for it.
    """
    children = []
    for name, (number, metrics, systems) in paper.OTHER_SYSTEMS.items():
        mine = [
            variant
            for variant in at_full_data(variants)
            if variant.config.task.name == name
            and variant.has("test")
            and (name != "sst" or variant.config.task.labels == "fine")
        ]
        if not mine:
            continue
        labels = [METRIC_NAMES[metric] for metric in metrics]
        nothing = [NOTHING] * len(metrics)
        rows = [[system, *theirs, *nothing] for system, *theirs in systems]
        rows += [
            [
                joined(
                    [
                        "here: ",
                        link(variant.number, variant.name),
                        f", {elmo_text(variant)}",
                    ]
                ),
                *nothing,
                *(figure(variant, "test", metric) for metric in metrics),
            ]
            for variant in mine
        ]
        data = paper.ELMO_TASKS[name].data
        children.append(
            scrolling_table(
                f"{task_title(mine[0])} (table {number}), test data, in %: "
                f"{data} in the paper, here what the run’s entry names",
                ["system", *labels, *labels],
                rows,
                [("", 1), ("paper", len(metrics)), ("here", len(metrics))],
            )
        )
    if not children:
        return None
    return section(
        "ELMo tables 8 to 13: other systems",
        _note(
            "The systems of the appendix of the ELMo paper, single models and "
            "ensembles, and the runs here that were measured on test data. "
            "Figures on different data are not to be compared."
        ),
        *children,
    )


def _families(variants):
    """Families of the tasks of table 1, trained on all their data."""
    return [
        family
        for family in families(at_full_data(variants))
        if family[0].config.task.name in paper.ELMO_TASKS
        and not (
            family[0].config.task.name == "squad"
            and family[0].config.task.model.name == "bidaf"
        )
        and not (
            family[0].config.task.name == "sst"
            and family[0].config.task.labels != "fine"
        )
    ]


def _grouped(family, *names):
    """Variants with ELMo that differ in these options alone."""
    groups = {}
    for variant in family:
        if variant.uses_elmo and _mixes(variant):
            key = without(variant.options, *names)
            groups.setdefault(key, []).append(variant)
    return groups.values()


def _mixes(variant):
    """Whether a variant takes all layers or the top one, as the paper does."""
    return variant.config.task.elmo.layers in ("all", "top")


def _layer_order(variant):
    layers = variant.config.task.elmo.layers
    place = {"all": (2, 0), "top": (1, 0)}.get(layers)
    return place or (0, layers), variant.number


def _note(text):
    return tag("p", text, class_="note")
