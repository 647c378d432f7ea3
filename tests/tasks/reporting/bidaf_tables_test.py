"""The BiDAF paper's tables."""

from tasks.reporting import bidaf_tables
from tests.tasks.reporting.html_tables import read_tables
from tests.tasks.reporting.run_folders import read_variants
from tests.tasks.reporting.run_folders import write_run


def write(folder, overrides="", value=0.5):
    write_run(
        folder,
        "squad/bidaf_small",
        overrides,
        validation=value,
        test=None,
    )


def test_ablations(tmp_path):
    write(tmp_path / "whole", value=0.9)
    write(tmp_path / "a", "task.character_encoder.filters=0", 0.1)
    write(tmp_path / "b", "task.word_vectors.dim=0", 0.2)
    write(tmp_path / "c", "task.model.context_to_query=false", 0.3)
    write(tmp_path / "d", "task.model.query_to_context=false", 0.4)
    write(tmp_path / "e", "task.model.dynamic_attention=true", 0.5)
    # Two changes, or another one besides, are no ablation.
    write(
        tmp_path / "f",
        "task.character_encoder.filters=0,task.word_vectors.dim=0,"
        "task.elmo.location=input",
    )
    write(
        tmp_path / "g",
        "task.model.context_to_query=false,task.model.hidden_size=7",
    )
    variants = read_variants(tmp_path)
    (table,) = read_tables(bidaf_tables.ablations_section(variants)[1])
    assert [(row[0], row[2], row[3], row[4]) for row in table[2:]] == [
        ("No character embedding", "75.4", "—", "10.00 | 1 seed"),
        ("No word embedding", "66.8", "—", "20.00 | 1 seed"),
        ("No C2Q attention", "67.7", "—", "30.00 | 1 seed"),
        ("No Q2C attention", "73.7", "—", "40.00 | 1 seed"),
        ("Dynamic attention", "73.6", "—", "50.00 | 1 seed"),
        ("BiDAF", "77.3", "—", "90.00 | 1 seed"),
    ]
    assert bidaf_tables.variations_section(variants) is None


def test_variations(tmp_path):
    write(tmp_path / "whole", value=0.9)
    write(tmp_path / "a", "task.model.similarity=dot", 0.1)
    write(tmp_path / "b", "task.model.fusion=mlp", 0.2)
    variants = read_variants(tmp_path)
    (table,) = read_tables(bidaf_tables.variations_section(variants)[1])
    assert [row[4] for row in table[2:]] == [
        *("10.00 | 1 seed", "—", "—", "—"),
        *("20.00 | 1 seed", "90.00 | 1 seed"),
    ]
    assert bidaf_tables.ablations_section(variants) is None


def test_bidaf_alone_is_no_table(tmp_path):
    write(tmp_path / "whole")
    variants = read_variants(tmp_path)
    assert bidaf_tables.ablations_section(variants) is None
    assert bidaf_tables.cloze_section(variants) is None


def test_cloze(tmp_path):
    write_run(
        tmp_path / "a",
        "cloze/small",
        metric="accuracy",
        validation=None,
        test=None,
    )
    results = (tmp_path / "a" / "results.json").read_text()
    metrics = '{"accuracy": 0.5, "maximum_frequency": 0.25}'
    (tmp_path / "a" / "results.json").write_text(
        results.replace('"test": null', f'"test": {metrics}')
    )
    (table,) = read_tables(
        bidaf_tables.cloze_section(read_variants(tmp_path))[1]
    )
    assert [[row[0], row[2], *row[5:8]] for row in table[2:]] == [
        ["BiDAF in the paper", "76.9", "—", "—", "—"],
        [
            "here, without ELMo",
            *("—", "train.txt, 10 batches of 16, 100 tokens", "—"),
            "50.00 | 1 seed",
        ],
        [
            "here, without a model: the most frequent entity",
            *("—", "the same", "—", "25.00"),
        ],
        [
            "here, without a model: the most frequent one not in the question",
            *("—", "the same", "—", "—"),
        ],
    ]
