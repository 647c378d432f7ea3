"""A tiny training of a tagger of named entities: its data, its results."""

import dataclasses
import pathlib

from tests import binaries
from tests.tasks import tiny_elmo

# BIO, with neighbouring entities of a class.
TRAIN = """\
-DOCSTART- -X- -X- O

EU NNP B-NP B-ORG
rejects VBZ B-VP O
German JJ B-NP B-MISC
call NN I-NP O
. . O O

Ann NNP B-NP B-PER
Lee NNP I-NP I-PER
met VBD B-VP O
Bo NNP B-NP B-PER
Ek NNP I-NP I-PER
in IN B-PP O
Oslo NNP B-NP B-LOC

Oslo NNP B-NP B-LOC
Bergen NNP B-NP B-LOC
won VBD B-VP O

Nothing NN B-NP O
"""

# IOB1: the second entity of a class begins with B-.
TEST = """\
-DOCSTART- -X- -X- O

Ann NNP I-NP I-PER
visits VBZ I-VP O
Oslo NNP I-NP I-LOC
Bergen NNP I-NP B-LOC
. . O O

Zürich NNP I-NP I-LOC

Bo NNP I-NP I-PER
Ek NNP I-NP I-PER
rejects VBZ I-VP O
EU NNP I-NP I-ORG
"""
TEST_TOKENS = [
    ["Ann", "visits", "Oslo", "Bergen", "."],
    ["Zürich"],
    ["Bo", "Ek", "rejects", "EU"],
]
CLASSES = ["LOC", "MISC", "ORG", "PER"]

_OPTIONS = (
    "task.lstm_units=[4],task.character_encoder.filters=4,task.word_vectors.dim=5,"
    "task.train_data.batch_size=2,task.optimizer.learning_rate=0.1,"
    "trainer.train_epochs=2,trainer.progress_seconds=1000"
)


@dataclasses.dataclass(frozen=True)
class Training:
    """A training and all that it has read.

    Attributes:
        folder: Where everything is.
        result: How the binary ended, a `binaries.Result`.
    """

    folder: pathlib.Path
    result: binaries.Result

    @property
    def model_dir(self):
        """The folder of the training."""
        return self.folder / "model"

    @property
    def test(self):
        """The test data."""
        return self.folder / "test.txt"

    @property
    def elmo(self):
        """The biLM's SavedModel."""
        return self.folder / "bilm"


def write_data(folder):
    """Writes train.txt and test.txt into a folder."""
    (folder / "train.txt").write_text(TRAIN, encoding="utf-8")
    (folder / "test.txt").write_text(TEST, encoding="utf-8")


def options(folder):
    """The overrides of ner/conll2003 for the data and the biLM in a folder."""
    return (
        f"{_OPTIONS},task.elmo.saved_model={folder}/bilm,"
        f"task.elmo.cache_dir={folder}/cache,"
        f"task.train_data.input_path={folder}/train.txt,"
        f"task.validation_data.input_path={folder}/test.txt"
    )


def train(folder, more=""):
    """Trains in a folder, by the binary.

    Args:
        folder: An existing folder.
        more: Overrides after the others, `a.b=1,c.d=2`.

    Returns:
        The `Training`.
    """
    write_data(folder)
    tiny_elmo.export(folder / "bilm")
    return Training(
        folder,
        binaries.run(
            "tasks.train",
            "--experiment=ner/conll2003",
            f"--model_dir={folder}/model",
            f"--params_override={options(folder)}{more and ',' + more}",
        ),
    )
