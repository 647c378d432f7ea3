import pytest

from elmo_tf.errors import InputError
from elmo_tf.flag_checks import check_choices
from elmo_tf.flag_checks import check_distinct
from elmo_tf.flag_checks import check_whole_numbers


def test_what_is_allowed():
    check_choices("a", ["x", "y"], ["x", "y", "z"])
    check_choices("a", [], ["x"], may_be_empty=True)
    check_whole_numbers("a", ["3", "4"], 3)
    check_distinct("a", ["1", "01"])
    check_distinct("a", None)


@pytest.mark.parametrize(
    "check, arguments, message",
    [
        (
            check_choices,
            (["w"], ["x", "y"]),
            "found 'w', expected some of x",
        ),
        (check_choices, ([], ["x"]), "is empty, expected some of x"),
        (check_whole_numbers, (["2"], 3), "found '2', expected whole numbers"),
        (check_whole_numbers, (["3.0"], 3), "found '3.0', expected whole num"),
        (check_whole_numbers, ([], 0), "is empty, expected whole numbers fro"),
        (check_distinct, (["1", "2", "1"],), "found 1 twice"),
    ],
)
def test_mistakes(check, arguments, message):
    with pytest.raises(InputError, match=f"^--a: {message}"):
        check("a", *arguments)
