"""The senses of words, by a WordNet of a few words and by the real one."""

import os
import shutil

import pytest

from elmo_tf.errors import InputError
from tasks.wsd.evaluation_framework import read_framework_file
from tasks.wsd.key_file import read_keys
from tasks.wsd.metrics import score
from tasks.wsd.wordnet import DEFAULT_FOLDER
from tasks.wsd.wordnet import WordNet
from tests.tasks.wsd import tiny_wordnet

# What the evaluation framework publishes (Raganato et al. 2017, table 2).
PUBLISHED_FIRST_SENSE = {
    "senseval2": 66.8,
    "senseval3": 66.2,
    "semeval2007": 55.2,
    "semeval2013": 63.0,
    "semeval2015": 67.8,
    "ALL": 65.2,
}


@pytest.fixture
def real_wordnet():
    if not os.path.exists(os.path.join(DEFAULT_FOLDER, "index.sense")):
        pytest.skip(f"no WordNet at {DEFAULT_FOLDER}")
    return WordNet(DEFAULT_FOLDER)


@pytest.fixture
def no_variables(monkeypatch):
    for name in ("WNSEARCHDIR", "WNHOME"):
        monkeypatch.delenv(name, raising=False)


def test_senses_in_their_order(wordnet):
    for (lemma, pos), keys in tiny_wordnet.KEYS.items():
        assert wordnet.senses(lemma, pos) == keys
        assert wordnet.first_sense(lemma, pos) == keys[0]


def test_words_that_it_does_not_have(wordnet):
    # "men" is a form of "man", and no lemma.
    for word in (("bank", "r"), ("cash", "n"), ("men", "n")):
        assert wordnet.senses(*word) == ()
        assert wordnet.first_sense(*word) is None


def test_keys(wordnet):
    assert all(
        wordnet.knows(key)
        for keys in tiny_wordnet.KEYS.values()
        for key in keys
    )
    for key in ("bank%1:17:02::", "bank", "", "big(p)%3:00:01::"):
        assert not wordnet.knows(key)


def test_version(wordnet):
    assert wordnet.version == "3.0"


def test_variables_name_the_folder(no_variables, monkeypatch, tmp_path):
    folder = tiny_wordnet.write(tmp_path / "dict")
    monkeypatch.setenv("WNHOME", str(tmp_path))
    assert WordNet().folder == str(folder)
    monkeypatch.setenv("WNSEARCHDIR", str(folder))
    monkeypatch.setenv("WNHOME", "/nowhere")
    assert WordNet().folder == str(folder)
    monkeypatch.setenv("WNSEARCHDIR", "/nowhere")
    assert WordNet(folder).folder == str(folder)


def test_nothing_there(no_variables, monkeypatch):
    with pytest.raises(InputError) as info:
        WordNet("/nowhere")
    assert str(info.value) == (
        "/nowhere: no such folder, expected WordNet 3.0; Debian and Ubuntu "
        "have it (apt-get install wordnet-base wordnet-sense-index); or give "
        "the folder dict of WordNet 3.0 with --wordnet"
    )
    monkeypatch.setenv("WNHOME", "/nowhere")
    with pytest.raises(InputError, match="WNHOME: /nowhere/dict: no such"):
        WordNet()
    monkeypatch.setenv("WNSEARCHDIR", "/nowhere/else")
    with pytest.raises(InputError, match="WNSEARCHDIR: /nowhere/else: no such"):
        WordNet()


def test_missing_files(tmp_path):
    folder = tiny_wordnet.write(tmp_path / "wordnet")
    for name in ("index.sense", "data.verb"):
        (folder / name).unlink()
    with pytest.raises(InputError) as info:
        WordNet(folder)
    assert str(info.value).startswith(
        f"{folder}: found no data.verb, index.sense, expected the files of "
        "WordNet 3.0; "
    )


@pytest.mark.parametrize(
    "name, text",
    [
        ("index.noun", "bank n x\n"),
        ("index.noun", "bank n 2\n"),
        ("index.sense", "bank 1\n"),
        ("index.sense", "bank%x:1 1 1 1\n"),
    ],
)
def test_damaged_files(tmp_path, wordnet_folder, name, text):
    folder = shutil.copytree(wordnet_folder, tmp_path / "wordnet")
    (folder / name).write_text(text)
    with pytest.raises(InputError) as info:
        WordNet(folder)
    assert str(info.value).startswith(
        f"{folder}: the WordNet there is damaged: "
    )


def test_damaged_data(tmp_path, wordnet_folder):
    folder = shutil.copytree(wordnet_folder, tmp_path / "wordnet")
    (folder / "data.noun").write_text("x\n" * 500)
    wordnet = WordNet(folder)
    with pytest.raises(InputError, match="the WordNet there is damaged: "):
        wordnet.senses("bank", "n")


@pytest.mark.slow
def test_the_published_first_sense(shared_data, real_wordnet):
    folder = shared_data / "data" / "wsd" / "raganato_eval"
    if not folder.is_dir():
        pytest.skip(f"no evaluation framework at {folder}")
    found = {}
    for name in PUBLISHED_FIRST_SENSE:
        instances = [
            instance
            for sentence in read_framework_file(
                f"{folder}/{name}/{name}.data.xml.gz"
            )
            for instance in sentence.instances
        ]
        predicted = {
            instance.name: (
                real_wordnet.first_sense(instance.lemma, instance.pos),
            )
            for instance in instances
        }
        gold = {instance.name: instance.keys for instance in instances}
        found[name] = round(100 * score(gold, predicted)["f1"], 1)
        assert all(real_wordnet.knows(key) for (key,) in predicted.values())
    assert found == PUBLISHED_FIRST_SENSE
    # Of ALL, the framework's own output.
    assert predicted == read_keys(folder / "ALL_mfs.txt.gz")
