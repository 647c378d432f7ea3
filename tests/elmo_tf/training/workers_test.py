"""What is said of workers, in one process; the rest needs several.

See tests/elmo_tf/several_workers_test.py.
"""

import pytest
import tensorflow as tf

from elmo_tf.errors import LostWorkerError
from elmo_tf.training import workers


@pytest.fixture
def strategy():
    return tf.distribute.OneDeviceStrategy("CPU:0")


def test_one_worker_is_asked_nothing(strategy):
    value = object()
    assert workers.from_first_worker(strategy, lambda: value) is value
    assert workers.first_worker_first(strategy, lambda: value) is value
    workers.check_same(strategy, {"of no type that JSON knows": value})


# Messages of TensorFlow 2.20, shortened.
MESSAGES = {
    # A neighbour was killed.
    "Graph execution error:\n\nDetected at node CollectiveReduceV2 defined at\n"
    "Collective ops is aborted by: recvmsg:Connection reset by peer\n"
    "Additional GRPC error information from remote target "
    "/job:worker/replica:0/task:2 while calling RecvBuf:\n": (
        "lost worker 2: recvmsg:Connection reset by peer"
    ),
    # The neighbour of a neighbour was.
    "Collective ops is aborted by: Collective ops is aborted by: recvmsg:"
    "Connection reset by peer\nAdditional GRPC error information from remote "
    "target /job:worker/replica:0/task:2 while calling RecvBuf:\n: Additional "
    "GRPC error information from remote target /job:worker/replica:0/task:0 "
    '{grpc_message:"Collective ops is aborted by: recvmsg"}': (
        "lost worker 2: recvmsg:Connection reset by peer"
    ),
    # A machine has fallen silent.
    "Collective ops is aborted by: Error reported from /job:worker/task:1: The "
    "following tasks are unhealthy (stopped sending heartbeats):\n": (
        "lost worker 1: Error reported from /job:worker/task:1: The following "
        "tasks are unhealthy (stopped sending heartbeats)"
    ),
    "Collective ops is aborted by: Failed to send RPC to coordination service. "
    "Either the leader task was preempted or this task has\n": (
        "lost another worker: Failed to send RPC to coordination service"
    ),
}


@pytest.mark.parametrize("message", MESSAGES)
def test_a_lost_worker(message):
    with pytest.raises(LostWorkerError) as info:
        with workers.lost_workers():
            # Its kind depends on who notices first.
            raise tf.errors.InternalError(None, None, message)
    assert str(info.value) == (
        f"{MESSAGES[message]}. Start all workers again with the same commands: "
        "the run goes on from its last checkpoint"
    )
    assert info.value.exit_code == 138


def test_another_error_stays_what_it_is():
    error = tf.errors.InvalidArgumentError(None, None, "shapes do not match")
    with pytest.raises(tf.errors.InvalidArgumentError) as info:
        with workers.lost_workers():
            raise error
    assert info.value is error
