import json

import pytest

from elmo_tf.errors import InputError
from tasks.srl import metrics
from tasks.srl.data import read_sentences
from tasks.srl.position_baseline import PositionBaseline
from tasks.srl.proposition import Proposition
from tasks.srl.srl_sentence import SRLSentence
from tasks.text.span import Span
from tests import binaries

V = ("V", 2, 3)


def sentence(pos, *spans, predicate=2):
    pos = tuple(pos.split())
    arguments = tuple(Span(*span) for span in spans)
    return SRLSentence(
        len(pos),
        (Proposition(predicate, "go", arguments=arguments),),
        pos=pos,
    )


def predict(training, pos, predicate=2):
    baseline = PositionBaseline(training)
    (proposition,) = baseline.predict(
        sentence(pos, ("A9", 0, 1), predicate=predicate)
    ).propositions
    return [tuple(span) for span in proposition.arguments]


class TestPositionBaseline:
    def test_chunks_before_and_after(self):
        training = [
            sentence("DT NN VBZ DT JJ NN", ("A0", 0, 2), V, ("A1", 3, 6))
        ]
        assert predict(training, "JJ NNS NN VBZ NNP PRP", 3) == [
            ("A0", 0, 3),
            ("V", 3, 4),
            ("A1", 4, 5),
        ]

    def test_what_is_most_frequent(self):
        training = [
            sentence("DT NN VBZ NN", ("A0", 0, 2), V),
            sentence("DT NN VBZ NN", ("A1", 0, 2), V),
            sentence("DT NN VBZ NN", ("A1", 0, 2), V, ("A2", 3, 4)),
        ]
        assert predict(training, "DT NN VBZ NN") == [("A1", 0, 2), V]

    def test_to_the_end_of_the_clause(self):
        training = [
            sentence("DT NN VBZ IN DT NN RB .", V, ("A2", 3, 7)),
            sentence("DT NN VBZ IN NN", V, ("A2", 3, 5)),
        ]
        assert predict(training, "DT NN VBZ IN PRP IN NN , RB") == [
            V,
            ("A2", 3, 7),
        ]

    def test_up_to_the_predicate(self):
        training = [sentence("WP IN NN VBZ", ("A0", 0, 3), predicate=3)]
        assert predict(training, "NN IN WP IN NN RB VBZ", 6) == [("V", 6, 7)]
        # The same number of chunks from the predicate.
        assert predict(training, "NN WP IN NN NN VBZ", 5) == [
            ("A0", 1, 5),
            ("V", 5, 6),
        ]

    def test_no_overlap(self):
        training = [
            sentence("PRP PRP VBZ IN NN", V, ("A2", 3, 5)),
            sentence("PRP PRP VBZ IN NN NN", V, ("A2", 3, 6)),
            sentence("PRP PRP VBZ RB NN", V, ("A1", 4, 5)),
            sentence("PRP PRP VBZ RB NN", V, ("A1", 4, 5)),
            sentence("PRP PRP VBZ RB NN", V, ("A1", 4, 5)),
        ]
        assert predict(training, "PRP PRP VBZ IN NN") == [V, ("A2", 3, 5)]
        assert predict(training, "PRP PRP VBZ RB NN") == [V, ("A1", 4, 5)]

    def test_far_away(self):
        training = [sentence("RB UH UH UH UH VB", ("A0", 0, 1), predicate=5)]
        assert predict(training, "RB RB UH UH UH UH UH VB", 7) == [
            ("A0", 0, 1),
            ("A0", 1, 2),
            ("V", 7, 8),
        ]

    def test_another_kind_of_predicate(self):
        training = [sentence("DT NN VBZ", ("A0", 0, 2), V)]
        assert predict(training, "DT NN VBN") == [V]

    def test_no_parts_of_speech(self):
        bare = SRLSentence(
            1, (Proposition(0, "go"),), path="a.props", lines=(4,)
        )
        message = (
            "a.props:4: found no parts of speech, expected some to make chunks "
            "from"
        )
        with pytest.raises(InputError) as info:
            PositionBaseline([bare])
        assert str(info.value) == message
        with pytest.raises(InputError) as info:
            PositionBaseline([]).predict(bare)
        assert str(info.value) == message


class TestBinary:
    def run(self, *flags):
        return binaries.run("tasks.srl.position_baseline", *flags)

    @pytest.fixture
    def paths(self, tmp_path):
        row = "d\t0\t{}\tw\t{}\t*\t{}\t{}\t{}\n"
        text = (
            row.format(0, "NN", "-", "-", "(A0*)")
            + row.format(1, "VBZ", "go", "go.01", "(V*)")
            + row.format(2, "NN", "-", "-", "{}")
        )
        train = tmp_path / "train"
        train.write_text(text.format("*"))
        test = tmp_path / "test"
        test.write_text(text.format("(A1*)"))
        return train, test

    def test_scores_and_predictions(self, paths, tmp_path):
        train, test = paths
        output = tmp_path / "out.props"
        result = self.run(
            f"--train_data={train}", f"--test_data={test}", f"--output={output}"
        )
        assert (result.returncode, result.stderr) == (0, "")
        assert result.stdout.count("\n") == 1
        scores = json.loads(result.stdout)
        assert (scores["correct"], scores["excess"], scores["missed"]) == (
            *(1, 0, 1),
        )
        assert output.read_text() == "-\t(A0*)\ngo\t(V*)\n-\t*\n\n"
        gold, predicted = read_sentences(test), read_sentences(output)
        assert metrics.score(gold, predicted) == scores

    def test_mistakes(self, paths):
        train, test = paths
        result = self.run(
            f"--train_data={train}", f"--test_data={test}", f"--output={test}"
        )
        binaries.check_mistake(
            result,
            "position_baseline",
            f"--output={test}: is one of the input files",
        )
        assert "--test_data" in self.run(f"--train_data={train}").stderr


@pytest.mark.slow
def test_propbank(shared_data):
    """What a model should do better than."""
    folder = shared_data / "data" / "srl" / "propbank-ewt"
    train, test = (
        read_sentences(folder / f"ewt-srl.{name}.gold_conll.gz")
        for name in ("train", "test")
    )
    baseline = PositionBaseline(train)
    scores = metrics.score(test, list(map(baseline.predict, test)))
    assert scores["f1"] == pytest.approx(0.3609, abs=1e-4)
