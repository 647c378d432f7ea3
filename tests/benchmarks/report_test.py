"""Numbers as benchmarks print them."""

from benchmarks import report


def test_numbers():
    assert report.number(12345.6) == "12,346"
    assert report.number(1.234) == "1.23"
    assert report.number(None) == "—"
    assert report.megabytes(12_345_678_900) == "12,346 MB"
