"""The sense probe, run as a user runs it, over a tiny biLM and SemCor."""

import json
import subprocess
import sys

import numpy as np
import pytest

from benchmarks import sense_probe
from elmo_tf.embedder import Elmo
from elmo_tf.exporting import export
from elmo_tf.text.vocabulary import Vocabulary
from tests import binaries
from tests import tiny_language_model

VOCABULARY = Vocabulary(["<S>", "</S>", "<UNK>", "a", "bank"])


@pytest.fixture(scope="module")
def saved_model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("senses")
    model = tiny_language_model.make(VOCABULARY, n_layers=2)
    tiny_language_model.save(model, VOCABULARY, folder / "model")
    export(str(folder / "made"), model_dir=str(folder / "model"))
    return folder / "made"


@pytest.fixture(scope="module")
def semcor(tmp_path_factory):
    """Ten files; the sense of each bank can be told from the word before it."""
    folder = tmp_path_factory.mktemp("semcor")
    (folder / "brown1" / "tagfiles").mkdir(parents=True)
    for number in range(10):
        # Three in four are of the first sense.
        senses = [1, 1, 1, 2]
        text = "".join(
            f"<s snum=1><wf cmd=ignore pos=DT>{'xy'[sense - 1] * 3}</wf>\n"
            f"<wf cmd=done pos=NN lemma=bank wnsn={sense} "
            f"lexsn=1:17:0{sense}::>bank</wf>\n</s>\n"
            for sense in senses
        )
        (folder / "brown1" / "tagfiles" / f"br-{number}").write_text(text)
    return folder


@pytest.mark.slow
def test_binary(saved_model, semcor, tmp_path):
    result = binaries.run(
        "benchmarks.senses",
        f"--saved_model={saved_model}",
        f"--semcor={semcor}",
        f"--picture={tmp_path}/senses.png",
    )
    assert result.returncode == 0, result.stderr
    *table, line = result.stdout.splitlines()
    assert table[0].startswith("| Neighbour of the same sense |")
    assert len(table) == 2 + 12 + 1 + 2
    results = json.loads(line)
    examples = results["examples"]
    # Ten of each sense: nine of the nineteen others are of the same.
    assert examples["layers"][0] == pytest.approx(9 / 19)
    assert examples["words"]["bank"]["most_frequent_sense"] == 0.5
    assert " 50.0% |" in table[2]
    assert len(examples["words"]) == 12
    assert (tmp_path / "senses.png").read_bytes().startswith(b"\x89PNG")
    # The tokens' own vectors do not tell: 24 of 32 neighbours are of sense 1.
    figures = results["semcor"]
    assert figures["occurrences"] == 2 * 4
    assert figures["most_frequent_sense"] == 0.75
    assert figures["layers"][0] == pytest.approx(0.75**2 + 0.25**2)
    assert figures["layers"][1:] == [1.0, 1.0]
    assert figures["parts_of_speech"] == {
        "nouns": {
            name: figures[name]
            for name in ("layers", "most_frequent_sense", "occurrences")
        }
    }
    assert results["untrained"]["examples"]["layers"][0] == pytest.approx(
        9 / 19
    )


def test_from_the_folder_of_the_checkout():
    """`python benchmarks/senses.py`, as the documentation has it."""
    path = sense_probe.__file__.replace("sense_probe.py", "senses.py")
    result = subprocess.run(
        [sys.executable, path, "--saved_model=none"],
        capture_output=True,
        text=True,
        env=binaries.program_environment(),
    )
    binaries.check_mistake(
        binaries.Result(result.returncode, result.stdout, result.stderr),
        "senses",
        "none: no such folder",
    )


def test_untrained(saved_model):
    untrained = sense_probe.untrained(str(saved_model))
    elmo = Elmo(saved_model)
    assert untrained.n_layers == elmo.n_layers
    assert untrained.output_dim == elmo.output_dim
    (first,) = untrained.embed([["a"]])
    (second,) = sense_probe.untrained(str(saved_model)).embed([["a"]])
    np.testing.assert_array_equal(first, second)
    assert np.abs(first - elmo.embed([["a"]])[0]).max() > 1e-3
