"""The tables of the BiDAF paper."""

import dataclasses
import typing

from bidaf_tf.report.markup import tag
from tasks.reporting import paper
from tasks.reporting.cells import data_text
from tasks.reporting.cells import figure
from tasks.reporting.cells import percent
from tasks.reporting.grouping import at_full_data
from tasks.reporting.grouping import elmo_text
from tasks.reporting.options import without
from tasks.reporting.table import NOTHING
from tasks.reporting.table import scrolling_table
from tasks.reporting.table import section

_METRICS = ("exact_match", "f1")


@dataclasses.dataclass(frozen=True)
class Change:
    """What distinguishes a model from BiDAF.

    Attributes:
        prefixes: How the names of the options begin that may differ.
        is_made: Tells whether a task's configuration has the change.
    """

    prefixes: tuple[str, ...]
    is_made: typing.Callable


_CHANGES = {
    "no_characters": Change(
        ("task.character_encoder.",),
        lambda task: not task.character_encoder.is_used,
    ),
    "no_words": Change(
        ("task.word_vectors.",), lambda task: not task.word_vectors.is_used
    ),
    "no_context_to_query": Change(
        ("task.model.context_to_query",),
        lambda task: not task.model.context_to_query,
    ),
    "no_query_to_context": Change(
        ("task.model.query_to_context",),
        lambda task: not task.model.query_to_context,
    ),
    "dynamic_attention": Change(
        ("task.model.dynamic_attention",),
        lambda task: task.model.dynamic_attention,
    ),
    **{
        name: Change(
            ("task.model.similarity",),
            lambda task, name=name: task.model.similarity == name,
        )
        for name in ("dot", "linear", "bilinear", "mlp")
    },
    "fusion": Change(
        ("task.model.fusion",), lambda task: task.model.fusion == "mlp"
    ),
}


def ablations_section(variants):
    """Makes table 1b: BiDAF without some of its parts.

    Args:
        variants: All `Variant`s.

    Returns:
        A tuple of its name and the `Markup`; None: there are no runs for it.
    """
    return _changes_section(
        "BiDAF table 1b: ablations",
        "BiDAF without some of its parts (table 1b of the BiDAF paper).",
        paper.ABLATIONS,
        paper.BIDAF_ABLATED,
        variants,
    )


def variations_section(variants):
    """Makes table 5: other similarity and fusion functions.

    Args:
        variants: All `Variant`s.

    Returns:
        A tuple of its name and the `Markup`; None: there are no runs for it.
    """
    return _changes_section(
        "BiDAF table 5: similarities",
        "Other similarity and fusion functions in BiDAF (table 5 of the BiDAF "
        "paper).",
        paper.VARIATIONS,
        paper.BIDAF_VARIED,
        variants,
    )


def cloze_section(variants):
    """Makes table 3: the cloze test.

    Args:
        variants: All `Variant`s.

    Returns:
        A tuple of its name and the `Markup`; None: there are no runs for it.
    """
    mine = [
        variant
        for variant in at_full_data(variants)
        if variant.config.task.name == "cloze"
    ]
    if not mine:
        return None
    rows = [["BiDAF in the paper", *paper.CLOZE, *[NOTHING] * 4]]
    for variant in mine:
        validation, test = (
            figure(variant, split) for split in ("validation", "test")
        )
        rows.append(
            [
                f"here, {elmo_text(variant)}",
                *[NOTHING] * 4,
                data_text(variant),
                validation,
                test,
                f"{variant.first.results.n_trainable:,}",
            ]
        )
        for metric, title in (
            ("maximum_frequency", "the most frequent entity"),
            (
                "exclusive_frequency",
                "the most frequent one not in the question",
            ),
        ):
            rows.append(
                [
                    f"here, without a model: {title}",
                    *[NOTHING] * 4,
                    "the same",
                    *(
                        _constant(variant, split, metric)
                        for split in ("validation", "test")
                    ),
                    NOTHING,
                ]
            )
    return section(
        "BiDAF table 3: cloze test",
        tag(
            "p",
            "Which entity a question lacks (table 3 of the BiDAF paper, on CNN "
            "and Daily Mail). The training data’s name says what it is here; "
            "without a model there are the two baselines of Hermann et al. "
            "2015.",
            class_="note",
        ),
        scrolling_table(
            "Accuracy in %",
            [
                "model",
                "CNN validation",
                "CNN test",
                "Daily Mail validation",
                "Daily Mail test",
                "training data",
                "validation",
                "test",
                "trainable parameters",
            ],
            rows,
            [("", 1), ("paper", 4), ("here", 4)],
            text_columns=(5,),
        ),
    )


def _constant(variant, split, metric):
    """A figure that no seed changes."""
    summary = variant.summary(split, metric)
    if summary is None:
        return NOTHING
    return tag("a", percent(summary.mean), href=f"#run-{variant.number}")


def _changes_section(name, note, theirs, theirs_unchanged, variants):
    models = [
        variant
        for variant in at_full_data(variants)
        if variant.config.task.name == "squad"
        and variant.config.task.model.name == "bidaf"
    ]
    tables = []
    for base in models:
        if _changes(base):
            continue
        changed = {}
        for variant in models:
            made = _changes(variant)
            if len(made) == 1 and made[0] in theirs:
                prefixes = _CHANGES[made[0]].prefixes
                if without(variant.options, *prefixes) == without(
                    base.options, *prefixes
                ):
                    changed[made[0]] = variant
        if not changed:
            continue
        rows = [
            _row(figures, changed.get(key)) for key, figures in theirs.items()
        ]
        rows.append(_row(theirs_unchanged, base))
        tables.append(
            scrolling_table(
                "EM and F1 in %: SQuAD 1.1’s development data in the paper; "
                f"here trained on {data_text(base)}, validation data "
                f"{data_text(base, 'validation')}",
                ["model", "EM", "F1", "EM", "F1", "trainable parameters"],
                rows,
                [("", 1), ("paper", 2), ("here", 3)],
            )
        )
    if not tables:
        return None
    return section(name, tag("p", note, class_="note"), *tables)


def _changes(variant):
    task = variant.config.task
    return [name for name, one in _CHANGES.items() if one.is_made(task)]


def _row(theirs, variant):
    return [
        *theirs,
        *(figure(variant, "validation", metric) for metric in _METRICS),
        NOTHING
        if variant is None
        else f"{variant.first.results.n_trainable:,}",
    ]
