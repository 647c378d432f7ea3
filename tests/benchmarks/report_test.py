"""Tables of text."""

from benchmarks import report


def test_a_table_is_aligned_markdown():
    text = report.table(["name", "n"], [["a", "1,000"], ["longer", "—"]])
    assert text.splitlines() == [
        "| name   |     n |",
        "|--------|------:|",
        "| a      | 1,000 |",
        "| longer |     — |",
    ]


def test_numbers():
    assert report.number(12345.6) == "12,346"
    assert report.number(1.234) == "1.23"
    assert report.number(None) == "—"
    assert report.megabytes(12_345_678_900) == "12,346 MB"


def test_shares_in_per_cent():
    summary = {"mean": 0.41268, "standard_deviation": None}
    assert report.percent(summary) == "41.27"
    summary["standard_deviation"] = 0.0035
    assert report.percent(summary) == "41.27 ± 0.35"


def test_the_machine_is_described():
    machine = report.machine()
    assert machine["cores"] >= 1
    assert machine["processor"]
