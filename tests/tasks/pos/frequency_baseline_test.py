import json

import pytest

from tasks.pos.data import read_examples
from tasks.pos.data import read_sentences_to_tag
from tasks.pos.frequency_baseline import FrequencyBaseline
from tasks.pos.tagged_sentence import TaggedSentence
from tests import binaries

TRAINING = [
    TaggedSentence(("fly", "they", "fly"), ("NN", "PRP", "VB")),
    TaggedSentence(("fly", "Fly", "no"), ("VB", "NNP", "DT")),
    TaggedSentence(("both", "both"), ("DT", "CC")),
]


class TestFrequencyBaseline:
    def test_the_most_frequent_tag_of_each_word(self):
        baseline = FrequencyBaseline(TRAINING)
        # Of two equally frequent ones, the first.
        assert baseline.predict(["they", "fly", "both", "Fly"]) == [
            *("PRP", "VB", "DT", "NNP"),
        ]
        assert baseline.known_words == {
            *("fly", "they", "Fly", "no", "both"),
        }

    def test_other_words_have_the_most_frequent_tag_of_all(self):
        assert FrequencyBaseline(TRAINING).predict(["birds"]) == ["VB"]

    def test_score(self):
        found = FrequencyBaseline(TRAINING).score(
            [TaggedSentence(("they", "fly", "birds"), ("PRP", "NN", "VB"))]
        )
        assert found["accuracy"] == pytest.approx(2 / 3)
        assert (found["unseen_accuracy"], found["unseen_tokens"]) == (1.0, 1)


class TestBinary:
    @pytest.fixture
    def paths(self, tmp_path):
        train, test = tmp_path / "train.txt", tmp_path / "test.conllu"
        train.write_text("They PRP\nfly VB\n\nno NN\nfly NN\nfly VB\n")
        row = "{}\t{}\t_\tX\t{}\t_\t0\troot\t_\t_\n"
        test.write_text(row.format(1, "fly", "VB") + row.format(2, "!", "."))
        return train, test

    def run(self, *flags):
        return binaries.run("tasks.pos.frequency_baseline", *flags)

    def test_scores_and_predictions(self, paths, tmp_path):
        train, test = paths
        output = tmp_path / "out.conllu"
        result = self.run(
            f"--train_data={train}", f"--test_data={test}", f"--output={output}"
        )
        assert (result.returncode, result.stderr) == (0, "")
        assert result.stdout.count("\n") == 1
        assert json.loads(result.stdout) == {
            "accuracy": 0.5,
            "unseen_accuracy": 0.0,
            "tokens": 2,
            "unseen_tokens": 1,
            "accuracy/.": 0.0,
            "accuracy/VB": 1.0,
        }
        (predicted,) = read_examples(output, "xpos")
        assert predicted.tags == ("VB", "VB")
        assert read_sentences_to_tag(output) == [
            TaggedSentence(("fly", "!"), None, (0, 1), predicted.sentence)
        ]

    def test_column(self, paths):
        _, test = paths
        result = self.run(
            f"--train_data={test}", f"--test_data={test}", "--column=upos"
        )
        assert json.loads(result.stdout)["accuracy/X"] == 1.0

    def test_mistakes(self, paths):
        train, test = paths
        result = self.run(
            f"--train_data={train}", f"--test_data={test}", f"--output={test}"
        )
        binaries.check_mistake(
            result,
            "frequency_baseline",
            f"--output={test}: is one of the input files",
        )
        assert "--test_data" in self.run(f"--train_data={train}").stderr


@pytest.mark.parametrize(
    "column, accuracy", [("upos", 0.8620), ("xpos", 0.8382)]
)
def test_english_web_treebank(shared_data, column, accuracy):
    """What a model should do better than."""
    folder = shared_data / "data" / "pos" / "ud-ewt"
    train, test = (
        read_examples(folder / f"en_ewt-ud-{name}.conllu.gz", column)
        for name in ("train", "test")
    )
    found = FrequencyBaseline(train).score(test)
    assert found["accuracy"] == pytest.approx(accuracy, abs=1e-4)
