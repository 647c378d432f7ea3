"""What a binary's lists of flags may hold."""

from elmo_tf.errors import InputError


def check_choices(name, values, known, may_be_empty=False):
    """Checks that a list holds nothing unknown.

    Args:
        name: The flag's name.
        values: The list.
        known: What it may hold.
        may_be_empty: Whether it may hold nothing.

    Raises:
        InputError: It holds something else, or nothing.
    """
    expected = f"expected some of {', '.join(known)}"
    for value in values:
        if value not in known:
            raise InputError(f"--{name}: found {value!r}, {expected}")
    if not values and not may_be_empty:
        raise InputError(f"--{name}: is empty, {expected}")


def check_whole_numbers(name, values, least):
    """Checks that a list of strings holds whole numbers.

    Args:
        name: The flag's name.
        values: The list.
        least: The least number allowed.

    Raises:
        InputError: It holds something else, or nothing.
    """
    expected = f"expected whole numbers from {least} on"
    for value in values:
        if not value.isdecimal() or int(value) < least:
            raise InputError(f"--{name}: found {value!r}, {expected}")
    if not values:
        raise InputError(f"--{name}: is empty, {expected}")


def check_distinct(name, values):
    """Checks that a list holds nothing twice.

    Args:
        name: The flag's name.
        values: The list; None: there is none.

    Raises:
        InputError: It does.
    """
    for value in values or ():
        if values.count(value) > 1:
            raise InputError(f"--{name}: found {value} twice")
