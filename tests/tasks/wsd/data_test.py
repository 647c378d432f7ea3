"""Where corpora come from."""

import pytest

from elmo_tf.errors import InputError
from tasks.wsd.data import read_test_sets
from tasks.wsd.data import read_training
from tests.tasks.wsd import semcor_test
from tests.tasks.wsd import tiny_corpus

SENTENCE = ["a", ("bank", "bank", "n", "bank%1:17:01::")]


@pytest.fixture
def semcor(tmp_path):
    folder = tmp_path / "semcor3.0"
    folder.mkdir()
    semcor_test.write_archive(folder)
    return folder


def test_training(semcor, tmp_path):
    xml = tiny_corpus.write(tmp_path, "more", [SENTENCE])
    from_folder = read_training(str(semcor))
    assert from_folder == semcor_test.EXPECTED["brown1/br-a01"]
    archive = semcor / "semcor3.0-brown1.tar.gz"
    assert read_training(str(archive)) == from_folder
    both = read_training(f"{archive},{xml}")
    assert len(both) == len(from_folder) + 1
    assert {sentence.tokens for sentence in both} > {("a", "bank")}


def test_test_sets_stand_in_their_order(tmp_path):
    for name in ("ALL", "semeval2007", "senseval3", "senseval2", "semeval2013"):
        tiny_corpus.write(tmp_path, name, [SENTENCE])
    sets = read_test_sets(f"{tmp_path}/*.data.xml")
    assert list(sets) == [
        *("senseval2", "senseval3", "semeval2007", "semeval2013", "ALL")
    ]
    (sentence,) = sets["ALL"]
    assert sentence.tokens == ("a", "bank")


def test_mistakes(tmp_path):
    with pytest.raises(InputError, match="none: no such file"):
        read_training(str(tmp_path / "none"))
    other = tmp_path / "semcor.xml"
    other.write_text("<corpus/>")
    with pytest.raises(InputError) as info:
        read_training(str(other))
    assert str(info.value) == (
        f"{other}: expected SemCor's folder or *.tar.gz, or a file "
        "NAME.data.xml of the evaluation framework, plain or gzip"
    )
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        path = tiny_corpus.write(tmp_path / folder, "ALL", [SENTENCE])
    with pytest.raises(InputError) as info:
        read_test_sets(f"{tmp_path}/*/*.data.xml")
    assert str(info.value) == f"{path}: found a second data set ALL"
