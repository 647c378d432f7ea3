"""Prepares TensorFlow for a run: devices, strategy, precision, seeds."""

import functools
import json
import os
import signal
import socket
import time

import keras
import tensorflow as tf
from official.common import distribute_utils
from tensorflow.compiler.xla.tsl.protobuf import coordination_config_pb2
from tensorflow.python.eager import context

from elmo_tf.errors import InputError
from elmo_tf.errors import LostWorkerError

_POLL_SECONDS = 0.5
_GRACE_SECONDS = 5


def set_up(runtime):
    """Applies a `RuntimeConfig`; to be called before anything else.

    Args:
        runtime: The `RuntimeConfig`.

    Returns:
        The `tf.distribute.Strategy`.

    Raises:
        InputError: There are fewer GPUs than asked for, or TF_CONFIG is
            missing or no JSON.
        LostWorkerError: Not all workers have come in time.
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
        return _multi_worker_strategy(runtime.num_gpus, runtime.worker_timeout)
    if runtime.distribution_strategy == "one_device" and runtime.num_gpus > 1:
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


def local_replica_ids(strategy):
    """Lists the numbers, among all replicas, of this process' ones.

    Args:
        strategy: The `tf.distribute.Strategy`.

    Returns:
        A list of ints.
    """
    replica_ids = []

    def add(context):
        replica_ids.append(context.replica_id_in_sync_group)
        return tf.zeros([])

    strategy.experimental_distribute_values_from_function(add)
    return replica_ids


# TensorFlow can join a cluster once in a process.
@functools.cache
def _multi_worker_strategy(num_gpus, timeout):
    """Waits for the other workers."""
    gpus = tf.config.list_physical_devices("GPU")
    tf.config.set_visible_devices(gpus[:num_gpus], "GPU")
    resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
    addresses = resolver.cluster_spec().job_tasks("worker")
    n_workers = len(addresses)
    name = f"worker {resolver.task_id} of {n_workers}"
    if resolver.task_id == 0:
        _wait_for_workers(name, addresses, timeout)
    # As the strategy does it by itself, which would wait for an hour.
    context.context().configure_coordination_service(
        service_type="standalone",
        service_leader="/job:worker/replica:0/task:0",
        cluster_register_timeout_in_ms=int(1000 * timeout),
        coordinated_jobs=[
            coordination_config_pb2.CoordinatedJob(
                name="worker", num_tasks=n_workers
            )
        ],
    )
    options = tf.distribute.experimental.CommunicationOptions(
        timeout_seconds=timeout
    )
    try:
        # While it waits TensorFlow lets no other Python code run, and the first
        # worker's waiting has no end of its own.
        signal.setitimer(signal.ITIMER_REAL, timeout + _GRACE_SECONDS)
        strategy = tf.distribute.MultiWorkerMirroredStrategy(resolver)
        signal.setitimer(signal.ITIMER_REAL, 0)
        # The first worker waits for the others when it first needs them.
        nothing = tf.zeros([])
        strategy.extended.reduce_to(
            tf.distribute.ReduceOp.SUM, nothing, nothing, options
        )
        return strategy
    except tf.errors.OpError as error:
        raise LostWorkerError(
            f"{name}: found not all workers of TF_CONFIG within {timeout:g} "
            "seconds (runtime.worker_timeout): "
            + str(error).strip().splitlines()[0]
        ) from error


def _wait_for_workers(name, addresses, timeout):
    """Waits until all workers but the first have opened their ports."""
    deadline = time.monotonic() + timeout
    missing = dict(enumerate(addresses[1:], 1))
    while True:
        for index, address in list(missing.items()):
            host, _, port = address.rpartition(":")
            try:
                socket.create_connection((host.strip("[]"), port), 1).close()
            except OSError:
                continue
            del missing[index]
        if not missing:
            return
        if time.monotonic() > deadline:
            listed = ", ".join(
                f"{index} ({address})" for index, address in missing.items()
            )
            raise LostWorkerError(
                f"{name}: found nobody within {timeout:g} seconds "
                f"(runtime.worker_timeout) where TF_CONFIG has other workers: "
                f"{listed}"
            )
        time.sleep(_POLL_SECONDS)


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
