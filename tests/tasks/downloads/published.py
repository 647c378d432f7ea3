"""Tiny data sets in the files in which the real ones are published."""

import dataclasses
import hashlib
import io
import json
import tarfile
import zipfile

CONLL = """\
-DOCSTART- -X- -X- O

EU NNP B-NP B-ORG
rejects VBZ B-VP O
German JJ B-NP B-MISC
call NN I-NP O
. . O O

Peter NNP B-NP B-PER
Blackburn NNP I-NP I-PER

"""

# With a tab in the blank line, as in the real one.
WNUT = "@paulwalk\tO\nEmpire\tB-location\nState\tI-location\n\t\nToday\tO\n"

TREES = "(3 (2 It) (4 works))\n(1 (2 -LRB-) (0 bad))\n"

VECTORS = "the 0.5 -1.25\n, 1e-3 2\n"

QUESTIONS = {
    "version": "1.1",
    "data": [
        {
            "title": "Cats",
            "paragraphs": [
                {
                    "context": " The  cat sat on é. ",
                    "qas": [
                        {
                            "id": "a",
                            "question": "Who sat?",
                            "answers": [
                                {"text": "cat", "answer_start": 6},
                                {"text": "The  cat", "answer_start": 1},
                            ],
                        },
                        {
                            "id": "b",
                            "question": "On what?",
                            "answers": [{"text": "é", "answer_start": 17}],
                        },
                    ],
                }
            ],
        },
        {"title": "None", "paragraphs": []},
    ],
}

PAIRS = [
    {
        "gold_label": "neutral",
        "pairID": "1#r1n",
        "sentence1": "Two women can't wait.",
        "sentence1_binary_parse": "( ( Two women ) ( ( ca n't ) wait ) )",
        "sentence2": "They sing.",
        "sentence2_binary_parse": "( They sing )",
    },
    {
        "gold_label": "-",
        "pairID": "1#r1e",
        "sentence1": "Two.",
        "sentence1_binary_parse": "Two",
        "sentence2": "One.",
        "sentence2_binary_parse": "One",
    },
]


def make_zip(members):
    """A zip file: bytes, of a dictionary from names to texts."""
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return raw.getvalue()


def make_tar(members):
    """A gzipped tar file: bytes, of a dictionary from names to texts."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w:gz") as archive:
        for name, text in members.items():
            content = text.encode()
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return raw.getvalue()


def json_lines(split):
    """SNLI's pairs, with the split's name in their IDs."""
    return "".join(
        json.dumps({**pair, "pairID": f"{split}{pair['pairID']}"}) + "\n"
        for pair in PAIRS
    )


def lm1b_shard(name):
    """Two sentences of one of the benchmark's files."""
    return f"It is {name} .\nA café   .\n"


def sha256(content):
    """The checksum of bytes, hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def files(name):
    """The files of a data set: a dictionary from names to bytes."""
    return {
        "conll2003": _conll2003,
        "glove": _glove,
        "lm1b": _lm1b,
        "snli": _snli,
        "squad": _squad,
        "sst": _sst,
        "wnut17": _wnut17,
    }[name]()


def publish(data_set, server):
    """Puts a tiny version of a data set on a server.

    Args:
        data_set: The `DataSet`.
        server: A `FileServer`.

    Returns:
        The `DataSet` with the addresses, checksums and sizes of the tiny one.
    """
    contents = files(data_set.name)
    server.files.update(contents)
    remotes = []
    for remote in data_set.files:
        name = remote.address.rpartition("/")[2]
        content = contents.pop(name)
        remotes.append(
            dataclasses.replace(
                remote,
                address=server.address + name,
                sha256=sha256(content),
                size=len(content),
            )
        )
    assert not contents
    return dataclasses.replace(data_set, files=tuple(remotes))


def _conll2003():
    members = {
        f"{split}.txt": CONLL.replace("Peter", split)
        for split in ("train", "valid", "test")
    }
    return {"conll2003.zip": make_zip({**members, "metadata": "{}"})}


def _glove():
    members = {
        f"glove.6B.{dim}d.txt": VECTORS + f"{dim} 0 0\n"
        for dim in (50, 100, 200, 300)
    }
    return {"glove.6B.zip": make_zip(members)}


def _lm1b():
    top = "1-billion-word-language-modeling-benchmark-r13output"
    heldout = f"./{top}/heldout-monolingual.tokenized.shuffled"
    names = [f"{heldout}/news.en-00000-of-00100"]
    names += [
        f"{heldout}/news.en.heldout-{number:05d}-of-00050"
        for number in range(50)
    ]
    names += [
        f"./{top}/training-monolingual.tokenized.shuffled/"
        f"news.en-{number:05d}-of-00100"
        for number in range(1, 100)
    ]
    members = {name: lm1b_shard(name.rpartition("/")[2]) for name in names}
    return {f"{top}.tar.gz": make_tar({f"./{top}/README": "-", **members})}


def _snli():
    members = {"snli_1.0/README.txt": "-", "__MACOSX/._snli_1.0": "-"}
    for split in ("train", "dev", "test"):
        members[f"snli_1.0/snli_1.0_{split}.jsonl"] = json_lines(split)
    return {"snli_1.0.zip": make_zip(members)}


def _squad():
    return {
        "train-v1.1.json": json.dumps(QUESTIONS).encode(),
        "dev-v1.1.json": json.dumps(
            {**QUESTIONS, "data": QUESTIONS["data"] * 2}
        ).encode(),
    }


def _sst():
    members = {
        f"trees/{split}.txt": TREES.replace("works", split)
        for split in ("train", "dev", "test")
    }
    return {"trainDevTestTrees_PTB.zip": make_zip(members)}


def _wnut17():
    return {
        name: WNUT.replace("Today", name).encode()
        for name in (
            "wnut17train.conll",
            "emerging.dev.conll",
            "emerging.test.annotated",
        )
    }
