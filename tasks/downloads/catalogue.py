"""The data sets that can be downloaded.

Where tensorflow-datasets holds a set, it says where the files lie and what
their checksums are. The files themselves are kept as their authors publish
them: what tensorflow-datasets makes of them lacks the parses of SNLI, from
which `tasks.snli` takes its tokens, the documents of CoNLL-2003, and the order
of all.
"""

from tasks.downloads import counting
from tasks.downloads.data_set import DataSet
from tasks.downloads.remote_file import RemoteFile
from tasks.downloads.tfds_entry import TfdsEntry

_NOT_STATED = "its authors state none"


def find(name):
    """Looks up a data set.

    Args:
        name: One of `NAMES`.

    Returns:
        The `DataSet`.
    """
    return _DATA_SETS[name]()


def _lm1b():
    entry = TfdsEntry.look_up("lm1b")
    top = "1-billion-word-language-modeling-benchmark-r13output"
    shards = [
        ("train", "training", f"news.en-{number:05d}-of-00100")
        # The first of the hundred is held out, and published in fifty parts.
        for number in range(1, 100)
    ] + [
        ("heldout", "heldout", f"news.en.heldout-{number:05d}-of-00050")
        for number in range(50)
    ]
    return DataSet(
        name="lm1b",
        title="One Billion Word Benchmark, tokenised news for pre-training",
        source=entry.source,
        homepage=entry.homepage,
        licence=_NOT_STATED,
        citation=entry.citation,
        files=(
            entry.file(
                f"{top}.tar.gz",
                {
                    f"{folder}/{shard}": (
                        f"{top}/{part}-monolingual.tokenized.shuffled/{shard}"
                    )
                    for folder, part, shard in shards
                },
            ),
        ),
        unit="sentences",
        count=counting.count_lines,
    )


def _squad():
    entry = TfdsEntry.look_up("squad/v1.1")
    return DataSet(
        name="squad",
        title="Stanford Question Answering Dataset 1.1",
        source=entry.source,
        homepage=entry.homepage,
        licence="CC BY-SA 4.0",
        citation=entry.citation,
        files=tuple(
            entry.file(name, name)
            for name in ("train-v1.1.json", "dev-v1.1.json")
        ),
        unit="questions",
        count=counting.count_questions,
    )


def _snli():
    entry = TfdsEntry.look_up("snli")
    return DataSet(
        name="snli",
        title="Stanford Natural Language Inference 1.0",
        source=entry.source,
        homepage=entry.homepage,
        licence="CC BY-SA 4.0",
        citation=entry.citation,
        files=(
            entry.file(
                "snli_1.0.zip",
                {
                    f"{split}.jsonl": f"snli_1.0/snli_1.0_{split}.jsonl"
                    for split in ("train", "dev", "test")
                },
            ),
        ),
        unit="pairs",
        count=counting.count_lines,
    )


def _conll2003():
    return DataSet(
        name="conll2003",
        title="named entities of CoNLL-2003, English, in BIO",
        # Which holds no checksum of it.
        source="the address in tensorflow-datasets, conll2003/1.0.0",
        homepage="https://www.aclweb.org/anthology/W03-0419/",
        licence="the text is of the Reuters Corpus: use it for research, after "
        "the agreement at https://trec.nist.gov/data/reuters/reuters.html",
        citation="Tjong Kim Sang and De Meulder, Introduction to the "
        "CoNLL-2003 Shared Task: Language-Independent Named Entity "
        "Recognition, CoNLL 2003",
        files=(
            RemoteFile(
                "https://data.deepai.org/conll2003.zip",
                "96a104d174ddae7558bab603f19382c5"
                "fe02ff1da5c077a7f3ce2ced1578a2c3",
                {
                    f"{split}.txt": f"{split}.txt"
                    for split in ("train", "valid", "test")
                },
            ),
        ),
        unit="sentences",
        count=counting.count_tagged_sentences,
    )


def _sst():
    return DataSet(
        name="sst",
        title="trees of the Stanford Sentiment Treebank",
        source="its authors' address",
        homepage="https://nlp.stanford.edu/sentiment/",
        licence=_NOT_STATED,
        citation="Socher et al., Recursive Deep Models for Semantic "
        "Compositionality Over a Sentiment Treebank, EMNLP 2013",
        files=(
            RemoteFile(
                "https://nlp.stanford.edu/sentiment/trainDevTestTrees_PTB.zip",
                "5c613a4f673fc74097d523a2c83f38e0"
                "cc462984d847b82c7aaf36b01cbbbfcc",
                {
                    f"{split}.txt": f"trees/{split}.txt"
                    for split in ("train", "dev", "test")
                },
                789_539,
            ),
        ),
        unit="trees",
        count=counting.count_lines,
    )


def _glove():
    return DataSet(
        name="glove",
        title="GloVe 6B, word vectors of 50, 100, 200 and 300 dimensions",
        source="its authors' address",
        homepage="https://nlp.stanford.edu/projects/glove/",
        licence="Public Domain Dedication and License 1.0",
        citation="Pennington, Socher and Manning, GloVe: Global Vectors for "
        "Word Representation, EMNLP 2014",
        files=(
            RemoteFile(
                "https://nlp.stanford.edu/data/glove.6B.zip",
                "617afb2fe6cbd085c235baf7a465b96f"
                "4112bd7f7ccb2b2cbd649fed9cbcf2fb",
                {
                    f"glove.6B.{dim}d.txt": f"glove.6B.{dim}d.txt"
                    for dim in (50, 100, 200, 300)
                },
                862_182_613,
            ),
        ),
        unit="words",
        count=counting.count_lines,
    )


def _wnut17():
    address = (
        "https://raw.githubusercontent.com/leondz/emerging_entities_17/master/"
    )
    return DataSet(
        name="wnut17",
        title="named entities of WNUT-17, new and rare ones in noisy text",
        source="its authors' address",
        homepage="http://noisy-text.github.io/2017/emerging-rare-entities.html",
        licence="CC BY 4.0",
        citation="Derczynski et al., Results of the WNUT2017 Shared Task on "
        "Novel and Emerging Entity Recognition, W-NUT 2017",
        files=(
            RemoteFile(
                f"{address}wnut17train.conll",
                "731820e13f71af324c6b55a1575ec2ce"
                "59fbaa2a0806f8f0400b98d56cd6a7a5",
                "train.txt",
                493_781,
            ),
            RemoteFile(
                f"{address}emerging.dev.conll",
                "e053b752b8155113ca66e7db08af5f2f"
                "5f43ab993694e4774f1ec5bad42312d8",
                "dev.txt",
                114_749,
            ),
            RemoteFile(
                f"{address}emerging.test.annotated",
                "2aa79b764e56ec9264a1b30fdd9b7019"
                "5bd00ff400b62edd8f399d5f13c178f0",
                "test.txt",
                192_425,
            ),
        ),
        unit="sentences",
        count=counting.count_tagged_sentences,
    )


# A function for each: to ask tensorflow-datasets takes time.
_DATA_SETS = {
    "conll2003": _conll2003,
    "glove": _glove,
    "lm1b": _lm1b,
    "snli": _snli,
    "squad": _squad,
    "sst": _sst,
    "wnut17": _wnut17,
}
NAMES = tuple(_DATA_SETS)
