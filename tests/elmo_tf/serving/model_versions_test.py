import pytest

from elmo_tf.errors import InputError
from elmo_tf.serving.model_versions import check_version_flags
from elmo_tf.serving.model_versions import version_folder
from elmo_tf.serving.model_versions import write_server_files
from tests.elmo_tf.serving import serving_protos


def test_the_servers_files(tmp_path, monkeypatch):
    base = tmp_path / "my-model"
    base.mkdir()
    write_server_files(base)
    (config,) = serving_protos.read_models_config(
        base / "models.config"
    ).model_config_list.config
    assert (config.name, config.base_path, config.model_platform) == (
        *("my-model", "/models/my-model", "tensorflow"),
    )
    batching = serving_protos.read_batching_parameters(
        base / "batching_parameters.txt"
    )
    assert batching.pad_variable_length_inputs
    assert batching.max_batch_size.value == 32
    assert batching.num_batch_threads.value >= 1
    # Sizes that batches are filled up to would be computed for nothing.
    assert not batching.allowed_batch_sizes
    # The name is the folder's, however that is written.
    monkeypatch.chdir(base)
    (base / "models.config").unlink()
    write_server_files(".", "gs://bucket/x")
    (config,) = serving_protos.read_models_config(
        base / "models.config"
    ).model_config_list.config
    assert (config.name, config.base_path) == ("my-model", "gs://bucket/x")


def test_what_is_there_stays(tmp_path):
    for name in ("models.config", "batching_parameters.txt"):
        (tmp_path / name).write_text("edited")
    write_server_files(tmp_path)
    assert {path.read_text() for path in tmp_path.iterdir()} == {"edited"}


def test_version_folder(tmp_path):
    assert version_folder(tmp_path / "m", 1) == f"{tmp_path}/m/1"
    (tmp_path / "2").mkdir()
    assert version_folder(tmp_path, 3) == f"{tmp_path}/3"
    with pytest.raises(InputError) as error:
        version_folder(tmp_path, 2)
    assert str(error.value) == f"--version=2: {tmp_path}/2 exists already"


@pytest.mark.parametrize(
    "base, version, message",
    [
        ("m", 0, "--version=0: expected 1 or more"),
        (
            "a b",
            1,
            "--output=a b: found 'a b', expected a folder's name of letters, "
            "digits and the characters . _ - only, as it becomes the model's "
            "name",
        ),
        ("/", 1, "--output=/: found '', expected a folder's name of letters, "),
    ],
)
def test_what_cannot_be_a_version(base, version, message):
    with pytest.raises(InputError) as error:
        version_folder(base, version)
    assert str(error.value).startswith(message)


def test_versions_inside_a_saved_model(tmp_path):
    (tmp_path / "saved_model.pb").touch()
    with pytest.raises(InputError) as error:
        version_folder(tmp_path, 1)
    assert str(error.value) == (
        f"--output={tmp_path}: found a SavedModel, expected a folder for "
        "versions of one"
    )


def test_serving_path():
    check_version_flags(None, None)
    check_version_flags(1, "/models/m")
    check_version_flags(1, "s3://bucket/m")
    with pytest.raises(InputError, match="--serving_path is for --version"):
        check_version_flags(None, "/models/m")
    with pytest.raises(InputError) as error:
        check_version_flags(1, "models/m")
    assert str(error.value) == (
        "--serving_path=models/m: expected an absolute path, or one with a "
        "scheme such as gs://"
    )
