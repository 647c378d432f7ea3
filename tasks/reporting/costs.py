"""What the runs cost, and what they knew of their words."""

import numpy as np

from bidaf_tf.report.markup import tag
from tasks.reporting.cells import link
from tasks.reporting.grouping import elmo_text
from tasks.reporting.grouping import task_title
from tasks.reporting.table import NOTHING
from tasks.reporting.table import scrolling_table
from tasks.reporting.table import section

_SPLITS = ("validation", "test")


def costs_section(variants):
    """Makes a table of parameters, steps, seconds and known words.

    Args:
        variants: All `Variant`s.

    Returns:
        A tuple of its name and the `Markup`; None: there are no runs for it.
    """
    if not variants:
        return None
    return section(
        "Sizes and times",
        tag(
            "p",
            "Seconds are those of a training with its validations, mean over "
            "the seeds, on whatever machine it ran and whatever ran beside it. "
            "Words: the share of the tokens with a vector beforehand, and of "
            "those with neither a vector nor an entry in the vocabulary.",
            class_="note",
        ),
        scrolling_table(
            "Each configuration",
            [
                "run",
                "task",
                "ELMo",
                "seeds",
                "trainable",
                "frozen",
                "steps",
                "seconds",
                *["with vector", "unknown"] * len(_SPLITS),
            ],
            [_row(variant) for variant in variants],
            [
                ("", 4),
                ("parameters", 2),
                ("training", 2),
                *((f"words of {split} data, %", 2) for split in _SPLITS),
            ],
            text_columns=(1, 2),
        ),
    )


def _row(variant):
    results = [run.results for run in variant.runs]
    return [
        link(variant.number, variant.name),
        task_title(variant),
        elmo_text(variant),
        len(variant.seeds),
        f"{results[0].n_trainable:,}",
        f"{results[0].parameters.get('frozen', 0):,}",
        f"{np.mean([one.steps for one in results]):,.0f}",
        f"{np.mean([run.seconds for run in variant.runs]):,.0f}",
        *(
            _share(results, split, name)
            for split in _SPLITS
            for name in ("tokens_with_vector", "tokens_unknown")
        ),
    ]


def _share(results, split, name):
    known = [one.words.get(split) for one in results]
    if None in known or not all(one.tokens for one in known):
        return NOTHING
    shares = [getattr(one, name) / one.tokens for one in known]
    return f"{100 * np.mean(shares):.1f}"
