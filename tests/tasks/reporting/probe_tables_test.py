"""The ELMo paper's tables for which nothing is trained."""

import pydantic

from tasks.reporting.probe_results import FineTuningResults
from tasks.reporting.probe_results import SenseResults
from tasks.reporting.probe_run import ProbeRun
from tasks.reporting.probe_tables import perplexities_section
from tasks.reporting.probe_tables import word_senses_section
from tests.tasks.reporting.html_tables import read_tables
from tests.tasks.reporting.run_folders import fine_tuning

FOUR = ("senseval2", "senseval3", "semeval2013", "semeval2015")


def make_run(results_class, values):
    results = pydantic.TypeAdapter(results_class).validate_python(values)
    return ProbeRun("folder", "title", results, "date")


def senses(test_sets):
    return make_run(
        SenseResults,
        {
            "task": "wsd",
            "command": "x",
            "seconds": 1,
            "saved_model": "mini",
            "test": test_sets,
        },
    )


def systems(instances, correct):
    scores = {
        "instances": instances,
        "attempted": instances,
        "correct": correct,
    }
    return {"systems": {"first_sense": scores, "layer_2": scores}}


def test_word_senses():
    test_sets = {name: systems(10, 5) for name in FOUR}
    test_sets["senseval3"] = systems(70, 70)
    test_sets["semeval2007"] = systems(4, 1)
    _, text = word_senses_section([(7, senses(test_sets))])
    (table,) = read_tables(text)
    assert table[1] == ["system", "four sets", "four sets", *test_sets]
    assert table[-2:] == [
        # 85 of 100: SemEval-2007 does not count.
        [
            *("WordNet’s first sense", "65.9", "85.00"),
            *("50.00", "100.00", "50.00", "50.00", "25.00"),
        ],
        [
            *("biLM, second LSTM layer", "69.0", "85.00"),
            *("50.00", "100.00", "50.00", "50.00", "25.00"),
        ],
    ]
    assert '<a href="#run-7">85.00</a>' in text


def test_other_test_sets_have_no_common_figure():
    _, text = word_senses_section([(7, senses({"mine": systems(4, 1)}))])
    assert read_tables(text)[0][-1] == [
        *("biLM, second LSTM layer", "69.0", "—", "25.00")
    ]


def test_perplexities():
    corpora = {
        "tweets": ("ner/conll2003_small", 81.25, 20),
        "mine": ("pos/linear", 1000.04, 9),
    }
    run = make_run(FineTuningResults, fine_tuning(corpora))
    _, text = perplexities_section([(3, run)])
    assert read_tables(text)[0][2:] == [
        [
            *("tweets | paper: CoNLL-2003", "103.2", "46.3", "81.2", "20.0"),
            *("30,000", "2,000", "data/tweets.txt"),
        ],
        [
            *("mine", "—", "—", "1000.0", "9.0"),
            *("30,000", "2,000", "data/mine.txt"),
        ],
    ]
    assert '<a href="#run-3">20.0</a>' in text


def test_nothing():
    assert word_senses_section([]) is None
    assert perplexities_section([]) is None
