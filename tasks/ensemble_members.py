"""Which trainings make an ensemble."""

import os
import re

from elmo_tf.errors import InputError

_SEED_FOLDER = re.compile(r"seed_(-?\d+)")


def member_dirs(model_dirs):
    """Lists the folders of an ensemble's members.

    Args:
        model_dirs: Folders of trainings. That of a training with several seeds
            stands for the trainings with each of them.

    Returns:
        The list of folders of single trainings.

    Raises:
        InputError: There are fewer than two members, or one occurs twice.
    """
    members = []
    for model_dir in model_dirs:
        members.extend(_seed_folders(model_dir) or [model_dir])
    if len(members) < 2:
        raise InputError(
            f"--model_dir: found {len(members)} member, {members[0]}, expected "
            "two or more"
        )
    real = [os.path.realpath(member) for member in members]
    for index, member in enumerate(members):
        if real[index] in real[:index]:
            raise InputError(f"--model_dir: {member} occurs twice")
    return members


def check_members(model_dirs, tasks):
    """Checks that the answers of several models can be joined.

    Args:
        model_dirs: What to call them in messages.
        tasks: A list of each one's `Task`.

    Raises:
        InputError: They are of different tasks or have different labels.
    """
    for model_dir, task in zip(model_dirs[1:], tasks[1:], strict=True):
        for what, found, expected in (
            ("task", task.config.name, tasks[0].config.name),
            ("labels", ", ".join(task.labels), ", ".join(tasks[0].labels)),
        ):
            if found != expected:
                raise InputError(
                    f"{model_dir}: found the {what} {found}, expected "
                    f"{expected} as in {model_dirs[0]}"
                )


def _seed_folders(model_dir):
    """The folders of a training with several seeds, in their order."""
    try:
        names = os.listdir(model_dir)
    except OSError:
        return []
    seeds = sorted(
        int(match.group(1))
        for match in map(_SEED_FOLDER.fullmatch, names)
        if match
    )
    return [os.path.join(model_dir, f"seed_{seed}") for seed in seeds]
