"""Configurations as flat lists of options, to be compared."""

from elmo_tf.training.overrides import to_dict

# Without influence on what a training learns.
_WITHOUT_EFFECT = {
    "task.elmo.cache",
    "task.elmo.cache_dir",
    "trainer.max_to_keep",
    "trainer.checkpoint_interval",
    "trainer.summary_interval",
    "trainer.progress_seconds",
    "runtime.seed",
    "seeds",
}
_ELMO = "task.elmo."
LOCATION = "task.elmo.location"


def flat_options(config):
    """Lists the options that decide what a training learns, but for the seed.

    Args:
        config: A `TaskExperimentConfig`.

    Returns:
        A dictionary from dotted name to value. Where ELMo is not used, its
        location is its only option.
    """
    options = {
        name: value
        for name, value in _flat(to_dict(config), "")
        if name not in _WITHOUT_EFFECT
    }
    if options[LOCATION] == "none":
        options = {
            name: value
            for name, value in options.items()
            if name == LOCATION or not name.startswith(_ELMO)
        }
    return options


def without(options, *prefixes):
    """Leaves options out.

    Args:
        options: A dictionary by dotted name.
        *prefixes: How the names of those to leave out begin.

    Returns:
        A tuple of pairs of a name and a value as text, to compare by.
    """
    return tuple(
        (name, repr(value))
        for name, value in sorted(options.items())
        if not name.startswith(prefixes)
    )


def differing(options, others):
    """Lists the options that differ.

    Args:
        options: A dictionary by dotted name.
        others: Likewise, of the same task.

    Returns:
        A dictionary of those of `options` that are not in `others`, or with
        another value.
    """
    missing = object()
    return {
        name: value
        for name, value in options.items()
        if others.get(name, missing) != value
    }


def _flat(values, prefix):
    for name, value in values.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value
