"""What the workers of a training on several machines tell each other.

With one worker all of this is free of cost and of effect.
"""

import contextlib
import json
import re

import numpy as np
import tensorflow as tf

from elmo_tf.errors import InputError
from elmo_tf.errors import LostWorkerError
from elmo_tf.training.runtime import is_chief

# What TensorFlow raises when another process of the cluster does not answer.
_LOST = (
    tf.errors.AbortedError,
    tf.errors.CancelledError,
    tf.errors.DeadlineExceededError,
    tf.errors.UnavailableError,
)
_ABORTED = "Collective ops is aborted by: "
_MISSING = object()


def from_first_worker(strategy, make):
    """Calls a function on the first worker and gives all of them its result.

    All workers must call this; the others wait.

    Args:
        strategy: The `tf.distribute.Strategy`.
        make: A function without arguments.

    Returns:
        What `make` has returned, on the other workers as it is after a way
        through JSON.
    """
    if _n_workers(strategy) == 1:
        return make()
    result = None
    data = b""
    if is_chief(strategy):
        result = make()
        data = json.dumps(result).encode()
    size = int(_sum(strategy, np.array([len(data)]))[0])
    numbers = np.zeros(size)
    numbers[: len(data)] = np.frombuffer(data, np.uint8)
    numbers = _sum(strategy, numbers)
    if is_chief(strategy):
        return result
    return json.loads(numbers.astype(np.uint8).tobytes())


def first_worker_first(strategy, make):
    """Calls a function on all workers, on the first one before the others.

    What it leaves on a disk that they share the others find complete.

    Args:
        strategy: The `tf.distribute.Strategy`.
        make: A function without arguments.

    Returns:
        What it has returned in this process.
    """
    if is_chief(strategy):
        result = make()
        from_first_worker(strategy, lambda: None)
        return result
    from_first_worker(strategy, lambda: None)
    return make()


def check_same(strategy, values):
    """Checks that all workers have been given the same.

    Args:
        strategy: The `tf.distribute.Strategy`.
        values: A dictionary, which may be nested, of plain values.

    Raises:
        InputError: A worker has something else than the first one: raised in
            each, and in the worker itself it names both.
    """
    if _n_workers(strategy) == 1:
        return
    values = _flat(json.loads(json.dumps(values)))
    expected = from_first_worker(strategy, lambda: values)
    differing = [
        name
        for name in {**expected, **values}
        if values.get(name, _MISSING) != expected.get(name, _MISSING)
    ]
    n_workers = _n_workers(strategy)
    index = strategy.cluster_resolver.task_id
    flags = np.zeros(n_workers)
    flags[index] = bool(differing)
    flags = _sum(strategy, flags)
    if differing:
        name = differing[0]
        raise InputError(
            f"worker {index} of {n_workers}: found {name} "
            f"{_shown(values, name)}, expected {_shown(expected, name)} as the "
            "first worker (0) has it"
        )
    if flags.any():
        others = ", ".join(map(str, np.flatnonzero(flags)))
        raise InputError(
            f"worker {index} of {n_workers}: found workers that were started "
            f"with something else than the first one (0): {others}; their own "
            "messages say with what"
        )


@contextlib.contextmanager
def lost_workers():
    """Makes TensorFlow's errors about other workers one line.

    Raises:
        LostWorkerError: In place of one of them.
    """
    try:
        yield
    except tf.errors.OpError as error:
        message = str(error)
        if not isinstance(error, _LOST) and _ABORTED not in message:
            raise
        raise LostWorkerError(
            f"{_summary(message)}. Start all workers again with the same "
            "commands: the run goes on from its last checkpoint"
        ) from error


def _n_workers(strategy):
    resolver = strategy.cluster_resolver
    if resolver is None or not resolver.task_type:
        return 1
    return resolver.cluster_spec().num_tasks(resolver.task_type)


def _sum(strategy, numbers):
    """Sums arrays of whole numbers less than 2²⁴ over the workers."""
    zeros = tf.zeros(numbers.shape)
    # A worker counts once, however many replicas it has.
    is_counted = []

    def of_replica(_):
        is_counted.append(not is_counted)
        return tf.constant(numbers, tf.float32) if is_counted[-1] else zeros

    values = strategy.experimental_distribute_values_from_function(of_replica)
    return strategy.reduce(
        tf.distribute.ReduceOp.SUM, values, axis=None
    ).numpy()


def _flat(values, prefix=""):
    if not isinstance(values, dict) or not values:
        return {prefix: values}
    flat = {}
    for name, value in values.items():
        flat.update(_flat(value, f"{prefix}.{name}" if prefix else name))
    return flat


def _shown(values, name):
    return repr(values[name]) if name in values else "not at all"


def _summary(message):
    """The cause, and the worker that TensorFlow has met it at."""
    found = re.search(f"(?:{_ABORTED})+(.*)", message, re.DOTALL)
    cause = (found[1] if found else message).strip()
    worker = re.search(r"/job:worker(?:/replica:\d+)?/task:(\d+)", cause)
    who = f"worker {worker[1]}" if worker else "another worker"
    first_sentence = cause.splitlines()[0].split(". ")[0].rstrip(".:")
    return f"lost {who}: {first_sentence}"
