"""The framework's XML with its keys: what is read, and what is refused."""

import gzip
import os

import pytest

from elmo_tf.errors import InputError
from tasks.wsd.evaluation_framework import read_framework_file
from tasks.wsd.sense_instance import SenseInstance
from tasks.wsd.sense_sentence import SenseSentence

TEXT = """\
<?xml version="1.0" encoding="UTF-8" ?>
<corpus lang="en" source="test">
<text id="d000">
<sentence id="d000.s000">
<wf lemma="the" pos="DET">The</wf>
<instance id="d000.s000.t000" lemma="savings_bank" pos="NOUN">savings bank</instance>
<wf lemma="&apos;s" pos="PRT">&apos;s</wf>
<instance id="d000.s000.t001" lemma="big" pos="ADJ">naïve</instance>
</sentence>
<sentence id="d000.s001">
<wf lemma="." pos=".">.</wf>
</sentence>
</text>
</corpus>
"""  # noqa: E501
KEYS = """\
d000.s000.t000 savings_bank%1:06:02::
d000.s000.t001 big%3:00:01:: big%5:00:02:big:01
"""
EXPECTED = [
    SenseSentence(
        ("The", "savings", "bank", "'s", "naïve"),
        (
            SenseInstance(
                "d000.s000.t000",
                *("savings_bank", "n", 1, 3, ("savings_bank%1:06:02::",)),
            ),
            SenseInstance(
                "d000.s000.t001",
                *("big", "a", 4, 5, ("big%3:00:01::", "big%5:00:02:big:01")),
            ),
        ),
    ),
    SenseSentence((".",), ()),
]
# Instances, sentences and tokens.
REAL_FILES = {
    "senseval2": (2282, 242),
    "senseval3": (1850, 352),
    "semeval2007": (455, 135),
    "semeval2013": (1644, 306),
    "semeval2015": (1022, 138),
    "ALL": (7253, 1173),
}


@pytest.fixture
def write(tmp_path):
    """A function that writes XML and keys; returns the XML's path."""

    def write_files(text=TEXT, keys=KEYS):
        path = tmp_path / "test.data.xml"
        path.write_text(text, encoding="utf-8")
        (tmp_path / "test.gold.key.txt").write_text(keys)
        return str(path)

    return write_files


def test_plain(write):
    assert read_framework_file(write()) == EXPECTED


def test_packed(write):
    path = write()
    keys = path.replace(".data.xml", ".gold.key.txt")
    for name in (path, keys):
        with open(name, "rb") as file, gzip.open(f"{name}.gz", "wb") as packed:
            packed.write(file.read())
        os.remove(name)
    assert read_framework_file(f"{path}.gz") == EXPECTED


@pytest.mark.parametrize(
    "before, after, message",
    [
        ("</corpus>", "", "15: not XML: no element found"),
        ('lemma="big" ', "", "8: found an <instance> without lemma"),
        (' pos="ADJ"', "", "8: found an <instance> without pos"),
        ('id="d000.s000.t001" ', "", "8: found an <instance> without id"),
        ('pos="ADJ"', 'pos="X"', '8: found pos="X", expected one of NOUN'),
        (">naïve<", "> <", "8: found nothing in the instance d000.s000.t001"),
        (
            "s000.t001",
            "s000.t000",
            "8: found the instance d000.s000.t000 again",
        ),
        ('<sentence id="d000.s000">', "", "5: found <wf> outside any"),
    ],
)
def test_mistakes(write, before, after, message):
    text = TEXT.replace(before, after)
    if "outside" in message:
        text = text.replace("</sentence>", "", 1)
    assert text != TEXT
    path = write(text)
    with pytest.raises(InputError) as info:
        read_framework_file(path)
    assert str(info.value).startswith(f"{path}:{message}")


def test_no_instance(write):
    path = write("<corpus><sentence/></corpus>")
    with pytest.raises(InputError) as info:
        read_framework_file(path)
    assert str(info.value) == (
        f"{path}: found no <instance> in a <sentence>, expected the evaluation "
        "framework's XML"
    )


def test_keys_of_others(write, tmp_path):
    key_path = tmp_path / "test.gold.key.txt"
    path = write(keys=KEYS + "d000.s009.t000 big%3:00:01::\n")
    with pytest.raises(InputError) as info:
        read_framework_file(path)
    assert str(info.value) == (
        f"{key_path}: found keys for d000.s009.t000, which {path} has not"
    )
    for keys in (KEYS.splitlines()[0], KEYS.replace("big", "", 1)[:-38]):
        path = write(keys=keys)
        with pytest.raises(InputError) as info:
            read_framework_file(path)
        assert str(info.value) == (
            f"{path}:8: found the instance d000.s000.t001, of which {key_path} "
            "has no key, expected one at least"
        )


def test_no_keys(write, tmp_path):
    path = write()
    (tmp_path / "test.gold.key.txt").unlink()
    with pytest.raises(InputError) as info:
        read_framework_file(path)
    plain = tmp_path / "test.gold.key.txt"
    assert str(info.value) == (
        f"{path}: found no keys beside it, expected {plain} or {plain}.gz"
    )


def test_another_name(tmp_path):
    with pytest.raises(InputError, match="text.xml: expected a file NAME.data"):
        read_framework_file(str(tmp_path / "text.xml"))


@pytest.mark.parametrize("name", REAL_FILES)
def test_real_files(shared_data, name):
    folder = shared_data / "data" / "wsd" / "raganato_eval"
    if not folder.is_dir():
        pytest.skip(f"no evaluation framework at {folder}")
    sentences = read_framework_file(f"{folder}/{name}/{name}.data.xml.gz")
    n_instances = sum(len(sentence.instances) for sentence in sentences)
    assert (n_instances, len(sentences)) == REAL_FILES[name]
