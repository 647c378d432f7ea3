"""Puts the report of runs together."""

import pathlib

from bidaf_tf.report.markup import joined
from bidaf_tf.report.markup import tag
from bidaf_tf.report.page import make_page
from tasks.reporting import bidaf_tables
from tasks.reporting import elmo_tables
from tasks.reporting import probe_tables
from tasks.reporting.costs import costs_section
from tasks.reporting.curves import fractions_section
from tasks.reporting.curves import learning_curves_section
from tasks.reporting.finding import find_runs
from tasks.reporting.grouping import make_variants
from tasks.reporting.grouping import task_title
from tasks.reporting.learned_weights_section import learned_weights_section
from tasks.reporting.run_list import left_out_section
from tasks.reporting.run_list import runs_section
from tasks.reporting.table import scrolling_table
from tasks.reporting.table import section

_STYLE = pathlib.Path(__file__).parent / "assets" / "report.css"

# Of the papers and not of runs of this kind.
_ELSEWHERE = (
    (
        "ELMo, table 4, nearest neighbours",
        "elmo_tf.Elmo.nearest_neighbours: no run leaves them",
    ),
    (
        "BiDAF, table 2 and figures 2 and 3, tables 1a and 4",
        "python -m bidaf_tf.visualize looks inside a model; SQuAD’s test data "
        "are not public",
    ),
)


def make_report(root, command):
    """Makes the report.

    Args:
        root: The folder of the runs.
        command: The command that makes the report, to be told.

    Returns:
        A tuple of the HTML page and a dictionary of `runs`, how many trainings
        there are, `configurations`, `probes`, `left_out`, and `sections`, the
        names of the page's sections.

    Raises:
        InputError: There is no such folder, or no finished run in it.
    """
    found = find_runs(root)
    variants = make_variants(found.tasks)
    probes = list(
        enumerate([*found.senses, *found.fine_tunings], len(variants) + 1)
    )
    senses = probes[: len(found.senses)]
    fine_tunings = probes[len(found.senses) :]
    made = {
        "ELMo, table 1": elmo_tables.elmo_gain_section(variants),
        "ELMo, table 2": elmo_tables.layer_mixes_section(variants),
        "ELMo, table 3": elmo_tables.locations_section(variants),
        "ELMo, table 5": probe_tables.word_senses_section(senses),
        "ELMo, table 6": elmo_tables.parts_of_speech_section(variants),
        "ELMo, table 7": probe_tables.perplexities_section(fine_tunings),
        "ELMo, tables 8 to 13": elmo_tables.other_systems_section(variants),
        "ELMo, figure 1": fractions_section(variants),
        "ELMo, figure 2": learned_weights_section(variants),
        "ELMo, section A.2": elmo_tables.gamma_section(variants),
        "BiDAF, table 1b": bidaf_tables.ablations_section(variants),
        "BiDAF, table 3": bidaf_tables.cloze_section(variants),
        "BiDAF, table 5": bidaf_tables.variations_section(variants),
    }
    sections = [
        *made.values(),
        learning_curves_section(variants),
        costs_section(variants),
        _missing_section([name for name, one in made.items() if one is None]),
        left_out_section(found.left_out),
        runs_section(variants, probes, root),
    ]
    sections = [one for one in sections if one is not None]
    page = make_page(
        "Runs beside the papers",
        _head(root, command, found, variants),
        sections,
        _STYLE.read_text(encoding="utf-8"),
    )
    return page, {
        "runs": len(found.tasks),
        "configurations": len(variants),
        "probes": len(probes),
        "left_out": len(found.left_out),
        "sections": [name for name, _ in sections],
    }


def _head(root, command, found, variants):
    tasks = dict.fromkeys(task_title(variant) for variant in variants)
    facts = [
        ("Runs", f"{root}: {_counts(found, variants)}"),
        ("Tasks", "; ".join(tasks) or "none trained"),
        ("Made by", tag("pre", command)),
    ]
    return joined(
        [
            tag(
                "p",
                "What the runs in a folder came to, beside what the papers "
                "print: Peters et al. 2018, “Deep contextualized word "
                "representations” (ELMo), and Seo et al. 2017, “Bidirectional "
                "attention flow for machine comprehension” (BiDAF). Columns "
                "under “paper” are theirs, those under “here” are of the runs. "
                "Models, data and biLM here are those of the run, whose entry "
                "at the end each figure leads to: most are smaller than the "
                "papers’, and then the figures show what the runs do, not what "
                "the papers’ models would.",
            ),
            tag(
                "dl",
                *(
                    part
                    for name, text in facts
                    for part in (tag("dt", name), tag("dd", text))
                ),
                class_="facts",
            ),
        ]
    )


def _counts(found, variants):
    n_probes = len(found.senses) + len(found.fine_tunings)
    return (
        f"{_count(len(found.tasks), 'training')} of "
        f"{_count(len(variants), 'configuration')}, "
        f"{_count(n_probes, 'other measurement')}; "
        f"{_count(len(found.left_out), 'folder')} left out"
    )


def _count(number, name):
    return f"{number} {name}{'' if number == 1 else 's'}"


def _missing_section(names):
    rows = [(name, "no run for it in the folder") for name in names]
    return section(
        "Not here",
        scrolling_table(
            "Tables and figures of the papers that this report does not have",
            ["table or figure", "reason"],
            [*rows, *_ELSEWHERE],
            text_columns=(1,),
        ),
    )
