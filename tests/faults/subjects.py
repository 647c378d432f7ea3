"""The binaries that are killed, with small work for each."""

import dataclasses

import yaml

from tests import tiny_pretraining
from tests.tasks import tiny_elmo
from tests.tasks import tiny_ner

# What is made by no binary.
BILM = "the biLM"

_STEPS = 6
_PRETRAINING = {
    "trainer.checkpoint_interval": 2,
    "trainer.summary_interval": 1,
}


@dataclasses.dataclass(frozen=True)
class Subject:
    """A binary with work to do.

    Attributes:
        name: What to call it.
        module: The binary's dotted name.
        arguments: What stands after it on the command line.
        wholes: The files and folders that are made at once, in the folder that
            it is started in: each is there with all that is in it, or not.
        is_made_once: Whether it wants to make what is not there yet; else the
            same command goes on with what is there, or makes it anew.
        needs: The names of those that must have run before, and `BILM`.
        everything: Arguments that make it keep all its checkpoints; None:
            there are no checkpoints.
    """

    name: str
    module: str
    arguments: tuple
    wholes: tuple = ()
    is_made_once: bool = False
    needs: tuple = ()
    everything: tuple | None = None


def place_of(name):
    """The folder, among the inputs, in which others look for what it made."""
    return name.replace(" ", "_").replace("=", "_")


class Subjects:
    """All of them.

    Args:
        folder: A `pathlib.Path`, for their inputs; made.

    Attributes:
        by_binary: A dictionary from binaries to lists of `Subject`.
    """

    def __init__(self, folder):
        self._folder = folder
        folder.mkdir(parents=True)
        self._corpus = tiny_pretraining.make_corpus(folder / "corpus")
        ner = folder / "ner"
        ner.mkdir()
        tiny_ner.write_data(ner)
        (folder / "sentences.txt").write_text(
            "".join(f"{word} word{n} .\n" for n in range(300) for word in "ab")
        )
        (folder / "to_tag.txt").write_text(tiny_ner.TEST * 30)
        self.by_binary = {
            "elmo_tf.train": self._pretraining(),
            "tasks.train": self._task_training(),
            "elmo_tf.embed": self._embedding(),
            "tasks.predict": self._prediction(),
            "elmo_tf.export": self._export(),
            "tasks.export": self._task_export(),
        }

    def _pretraining(self):
        """`elmo_tf.train`."""
        config = self._folder / "pretraining.yaml"
        options = tiny_pretraining.make_options(
            self._corpus, _STEPS, _PRETRAINING
        )
        config.write_text(yaml.safe_dump(options))
        arguments = (
            "--experiment=elmo/tiny",
            f"--config_file={config}",
            "--model_dir=model",
        )
        return [
            Subject(
                "elmo_tf.train",
                "elmo_tf.train",
                arguments,
                everything=(
                    *arguments,
                    "--params_override=trainer.max_to_keep=100",
                ),
            )
        ]

    def _task_training(self):
        """`tasks.train`, with ELMo; its cache is part of what is killed."""
        return [
            Subject(
                "tasks.train",
                "tasks.train",
                self._task_arguments(),
                needs=(BILM,),
                everything=self._task_arguments(",trainer.max_to_keep=100"),
            )
        ]

    def _embedding(self):
        """`elmo_tf.embed`."""
        return [
            Subject(
                "elmo_tf.embed",
                "elmo_tf.embed",
                (
                    f"--saved_model={self._folder}/bilm",
                    f"--input={self._folder}/sentences.txt",
                    "--output=vectors.hdf5",
                    "--batch_size=16",
                ),
                needs=(BILM,),
            )
        ]

    def _prediction(self):
        """`tasks.predict`, which writes a cache too."""
        return [
            Subject(
                "tasks.predict",
                "tasks.predict",
                (
                    f"--model_dir={self._folder}/tasks.train/run/model",
                    f"--input_path={self._folder}/to_tag.txt",
                    "--output=tagged.txt",
                ),
                needs=("tasks.train",),
            )
        ]

    def _export(self):
        """`elmo_tf.export` of a SavedModel, a version of one, and HDF5."""
        model_dir = f"--model_dir={self._folder}/elmo_tf.train/run/model"
        return [
            Subject(
                f"elmo_tf.export {argument}",
                "elmo_tf.export",
                (model_dir, "--output=exported", argument),
                wholes=(whole,),
                is_made_once=True,
                needs=("elmo_tf.train",),
            )
            for argument, whole in (
                ("--format=saved_model", "exported"),
                ("--version=1", "exported/1"),
                ("--format=hdf5", "exported"),
            )
        ]

    def _task_export(self):
        """`tasks.export` of a SavedModel, and a version of one."""
        model_dir = f"--model_dir={self._folder}/tasks.train/run/model"
        return [
            Subject(
                f"tasks.export {argument}",
                "tasks.export",
                (model_dir, "--output=exported", argument),
                wholes=(whole,),
                is_made_once=True,
                needs=("tasks.train",),
            )
            for argument, whole in (
                ("--tokenizer=whitespace", "exported"),
                ("--version=1", "exported/1"),
            )
        ]

    def make_bilm(self):
        """Makes the biLM that the tasks read; runs TensorFlow."""
        tiny_elmo.export(self._folder / "bilm")

    def _task_arguments(self, more=""):
        options = (
            tiny_ner.options(self._folder / "ner")
            .replace(f"{self._folder}/ner/bilm", f"{self._folder}/bilm")
            .replace(f"{self._folder}/ner/cache", "cache")
        )
        options += (
            ",trainer.train_epochs=3,"
            f"task.test_data.input_path={self._folder}/ner/test.txt{more}"
        )
        return (
            "--experiment=ner/conll2003",
            "--model_dir=model",
            f"--params_override={options}",
        )
