import collections
import json

import pytest
import tensorflow as tf

from elmo_tf.errors import InputError
from elmo_tf.training import runtime as runtime_lib
from elmo_tf.training.experiment import RuntimeConfig
from elmo_tf.training.runtime import is_chief
from elmo_tf.training.runtime import set_up


@pytest.fixture(autouse=True)
def global_settings(monkeypatch):
    """Records what a run sets for its whole process, instead of setting it."""
    settings = {}
    for module, name in (
        (runtime_lib.keras.utils, "set_random_seed"),
        (runtime_lib.keras.config, "set_dtype_policy"),
        (tf.config.experimental, "enable_op_determinism"),
    ):
        monkeypatch.setattr(
            module, name, lambda *args, name=name: settings.update({name: args})
        )
    return settings


def tf_config(index=0, task_type="worker", **cluster):
    cluster = cluster or {"worker": ["127.0.0.1:1", "127.0.0.1:2"]}
    return json.dumps(
        {"cluster": cluster, "task": {"type": task_type, "index": index}}
    )


def test_one_device():
    strategy = set_up(RuntimeConfig())
    assert strategy.num_replicas_in_sync == 1
    assert is_chief(strategy)


def test_mirrored_over_logical_devices():
    strategy = set_up(
        RuntimeConfig(distribution_strategy="mirrored", num_logical_cpus=2)
    )
    assert strategy.num_replicas_in_sync == 2
    assert is_chief(strategy)


@pytest.mark.parametrize(
    "config, message",
    [
        (
            {"num_gpus": 100},
            "runtime.num_gpus is 100, but this machine has ",
        ),
        (
            {"distribution_strategy": "mirrored", "num_gpus": 100},
            "runtime.num_gpus is 100, but this machine has ",
        ),
    ],
)
def test_more_gpus_than_there_are(config, message):
    with pytest.raises(InputError) as info:
        set_up(RuntimeConfig(**config))
    assert str(info.value).startswith(message)


def test_gpus_on_a_machine_that_has_them(monkeypatch):
    monkeypatch.setattr(
        tf.config, "list_physical_devices", lambda kind: ["GPU:0", "GPU:1"]
    )
    with pytest.raises(InputError) as info:
        set_up(RuntimeConfig(num_gpus=2))
    assert str(info.value) == (
        "runtime.num_gpus is 2, but runtime.distribution_strategy is "
        "one_device; use mirrored"
    )
    with pytest.raises(InputError) as info:
        set_up(RuntimeConfig(num_gpus=1, num_logical_cpus=2))
    assert str(info.value) == (
        "runtime.num_logical_cpus needs runtime.num_gpus=0, found 1"
    )


@pytest.mark.parametrize(
    "text, message",
    [
        (None, "TF_CONFIG: expected {"),
        ("", "TF_CONFIG: expected {"),
        ('{"cluster": {}}', "found '{\"cluster\": {}}'"),
        ("{", "found '{'"),
        ("{}", "found '{}'"),
        ("[]", "found '[]'"),
        (tf_config(index="one"), "found '{"),
        (tf_config(index=None), "found '{"),
        (
            tf_config(index=2),
            "TF_CONFIG: task index 2 is outside the 2 workers of the cluster",
        ),
        (
            tf_config(index=-1),
            "TF_CONFIG: task index -1 is outside the 2 workers of the cluster",
        ),
        (
            tf_config(chief=["127.0.0.1:1"], worker=["127.0.0.1:2"]),
            "TF_CONFIG: expected a cluster of workers only, found chief, "
            "worker",
        ),
        (
            tf_config(task_type="evaluator"),
            "TF_CONFIG: expected the task type worker, found 'evaluator'",
        ),
    ],
)
def test_tf_config(monkeypatch, text, message):
    if text is None:
        monkeypatch.delenv("TF_CONFIG", raising=False)
    else:
        monkeypatch.setenv("TF_CONFIG", text)
    with pytest.raises(InputError) as info:
        set_up(RuntimeConfig(distribution_strategy="multi_worker_mirrored"))
    assert message in str(info.value)
    if not text:
        assert str(info.value).endswith("found none")


@pytest.mark.parametrize(
    "task, expected",
    [(("worker", 0), True), (("worker", 1), False), ((None, None), True)],
)
def test_is_chief(task, expected):
    resolver = collections.namedtuple("Resolver", "task_type task_id")(*task)
    strategy = collections.namedtuple("Strategy", "cluster_resolver")
    assert is_chief(strategy(resolver)) == expected
    assert is_chief(strategy(None))


def test_global_settings(global_settings):
    set_up(RuntimeConfig(seed=5, mixed_precision="mixed_bfloat16"))
    assert global_settings == {
        "set_random_seed": (5,),
        "set_dtype_policy": ("mixed_bfloat16",),
        "enable_op_determinism": (),
    }
    global_settings.clear()
    set_up(RuntimeConfig(deterministic=False))
    assert global_settings == {
        "set_random_seed": (1,),
        "set_dtype_policy": ("float32",),
    }
