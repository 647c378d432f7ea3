"""A cut file, a flipped bit: one line says which file it is.

Nothing is trained anew, and nothing is made of what is damaged.
"""

import glob
import os
import shutil

import numpy as np
import pytest

from tests import binaries

pytestmark = pytest.mark.slow


def cut(path):
    os.truncate(path, os.path.getsize(path) // 2)


def empty(path):
    os.truncate(path, 0)


def flip(path):
    """Changes a bit in each tenth of a file."""
    with open(path, "rb") as file:
        data = bytearray(file.read())
    generator = np.random.default_rng(len(data))
    for part in np.array_split(np.arange(len(data)), 10):
        if len(part):
            data[generator.choice(part)] ^= 1 << generator.integers(8)
    with open(path, "wb") as file:
        file.write(data)


def flip_one(path):
    """Changes a letter in the midst of a text, which stays a text."""
    with open(path, "rb") as file:
        data = bytearray(file.read())
    place = next(
        place
        for place in range(len(data) // 2, len(data))
        if chr(data[place]).isalnum()
    )
    data[place] ^= 1
    with open(path, "wb") as file:
        file.write(data)


def find(folder, pattern):
    (path,) = glob.glob(os.path.join(glob.escape(folder), pattern))
    return path


def names_it(result, program, path):
    """Checks that one line names the file, or the checkpoint it is part of."""
    stem = path.removesuffix(".index").removesuffix(".data-00000-of-00001")
    assert result.stderr.startswith(f"{program}.py: error: "), result.stderr
    assert result.stderr.count("\n") == 1, result.stderr
    assert stem in result.stderr
    assert result.returncode == 2


@pytest.mark.parametrize(
    "module, pattern, damage",
    [
        ("train", "model/checkpoint", flip_one),
        ("train", "model/checkpoint", os.remove),
        ("train", "model/ckpt-6.index", flip),
        ("train", "model/ckpt-6.data*", flip),
        ("train", "model/options.json", flip_one),
        ("train", "model/vocab.txt", flip_one),
        ("export", "model/checkpoint", empty),
        ("export", "model/ckpt-6.index", cut),
        ("export", "model/ckpt-6.index", os.remove),
        ("export", "model/ckpt-6.data*", cut),
        ("export", "model/ckpt-6.data*", flip),
        ("export", "model/options.json", flip_one),
        ("export", "model/vocab.txt", cut),
        ("export", "model/vocab.txt", flip_one),
    ],
)
def test_pretraining(made, tmp_path, module, pattern, damage):
    folder = made.copy("elmo_tf.train", tmp_path / "run")
    path = find(folder, pattern)
    damage(path)
    before = sorted(os.listdir(folder / "model"))
    if module == "train":
        result = made.try_to_run("elmo_tf.train", folder)
    else:
        result = binaries.run(
            "elmo_tf.export",
            f"--model_dir={folder}/model",
            f"--output={tmp_path}/exported",
            "--format=hdf5",
        )
    names_it(result, module, os.path.relpath(path, folder))
    assert sorted(os.listdir(folder / "model")) == before
    assert os.listdir(tmp_path) == ["run"]


@pytest.mark.parametrize(
    "module, pattern, damage",
    [
        ("train", "model/best/checkpoint", flip_one),
        ("train", "model/best/ckpt-*.data*", flip),
        ("train", "model/task.json", flip_one),
        ("train", "cache/*.npy", cut),
        ("evaluate", "model/best/ckpt-*.index", flip),
        ("evaluate", "model/vocab.txt", flip_one),
        ("evaluate", "cache/*.npy", flip),
    ],
)
def test_task(made, tmp_path, monkeypatch, module, pattern, damage):
    folder = made.copy("tasks.train", tmp_path / "run")
    for path in glob.glob(f"{folder}/{pattern}"):
        damage(path)
    if module == "train":
        result = made.try_to_run("tasks.train", folder)
    else:
        monkeypatch.chdir(folder)
        result = binaries.run(
            "tasks.evaluate",
            "--model_dir=model",
            f"--input_path={made.test}",
        )
    # Of the cache any file.
    name = pattern if path.endswith(".npy") else os.path.relpath(path, folder)
    names_it(result, module, name.removesuffix("*.npy"))


@pytest.mark.parametrize(
    "name, damage",
    [
        ("saved_model.pb", cut),
        ("saved_model.pb", flip),
        ("variables/variables.index", flip),
        ("variables/variables.data-00000-of-00001", cut),
        ("variables/variables.data-00000-of-00001", flip),
        ("variables/variables.data-00000-of-00001", os.remove),
        ("assets/vocab.txt", flip_one),
    ],
)
def test_saved_model(made, tmp_path, name, damage):
    saved_model = tmp_path / "saved_model"
    made.copy("elmo_tf.export --format=saved_model", tmp_path / "run")
    shutil.move(tmp_path / "run" / "exported", saved_model)
    damage(saved_model / name)
    result = binaries.run(
        "elmo_tf.embed",
        f"--saved_model={saved_model}",
        f"--input={made.sentences}",
        f"--output={tmp_path}/vectors.hdf5",
    )
    names_it(result, "embed", str(saved_model))
    assert "the SavedModel is damaged: " in result.stderr
    assert not os.path.exists(tmp_path / "vectors.hdf5")


@pytest.mark.parametrize(
    "name, damage",
    [
        ("weights.hdf5", cut),
        ("weights.hdf5", flip),
        ("weights.hdf5", empty),
        ("options.json", cut),
        ("options.json", flip_one),
    ],
)
def test_official_files(made, tmp_path, name, damage):
    folder = made.copy("elmo_tf.export --format=hdf5", tmp_path / "run")
    exported = folder / "exported"
    damage(exported / name)
    result = binaries.run(
        "elmo_tf.embed",
        f"--options_file={exported}/options.json",
        f"--weights_file={exported}/weights.hdf5",
        f"--input={made.sentences}",
        f"--output={tmp_path}/vectors.hdf5",
    )
    names_it(result, "embed", str(exported))
    assert not os.path.exists(tmp_path / "vectors.hdf5")
