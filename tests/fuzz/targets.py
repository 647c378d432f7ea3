"""All targets by name."""

import functools

from elmo_tf.errors import InputError
from tests.fuzz import export_targets
from tests.fuzz import file_targets
from tests.fuzz import graph_targets
from tests.fuzz import request_targets
from tests.fuzz import weights_targets


@functools.cache
def _targets():
    return {
        target.name: target
        for module in (
            request_targets,
            weights_targets,
            file_targets,
            graph_targets,
            export_targets,
        )
        for target in module.targets()
    }


def target_names():
    """Lists the names of the targets."""
    return list(_targets())


def find_target(name):
    """Returns the `FuzzTarget` of a name; InputError: there is none."""
    if name not in _targets():
        raise InputError(
            f"--target={name}: expected one of {', '.join(_targets())}"
        )
    return _targets()[name]
