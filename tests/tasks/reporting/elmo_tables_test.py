"""The ELMo paper's tables of trained task models."""

from tasks.reporting import elmo_tables
from tests.tasks.reporting.html_tables import read_tables
from tests.tasks.reporting.run_folders import read_variants
from tests.tasks.reporting.run_folders import write_run
from tests.tasks.reporting.run_folders import write_seeds

NONE = "task.elmo.location=none"
LAMBDA = "λ = {}"


def rows(section):
    (table,) = read_tables(section[1])
    return table


def test_gain(tmp_path):
    write_seeds(tmp_path / "ner/none", {1: 0.5, 2: 0.6}, NONE)
    write_seeds(tmp_path / "ner/elmo", {1: 0.6, 2: 0.6})
    name, text = elmo_tables.elmo_gain_section(read_variants(tmp_path))
    assert name == "ELMo table 1: what ELMo adds"
    groups, header, row = read_tables(text)[0]
    assert groups == ["", "paper", "here"]
    assert header[:7] == ["task", *["baseline", "ELMo", "increase"] * 2]
    assert row == [
        "NER | paper: CoNLL-2003, F1 | here: ner, mini, input, all layers, "
        f"{LAMBDA.format(0.1)}",
        *("90.15", "92.22 ± 0.10", "2.06 / 21 %"),
        "55.00 ± 7.07 | 2 seeds",
        "60.00 ± 0.00 | 2 seeds",
        # The baseline's error is 45.
        "+5.00 / +11.1 % | higher with 1 of 2 seeds",
        "test",
        "1,234 → 1,234",
        "train.txt, 10 batches of 64, 100 tokens",
    ]
    assert '<a href="#run-1">60.00 ± 0.00</a>' in text
    assert '<a href="#run-2">55.00 ± 7.07</a>' in text


def test_one_seed_is_not_compared_with_a_mean(tmp_path):
    write_seeds(tmp_path / "none", {1: 0.5, 2: 0.6}, NONE)
    write_run(tmp_path / "elmo", test=0.7)
    row = rows(elmo_tables.elmo_gain_section(read_variants(tmp_path)))[-1]
    assert row[6] == "— | seeds: 2 against 1"


def test_one_seed_each(tmp_path):
    write_run(tmp_path / "none", overrides=NONE, test=0.5)
    write_run(tmp_path / "elmo", test=0.4)
    row = rows(elmo_tables.elmo_gain_section(read_variants(tmp_path)))[-1]
    assert row[4] == "50.00 | 1 seed"
    assert row[6] == "−10.00 / −20.0 % | one seed each"


def test_different_seeds(tmp_path):
    write_seeds(tmp_path / "none", {1: 0.5, 2: 0.6}, NONE)
    write_seeds(tmp_path / "elmo", {1: 0.6, 3: 0.6})
    row = rows(elmo_tables.elmo_gain_section(read_variants(tmp_path)))[-1]
    assert row[6] == "+5.00 / +11.1 % | different seeds"


def test_validation_data_where_one_has_no_test_data(tmp_path):
    write_run(tmp_path / "none", overrides=NONE, validation=0.3, test=0.5)
    write_run(tmp_path / "elmo", validation=0.4)
    row = rows(elmo_tables.elmo_gain_section(read_variants(tmp_path)))[-1]
    assert row[4:8] == [
        "30.00 | 1 seed",
        "40.00 | 1 seed",
        "+10.00 / +14.3 % | one seed each",
        "validation",
    ]


def test_neither_baseline_nor_data(tmp_path):
    write_run(tmp_path / "elmo", validation=None, examples={"train": 3000})
    row = rows(elmo_tables.elmo_gain_section(read_variants(tmp_path)))[-1]
    assert row[4:8] == ["—", "—", "—", "nothing"]
    assert row[-1] == "train.txt, 3,000 examples, 100 tokens"


def test_what_table_1_is_not_about(tmp_path):
    write_run(tmp_path / "a", "squad/bidaf_small")
    write_run(tmp_path / "b", overrides="task.train_fraction=0.5")
    write_run(
        tmp_path / "c", "sst/sst5", "task.labels=binary", metric="accuracy"
    )
    variants = read_variants(tmp_path)
    assert elmo_tables.elmo_gain_section(variants) is None
    assert elmo_tables.layer_mixes_section(variants) is None
    assert elmo_tables.locations_section(variants) is None
    assert elmo_tables.gamma_section(variants) is None
    assert elmo_tables.parts_of_speech_section(variants) is None
    assert elmo_tables.other_systems_section(variants) is None


def test_layers(tmp_path):
    options = {"metric": "accuracy", "experiment": "snli/snli_small"}
    write_run(tmp_path / "none", overrides=NONE, **options)
    write_run(
        tmp_path / "top",
        overrides="task.elmo.layers=top,task.elmo.l2=0",
        validation=0.6,
        **options,
    )
    for value, found in ((1, 0.7), (0.001, 0.8)):
        write_run(
            tmp_path / f"all_{value}",
            overrides=f"task.elmo.l2={value}",
            validation=found,
            **options,
        )
    _, header, row = rows(
        elmo_tables.layer_mixes_section(read_variants(tmp_path))
    )
    assert header[7:9] == [LAMBDA.format("0.001"), LAMBDA.format("1")]
    assert row[:5] == ["SNLI", "88.1", "89.1", "89.3", "89.5"]
    assert row[5:10] == [
        "50.00 | 1 seed",
        "60.00 | 1 seed",
        "80.00 | 1 seed",
        "70.00 | 1 seed",
        "input and output",
    ]


def test_one_mix_is_no_comparison(tmp_path):
    write_run(tmp_path / "none", overrides=NONE)
    write_run(tmp_path / "all")
    variants = read_variants(tmp_path)
    assert elmo_tables.layer_mixes_section(variants) is None
    assert elmo_tables.locations_section(variants) is None


def test_places(tmp_path):
    for place, value in (("input", 0.2), ("output", 0.3)):
        write_run(
            tmp_path / place,
            "srl/conll2012_small",
            f"task.elmo.location={place},"
            "task.validation_data.input_path=x/dev.txt",
            validation=value,
        )
    row = rows(elmo_tables.locations_section(read_variants(tmp_path)))[-1]
    assert row == [
        *("SRL", "84.7", "84.3", "80.9"),
        *("20.00 | 1 seed", "—", "30.00 | 1 seed"),
        f"mini, all layers, {LAMBDA.format(0)}",
        "dev.txt, 100 tokens",
    ]


def test_gamma(tmp_path):
    write_run(tmp_path / "none", overrides=NONE)
    for name, option, value in (("with", True, 0.6), ("without", False, 0.2)):
        write_run(
            tmp_path / name,
            overrides=f"task.elmo.layers=top,task.elmo.use_gamma={option}",
            validation=value,
        )
    variants = read_variants(tmp_path)
    row = rows(elmo_tables.gamma_section(variants))[-1]
    assert row[1] == "mini, input, top layer"
    assert row[3:] == ["50.00 | 1 seed", "20.00 | 1 seed", "60.00 | 1 seed"]
    # Elsewhere ELMo has its scale, as in the paper, or it is said.
    assert elmo_tables.layer_mixes_section(variants) is None


def test_parts_of_speech(tmp_path):
    for layer, value in ((1, 0.9), ("all", 0.8), (0, 0.7)):
        write_run(
            tmp_path / str(layer),
            "pos/linear",
            f"task.elmo.layers={layer}",
            metric="accuracy",
            validation=value,
        )
    table = rows(elmo_tables.parts_of_speech_section(read_variants(tmp_path)))
    assert [row[:4] for row in table[-4:]] == [
        ["CoVe, second layer", "92.8", "—", "—"],
        ["biLM: mini, token layer", "—", "70.00 | 1 seed", "—"],
        ["biLM: mini, LSTM 1", "97.3", "90.00 | 1 seed", "—"],
        [
            f"biLM: mini, all layers, {LAMBDA.format(0)}",
            *("—", "80.00 | 1 seed", "—"),
        ],
    ]


def test_other_systems(tmp_path):
    write_run(
        tmp_path / "sa",
        "squad/bidaf_self_attention_small",
        test=0.5,
    )
    (table,) = read_tables(
        elmo_tables.other_systems_section(read_variants(tmp_path))[1]
    )
    assert table[1] == ["system", "EM", "F1", "EM", "F1"]
    assert ["SAN (Liu et al. 2017)", "76.8", "84.4", "—", "—"] in table
    assert table[-1] == [
        f"here: sa, mini, input and output, all layers, {LAMBDA.format(0)}",
        *("—", "—", "—", "50.00 | 1 seed"),
    ]
