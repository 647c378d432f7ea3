"""Each data set: its record, and its files as the project reads them."""

import hashlib
import json
import os
import re

import pytest
from tensorflow_datasets.question_answering import qa_utils
from tensorflow_datasets.text.conll2003.conll2003 import Conll2003

from elmo_tf.text import corpus_statistics
from elmo_tf.text import shards
from tasks.downloads import catalogue
from tasks.downloads.downloading import download
from tasks.ner import data as ner_data
from tasks.snli import data as snli_data
from tasks.sst import data as sst_data
from tasks.text.word_vectors import WordVectors
from tests.tasks.downloads import published


@pytest.fixture
def get(server, tmp_path):
    """A function that downloads a tiny version of a data set.

    It returns the folder and the number of examples of each file.
    """

    def get_data_set(name):
        data_set = published.publish(catalogue.find(name), server)
        folder = tmp_path / "folder" / name
        counts = download(data_set, folder, lambda text: None)
        written = {
            os.path.relpath(os.path.join(parent, file), folder)
            for parent, _, files in os.walk(folder)
            for file in files
        }
        assert written == counts.keys()
        return folder, counts

    return get_data_set


@pytest.mark.parametrize("name", catalogue.NAMES)
def test_record(name):
    data_set = catalogue.find(name)
    assert data_set.name == name
    assert data_set.files
    for remote in data_set.files:
        assert re.fullmatch(r"https?://[^ ]+/[^ /]+", remote.address)
        assert re.fullmatch("[0-9a-f]{64}", remote.sha256)
    assert re.match(r"https?://\S+$", data_set.homepage)
    for text in (data_set.title, data_set.source, data_set.licence):
        assert text and "\n" not in text
    assert data_set.citation


def test_description():
    lines = catalogue.find("squad").describe().splitlines()
    address = "https://rajpurkar.github.io/SQuAD-explorer/dataset"
    assert lines[0] == "squad: Stanford Question Answering Dataset 1.1"
    assert lines[1].startswith("source: tensorflow-datasets 4.")
    assert lines[2:7] == [
        f"address: {address}/train-v1.1.json (30.3 MB)",
        f"address: {address}/dev-v1.1.json (4.9 MB)",
        "licence: CC BY-SA 4.0",
        "homepage: https://rajpurkar.github.io/SQuAD-explorer/",
        "citation: @article{2016arXiv160605250R,",
    ]


@pytest.mark.parametrize(
    "name, source, expected",
    [
        (
            "lm1b",
            "lm1b/1.1.0",
            [
                (
                    "http://www.statmt.org/lm-benchmark/1-billion-word-language"
                    "-modeling-benchmark-r13output.tar.gz",
                    "01ba60381110baf7f189dfd2b8374de3"
                    "71e8c9a340835793f190bdae9e90a34e",
                    1792209805,
                )
            ],
        ),
        (
            "snli",
            "snli/1.1.0",
            [
                (
                    "https://nlp.stanford.edu/projects/snli/snli_1.0.zip",
                    "afb3d70a5af5d8de0d9d81e2637e0fb8"
                    "c22d1235c2749d83125ca43dab0dbd3e",
                    94550081,
                )
            ],
        ),
        (
            "squad",
            "squad/v1.1/3.0.0",
            [
                (
                    "https://rajpurkar.github.io/SQuAD-explorer/dataset/"
                    "train-v1.1.json",
                    "3527663986b8295af4f7fcdff1ba1ff3"
                    "f72d07d61a20f487cb238a6ef92fd955",
                    30288272,
                ),
                (
                    "https://rajpurkar.github.io/SQuAD-explorer/dataset/"
                    "dev-v1.1.json",
                    "95aa6a52d5d6a735563366753ca50492"
                    "a658031da74f301ac5238b03966972c9",
                    4854279,
                ),
            ],
        ),
    ],
)
def test_tensorflow_datasets_has_not_changed_its_mind(name, source, expected):
    data_set = catalogue.find(name)
    assert re.fullmatch(
        rf"tensorflow-datasets [\d.]+, {source}", data_set.source
    )
    assert [
        (remote.address, remote.sha256, remote.size)
        for remote in data_set.files
    ] == expected


def test_tensorflow_datasets_names_the_same_address_for_conll2003():
    asked = []

    class Downloads:
        def download_and_extract(self, address):
            asked.append(address)
            raise InterruptedError

    with pytest.raises(InterruptedError):
        Conll2003()._split_generators(Downloads())
    assert asked == [
        remote.address for remote in catalogue.find("conll2003").files
    ]


def test_what_wnut17_is(shared_data):
    folder = shared_data / "data" / "ner" / "wnut17"
    for remote in catalogue.find("wnut17").files:
        content = (folder / remote.address.rpartition("/")[2]).read_bytes()
        assert remote.size == len(content)
        assert remote.sha256 == hashlib.sha256(content).hexdigest()


def test_conll2003(get):
    folder, counts = get("conll2003")
    assert counts == {"train.txt": 2, "valid.txt": 2, "test.txt": 2}
    for split in ("train", "valid", "test"):
        path = folder / f"{split}.txt"
        first, second = ner_data.read_examples(str(path), "BIO")
        assert first.tokens == ("EU", "rejects", "German", "call", ".")
        assert first.tags == ("B-ORG", "O", "B-MISC", "O", "O")
        assert second.tokens == (split, "Blackburn")
        assert second.tags == ("B-PER", "I-PER")
        # What tensorflow-datasets reads in it; the last one is empty.
        theirs = [
            (example["tokens"], example["ner"])
            for _, example in Conll2003()._generate_examples(path)
        ]
        ours = [(list(e.tokens), list(e.tags)) for e in (first, second)]
        assert theirs == [*ours, ([], [])]


def test_wnut17(get):
    folder, counts = get("wnut17")
    assert counts == {"train.txt": 2, "dev.txt": 2, "test.txt": 2}
    for split, last in (
        ("train", "wnut17train.conll"),
        ("dev", "emerging.dev.conll"),
        ("test", "emerging.test.annotated"),
    ):
        first, second = ner_data.read_examples(
            str(folder / f"{split}.txt"), "BIO"
        )
        assert first.tokens == ("@paulwalk", "Empire", "State")
        assert first.tags == ("O", "B-location", "I-location")
        assert second.tokens == (last,)
        assert second.tags == ("O",)


def test_sst(get):
    folder, counts = get("sst")
    assert counts == {"train.txt": 2, "dev.txt": 2, "test.txt": 2}
    for split in ("train", "dev", "test"):
        first, second = sst_data.read_examples(folder / f"{split}.txt", "fine")
        assert first == sst_data.SSTExample(("It", split), "positive")
        assert second == sst_data.SSTExample(("(", "bad"), "negative")


def test_snli(get):
    folder, counts = get("snli")
    assert counts == {"train.jsonl": 2, "dev.jsonl": 2, "test.jsonl": 2}
    for split in ("train", "dev", "test"):
        path = folder / f"{split}.jsonl"
        examples, n_without_label = snli_data.read_examples(path)
        assert n_without_label == 1
        assert examples == [
            snli_data.SNLIExample(
                ("Two", "women", "ca", "n't", "wait"),
                ("They", "sing"),
                "neutral",
                f"{split}1#r1n",
            )
        ]


def test_glove(get):
    folder, counts = get("glove")
    assert counts == {f"glove.6B.{dim}d.txt": 3 for dim in (50, 100, 200, 300)}
    for dim in (50, 100, 200, 300):
        vectors = WordVectors.load(str(folder / f"glove.6B.{dim}d.txt"))
        assert vectors.words == ["the", ",", str(dim)]
        assert vectors.vectors.tolist()[0] == [0.5, -1.25]


def test_lm1b(get):
    folder, counts = get("lm1b")
    assert set(counts.values()) == {2}
    train = [f"news.en-{number:05d}-of-00100" for number in range(1, 100)]
    heldout = [f"news.en.heldout-{number:05d}-of-00050" for number in range(50)]
    assert list(counts) == [
        *(f"train/{name}" for name in train),
        *(f"heldout/{name}" for name in heldout),
    ]
    for part, names in (("train", train), ("heldout", heldout)):
        corpus = f"{folder}/{part}/*"
        statistics = corpus_statistics.scan(corpus)
        assert statistics.shards == len(names)
        assert statistics.sentences == 2 * len(names)
        sentences = list(shards.read_sentences(corpus))
        assert sentences[::2] == [
            [b"It", b"is", name.encode(), b"."] for name in names
        ]
        assert set(map(tuple, sentences[1::2])) == {
            (b"A", "café".encode(), b".")
        }


def test_squad(get):
    folder, counts = get("squad")
    assert counts == {"train-v1.1.json": 2, "dev-v1.1.json": 4}
    path = folder / "train-v1.1.json"
    assert json.loads(path.read_text("utf-8")) == published.QUESTIONS
    # What tensorflow-datasets reads in it.
    theirs = [
        example for _, example in qa_utils.generate_squadlike_examples(path)
    ]
    article = published.QUESTIONS["data"][0]
    paragraph = article["paragraphs"][0]
    assert theirs == [
        {
            "id": question["id"],
            "title": article["title"],
            "context": paragraph["context"],
            "question": question["question"],
            "answers": {
                name: [answer[name] for answer in question["answers"]]
                for name in ("answer_start", "text")
            },
        }
        for question in paragraph["qas"]
    ]
