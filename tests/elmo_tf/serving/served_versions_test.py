"""Versions come and go, and no request notices."""

import concurrent.futures
import gc
import os
import pathlib
import shutil
import threading
import time
import weakref

import grpc
import numpy as np
import pytest

from elmo_tf.errors import InputError
from elmo_tf.serving.client import Client
from elmo_tf.serving.served_versions import ServedVersions
from elmo_tf.serving.serving_error import ServingError
from tests.elmo_tf.serving import toy_model
from tests.elmo_tf.serving.running_server import RunningServer


class Loader:
    """Takes a file's text for a model."""

    def __init__(self):
        self.loaded = []

    def __call__(self, folder, version):
        text = (pathlib.Path(folder) / "saved_model.pb").read_text()
        if text == "damaged":
            raise InputError(f"{folder}: the SavedModel is damaged")
        if text == "strange":
            raise RuntimeError("out of something")
        self.loaded.append(version)
        return f"{version}:{text}"


def write(folder, text="good"):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "saved_model.pb").write_text(text)


def states(versions):
    response = versions.status()
    return {
        status.version: response.model_version_status[0].State.Name(
            status.state
        )
        for status in response.model_version_status
    }


def current(versions):
    with versions.use() as loaded:
        return loaded


def test_what_is_not_served_any_more_is_not_kept(tmp_path):
    class Circle:
        def __init__(self):
            self.itself = self

    references = {}

    def load(folder, version):
        circle = Circle()
        references[version] = weakref.ref(circle)
        return circle

    write(tmp_path / "1")
    versions = ServedVersions("m", tmp_path, load)
    versions.load_first()
    gc.disable()
    try:
        write(tmp_path / "2")
        with versions.use():
            versions.refresh()
            versions.refresh()
            assert references[1]() is not None
        versions.refresh()
        assert references[1]() is None
        assert references[2]() is not None
    finally:
        gc.enable()


def test_the_newest_is_served(tmp_path):
    for name in ("1", "2", "10", "x", "-3", "0", "1.5", "٣"):
        write(tmp_path / name)
    (tmp_path / "11").mkdir()
    (tmp_path / "12").write_text("no folder")
    load = Loader()
    versions = ServedVersions("m", tmp_path, load)
    versions.load_first()
    assert current(versions) == "10:good"
    assert states(versions) == {10: "AVAILABLE"}
    write(tmp_path / "11")
    versions.refresh()
    versions.refresh()
    assert current(versions) == "11:good"
    assert states(versions) == {11: "AVAILABLE", 10: "END"}
    # Back.
    shutil.rmtree(tmp_path / "11")
    versions.refresh()
    assert current(versions) == "10:good"
    assert load.loaded == [10, 11, 10]
    # Better the old one than none.
    shutil.rmtree(tmp_path)
    versions.refresh()
    assert current(versions) == "10:good"


def test_the_old_one_stays_while_it_is_used(tmp_path):
    write(tmp_path / "1")
    load = Loader()
    versions = ServedVersions("m", tmp_path, load)
    versions.load_first()
    with versions.use() as first, versions.use(1):
        write(tmp_path / "2")
        versions.refresh()
        assert first == "1:good"
        assert current(versions) == "2:good"
        assert states(versions) == {2: "AVAILABLE", 1: "UNLOADING"}
        assert versions.loaded() == ["1:good", "2:good"]
    assert states(versions) == {2: "AVAILABLE", 1: "END"}
    assert versions.loaded() == ["2:good"]
    with pytest.raises(ServingError) as error:
        with versions.use(1):
            pass
    assert error.value.code == grpc.StatusCode.NOT_FOUND
    # Back, while it is in use.
    with versions.use(2):
        shutil.rmtree(tmp_path / "2")
        versions.refresh()
        write(tmp_path / "2")
        versions.refresh()
        assert current(versions) == "2:good"
    assert load.loaded == [1, 2, 1]


def test_a_version_that_cannot_be_loaded(tmp_path):
    write(tmp_path / "1")
    versions = ServedVersions("m", tmp_path, Loader())
    versions.load_first()
    write(tmp_path / "2", "damaged")
    versions.refresh()
    assert current(versions) == "1:good"
    assert states(versions) == {2: "END", 1: "AVAILABLE"}
    (status,) = versions.status(2).model_version_status
    assert status.status.error_code == grpc.StatusCode.UNKNOWN.value[0]
    assert "the SavedModel is damaged" in status.status.error_message
    write(tmp_path / "2", "strange")
    versions.refresh()
    assert current(versions) == "1:good"
    (status,) = versions.status(2).model_version_status
    assert status.status.error_message == (
        f"{tmp_path}/2: cannot be loaded: out of something"
    )
    # Once its files are complete, it is tried again.
    write(tmp_path / "2", "good now")
    versions.refresh()
    assert current(versions) == "2:good now"


def test_the_first(tmp_path):
    write(tmp_path / "1")
    write(tmp_path / "2", "damaged")
    versions = ServedVersions("m", tmp_path, Loader())
    versions.load_first()
    assert current(versions) == "1:good"
    shutil.rmtree(tmp_path / "1")
    with pytest.raises(InputError, match="2: the SavedModel is damaged"):
        ServedVersions("m", tmp_path, Loader()).load_first()
    shutil.rmtree(tmp_path / "2")
    with pytest.raises(InputError) as error:
        ServedVersions("m", tmp_path, Loader()).load_first()
    assert str(error.value) == (
        f"{tmp_path}: expected a SavedModel, or folders 1, 2 … of them, found "
        "neither"
    )


def test_a_folder_of_one_version(tmp_path):
    write(tmp_path)
    write(tmp_path / "7")
    versions = ServedVersions("m", tmp_path, Loader())
    versions.load_first()
    versions.refresh()
    assert states(versions) == {1: "AVAILABLE"}


@pytest.mark.slow
def test_no_request_is_lost(tmp_path):
    base = tmp_path / "base"
    toy_model.save(base / "1", offset=1.0)
    made = [
        toy_model.save(tmp_path / f"made{version}", float(version))
        for version in (2, 3)
    ]
    end = threading.Event()

    def ask(url):
        found = []
        with Client(url) as client:
            while not end.is_set():
                outputs = client.predict("toy", {"x": np.zeros(1)})
                found.append(float(outputs["y"][0]))
        return found

    with (
        RunningServer({"toy": base}) as running,
        concurrent.futures.ThreadPoolExecutor(4) as pool,
    ):
        urls = [f"http://{running.rest}", f"grpc://{running.grpc}"] * 2
        work = [pool.submit(ask, url) for url in urls]
        try:
            for version, folder in zip((2, 3), made, strict=True):
                os.rename(folder, base / str(version))
                deadline = time.monotonic() + 60
                while True:
                    with running.models.versions("toy").use() as loaded:
                        if loaded.model.version == version:
                            break
                    assert time.monotonic() < deadline
                    time.sleep(0.05)
            time.sleep(0.3)
        finally:
            end.set()
        for future in work:
            found = future.result()
            # In order, and to the last.
            assert found == sorted(found)
            assert found[-1] == 3.0
            assert found[0] == 1.0
