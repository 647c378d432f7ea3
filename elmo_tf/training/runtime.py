"""Prepares TensorFlow for a run: devices, strategy, precision, seeds."""

import json
import os

import keras
import tensorflow as tf
from official.common import distribute_utils

from elmo_tf.errors import InputError


def set_up(runtime):
    """Applies a `RuntimeConfig`; to be called before anything else.

    Args:
        runtime: The `RuntimeConfig`.

    Returns:
        The `tf.distribute.Strategy`.

    Raises:
        InputError: There are fewer GPUs than asked for, or TF_CONFIG is
            missing or no JSON.
    """
    keras.utils.set_random_seed(runtime.seed)
    if runtime.deterministic:
        tf.config.experimental.enable_op_determinism()
    keras.config.set_dtype_policy(runtime.mixed_precision)
    gpus = tf.config.list_physical_devices("GPU")
    if runtime.num_gpus > len(gpus):
        raise InputError(
            f"runtime.num_gpus is {runtime.num_gpus}, but this machine has "
            f"{len(gpus)}"
        )
    if runtime.num_gpus == 0:
        _split_cpu(runtime.num_logical_cpus)
        if runtime.distribution_strategy == "mirrored":
            return tf.distribute.MirroredStrategy(
                [f"CPU:{i}" for i in range(runtime.num_logical_cpus)]
            )
    elif runtime.num_logical_cpus > 1:
        raise InputError(
            "runtime.num_logical_cpus needs runtime.num_gpus=0, found "
            f"{runtime.num_gpus}"
        )
    if runtime.distribution_strategy == "multi_worker_mirrored":
        _check_tf_config()
    elif runtime.distribution_strategy == "one_device" and runtime.num_gpus > 1:
        raise InputError(
            f"runtime.num_gpus is {runtime.num_gpus}, but "
            "runtime.distribution_strategy is one_device; use mirrored"
        )
    return distribute_utils.get_distribution_strategy(
        runtime.distribution_strategy, num_gpus=runtime.num_gpus
    )


def is_chief(strategy):
    """Whether this process writes the run's files.

    Args:
        strategy: The `tf.distribute.Strategy`.

    Returns:
        A bool: true unless it is a worker other than the first.
    """
    resolver = strategy.cluster_resolver
    return resolver is None or not resolver.task_type or resolver.task_id == 0


def _split_cpu(count):
    devices = tf.config.list_physical_devices("CPU")
    if count > 1:
        tf.config.set_logical_device_configuration(
            devices[0], [tf.config.LogicalDeviceConfiguration()] * count
        )


def _check_tf_config():
    text = os.environ.get("TF_CONFIG", "")
    try:
        config = json.loads(text)
        cluster = config["cluster"]
        workers = cluster["worker"]
        task_type = config["task"]["type"]
        index = int(config["task"]["index"])
    except (ValueError, KeyError, TypeError):
        raise InputError(
            "multi_worker_mirrored needs the environment variable TF_CONFIG: "
            'expected {"cluster": {"worker": ["host:port", …]}, "task": '
            '{"type": "worker", "index": 0}}, found '
            + (repr(text) if text else "none")
        ) from None
    # The first worker is the one that writes the run's files.
    if list(cluster) != ["worker"]:
        raise InputError(
            "TF_CONFIG: expected a cluster of workers only, found "
            f"{', '.join(sorted(cluster))}"
        )
    if task_type != "worker":
        raise InputError(
            f"TF_CONFIG: expected the task type worker, found {task_type!r}"
        )
    if not 0 <= index < len(workers):
        raise InputError(
            f"TF_CONFIG: task index {index} is outside the {len(workers)} "
            "workers of the cluster"
        )
