"""The manifests for Kubernetes: their commands, options, volumes and ports."""

import importlib
import pathlib
import re

import pytest
import yaml

from elmo_tf import experiments  # noqa: F401 (registers the experiments)
from elmo_tf.errors import LostWorkerError
from elmo_tf.training.experiment import experiment_config
from elmo_tf.training.overrides import override
from elmo_tf.training.overrides import read_overrides
from tasks import registry  # noqa: F401 (registers the tasks' experiments)

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
FOLDER = REPOSITORY / "examples" / "kubernetes"
TRAININGS = ["pretraining.yaml", "task.yaml"]


def read(name):
    with open(FOLDER / name, encoding="utf-8") as file:
        return list(yaml.safe_load_all(file))


def containers():
    """Every container of the manifests, with the specification of its pod."""
    found = []
    for path in sorted(FOLDER.glob("*.yaml")):
        for document in read(path.name):
            specification = document["spec"]
            templates = [specification.get("template")] + [
                replica["template"]
                for replica in specification.get("tfReplicaSpecs", {}).values()
            ]
            for template in filter(None, templates):
                for container in template["spec"]["containers"]:
                    found.append((path.name, template["spec"], container))
    return found


def arguments(container):
    module, *given = container["args"]
    return module, [text.removeprefix("--").split("=", 1) for text in given]


def test_which_there_are():
    assert [name for name, _, _ in containers()] == [
        "embedded_server.yaml",
        "pretraining.yaml",
        "task.yaml",
    ]


@pytest.mark.parametrize(
    "container",
    [found[2] for found in containers()],
    ids=lambda c: c["args"][0],
)
def test_the_binary_has_these_flags(container):
    module, given = arguments(container)
    # Flags of several binaries cannot be in one process.
    source = pathlib.Path(importlib.util.find_spec(module).origin).read_text()
    own = set(re.findall(r"flags\.DEFINE_\w+\(\s*\"(\w+)\"", source))
    assert {name for name, _ in given} <= own


@pytest.mark.parametrize("name", TRAININGS)
def test_a_training_has_these_options(name):
    (job,) = read(name)
    worker = job["spec"]["tfReplicaSpecs"]["Worker"]
    (container,) = worker["template"]["spec"]["containers"]
    given = dict(arguments(container)[1])
    config = override(
        experiment_config(given["experiment"]),
        read_overrides(given["params_override"], name),
        name,
    )
    assert config.runtime.distribution_strategy == "multi_worker_mirrored"
    gpus = container["resources"]["limits"]["nvidia.com/gpu"]
    assert config.runtime.num_gpus == gpus
    if name == "pretraining.yaml":
        # Which the binary insists on.
        rows = config.task.train_data.global_batch_size
        assert rows % (worker["replicas"] * gpus) == 0
    else:
        assert config.task.elmo.cache_dir.startswith("/data/")
    assert given["model_dir"].startswith("/data/")


@pytest.mark.parametrize("name", TRAININGS)
def test_a_training_is_a_job_that_the_binaries_understand(name):
    (job,) = read(name)
    assert (job["apiVersion"], job["kind"]) == ("kubeflow.org/v1", "TFJob")
    # A chief beside the workers would be refused.
    assert list(job["spec"]["tfReplicaSpecs"]) == ["Worker"]
    worker = job["spec"]["tfReplicaSpecs"]["Worker"]
    assert worker["replicas"] > 1
    assert worker["restartPolicy"] == "ExitCode"
    assert LostWorkerError.exit_code >= 128
    (container,) = worker["template"]["spec"]["containers"]
    assert container["name"] == "tensorflow"
    assert container["ports"] == [{"name": "tfjob-port", "containerPort": 2222}]


@pytest.mark.parametrize("name", TRAININGS)
def test_the_volume_is_there_for_all(name):
    (claim,) = read("volume.yaml")
    assert claim["spec"]["accessModes"] == ["ReadWriteMany"]
    (job,) = read(name)
    pod = job["spec"]["tfReplicaSpecs"]["Worker"]["template"]["spec"]
    (volume,) = pod["volumes"]
    assert volume["persistentVolumeClaim"] == {
        "claimName": claim["metadata"]["name"]
    }
    assert pod["containers"][0]["volumeMounts"] == [
        {"name": volume["name"], "mountPath": "/data"}
    ]


def test_the_server_is_reached():
    deployment, service = read("embedded_server.yaml")
    template = deployment["spec"]["template"]
    labels = template["metadata"]["labels"]
    assert deployment["spec"]["selector"]["matchLabels"] == labels
    assert service["spec"]["selector"] == labels
    (container,) = template["spec"]["containers"]
    given = dict(arguments(container)[1])
    # By itself it listens to its own machine only.
    assert given["host"] == "0.0.0.0"
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    assert ports == {
        "rest": int(given["rest_port"]),
        "grpc": int(given["grpc_port"]),
    }
    assert {port["targetPort"] for port in service["spec"]["ports"]} == {*ports}
