from tasks.results import percent


def test_shares_in_per_cent():
    summary = {"mean": 0.41268, "standard_deviation": None}
    assert percent(summary) == "41.27"
    summary["standard_deviation"] = 0.0035
    assert percent(summary) == "41.27 ± 0.35"
