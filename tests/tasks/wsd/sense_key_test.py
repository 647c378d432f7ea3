"""What stands in sense keys."""

import pytest

from tasks.wsd.sense_key import split_key


@pytest.mark.parametrize(
    "key, expected",
    [
        ("bank%1:17:01::", ("bank", "n")),
        ("take_place%2:30:00::", ("take_place", "v")),
        ("big%3:00:01::", ("big", "a")),
        ("well%4:02:00::", ("well", "r")),
        ("big%5:00:02:large:01", ("big", "a")),
        ("%%1:23:00::", ("%", "n")),
        ("bank", None),
        ("%1:17:01::", None),
        ("bank%6:17:01::", None),
        ("bank%17:01::", None),
        ("", None),
    ],
)
def test_split(key, expected):
    assert split_key(key) == expected
