"""The tables of the ELMo paper for which no task model is trained."""

from bidaf_tf.report.markup import joined
from bidaf_tf.report.markup import tag
from tasks.reporting import paper
from tasks.reporting.cells import link
from tasks.reporting.cells import percent
from tasks.reporting.probe_results import SenseScores
from tasks.reporting.table import NOTHING
from tasks.reporting.table import scrolling_table
from tasks.reporting.table import section


def word_senses_section(runs):
    """Makes table 5: word senses by the biLM's layers.

    Args:
        runs: A list of tuples of the number of an entry and a `ProbeRun` with
            `SenseResults`.

    Returns:
        A tuple of its name and the `Markup`; None: there are no runs for it.
    """
    if not runs:
        return None
    return section(
        "ELMo table 5: word senses",
        tag(
            "p",
            "Each word gets the sense whose mean vector in the training data "
            "is nearest (table 5 of the ELMo paper). “Four sets” are those of "
            "the paper’s figures: all but SemEval-2007.",
            class_="note",
        ),
        *(_senses_table(number, run.results) for number, run in runs),
    )


def _senses_table(number, results):
    test_sets = results.test
    has_four = all(name in test_sets for name in paper.WORD_SENSE_TEST_SETS)
    systems = dict.fromkeys(
        system for found in test_sets.values() for system in found.systems
    )
    rows = [
        [name, theirs, *[NOTHING] * (1 + len(test_sets))]
        for name, theirs in paper.OTHER_WORD_SENSES
    ]
    for system in systems:
        title, theirs = paper.WORD_SENSES.get(
            system, (f"biLM, {system.replace('_', ' ')}", None)
        )
        scores = {
            name: found.systems.get(system) for name, found in test_sets.items()
        }
        four = None
        if has_four:
            four = [scores[name] for name in paper.WORD_SENSE_TEST_SETS]
            four = None if None in four else sum(four, SenseScores(0, 0, 0))
        rows.append(
            [
                title,
                theirs or NOTHING,
                *(
                    link(number, percent(found.f1))
                    if found is not None
                    else NOTHING
                    for found in (four, *scores.values())
                ),
            ]
        )
    return scrolling_table(
        f"F1 in %, here with {results.saved_model}",
        ["system", "four sets", "four sets", *test_sets],
        rows,
        [("", 1), ("paper", 1), ("here", 1 + len(test_sets))],
    )


def perplexities_section(runs):
    """Makes table 7: perplexities before and after fine-tuning.

    Args:
        runs: A list of tuples of the number of an entry and a `ProbeRun` with
            `FineTuningResults`.

    Returns:
        A tuple of its name and the `Markup`; None: there are no runs for it.
    """
    if not runs:
        return None
    return section(
        "ELMo table 7: fine-tuning",
        tag(
            "p",
            "Perplexities on development data, the mean of both directions, "
            "before and after an epoch of fine-tuning (table 7 of the ELMo "
            "paper).",
            class_="note",
        ),
        *(_perplexities_table(number, run.results) for number, run in runs),
    )


def _perplexities_table(number, results):
    rows = []
    for name, mine in results.corpora.items():
        task = mine.experiment.partition("/")[0]
        data, *theirs = paper.PERPLEXITIES.get(task, (None, None, None))
        rows.append(
            [
                joined([name, data and tag("small", f"paper: {data}")], " "),
                *(value or NOTHING for value in theirs),
                *(
                    link(number, f"{found.average_perplexity:.1f}")
                    for found in (mine.before, mine.after)
                ),
                f"{mine.train_tokens:,}",
                f"{mine.validation_tokens:,}",
                mine.validation,
            ]
        )
    return scrolling_table(
        f"Perplexity, here of the biLM in {results.model_dir}",
        [
            "data",
            *["before", "after"] * 2,
            "tokens trained on",
            "tokens measured",
            "validation data",
        ],
        rows,
        [("", 1), ("paper", 2), ("here", 5)],
        text_columns=(7,),
    )
