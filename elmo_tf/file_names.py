"""Names of files that stand in a file."""

import os


def leads_outside(name):
    """Tells whether a path leads out of the folder that it is relative to.

    Args:
        name: The path.
    """
    first = os.path.normpath(name).split(os.sep)[0]
    return os.path.isabs(name) or first == os.pardir
