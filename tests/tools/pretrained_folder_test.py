"""The folder of a pre-trained biLM, made of a tiny pre-training."""

import json
import re

import numpy as np
import pytest

from elmo_tf import pretrained
from elmo_tf.embedder import Elmo
from elmo_tf.errors import InputError
from elmo_tf.exporting import export
from elmo_tf.token_batch import pad_tokens
from tests import tiny_pretraining
from tools.pretrained_folder import write_pretrained

pytestmark = pytest.mark.slow

OPTIONS = {
    "task.model.lstm.n_layers": 2,
    "trainer.validation_interval": 2,
    "trainer.summary_interval": 1,
}

# Senses to tell apart, in the part that is asked about as in the others.
SEMCOR = "".join(
    "<s snum=1><wf cmd=done pos=NN lemma=bank wnsn=1 "
    f"lexsn=1:17:0{sense}::>bank</wf>\n</s>\n"
    for sense in (1, 2)
)


@pytest.fixture(scope="module")
def arguments(tmp_path_factory):
    """What `write_pretrained` takes besides the output."""
    folder = tmp_path_factory.mktemp("pretrained")
    corpus = tiny_pretraining.make_corpus(folder / "corpus")
    config = tiny_pretraining.make_config(corpus, 4, OPTIONS)
    with pytest.MonkeyPatch.context() as monkeypatch:
        tiny_pretraining.pretrain(
            monkeypatch, config, folder / "model", "train_and_eval"
        )
    (folder / "wiki.valid.tokens").write_text(
        " \n = word1 = \n \n word2 @-@ <unk> naïve . \n"
    )
    tagfiles = folder / "semcor" / "brown1" / "tagfiles"
    tagfiles.mkdir(parents=True)
    for number in range(5):
        (tagfiles / f"br-a0{number}").write_text(SEMCOR)
    return [
        str(folder / "model"),
        corpus.valid,
        str(folder / "wiki.valid.tokens"),
        str(folder / "semcor"),
        "penn_treebank",
    ]


@pytest.fixture(scope="module")
def made(arguments, tmp_path_factory):
    """The folder and the metadata."""
    output = tmp_path_factory.mktemp("output") / "mini"
    return output, write_pretrained(str(output), *arguments)


def test_files(made):
    folder, _ = made
    assert sorted(path.name for path in folder.iterdir()) == [
        "MODEL_CARD.md",
        "SHA256SUMS",
        "initial_state.h5",
        "metadata.json",
        "options.json",
        "vocab.txt",
        "weights.hdf5",
    ]
    assert [path.name for path in folder.parent.iterdir()] == ["mini"]


def test_metadata(made):
    folder, metadata = made
    assert json.loads((folder / "metadata.json").read_text()) == metadata
    assert metadata["tokenizer"] == "penn_treebank"
    assert metadata["steps"] == 4
    assert metadata["tokens_seen"] == 4 * 4 * 5
    assert metadata["corpus"]["sentences"] == 55
    assert metadata["validation"]["sentences"] == 21
    curve = metadata["validation"]["curve"]
    assert [point["steps"] for point in curve] == [2, 4]
    assert 0 < curve[0]["hours"] < curve[1]["hours"] == metadata["hours"]
    perplexity = metadata["perplexity"]
    # The validation and the held-out text are the same here.
    assert perplexity["heldout"]["average_perplexity"] == pytest.approx(
        curve[-1]["average"], rel=1e-4
    )
    assert perplexity["heldout"]["unknown_tokens"] == 2
    # Without blank lines; "=" twice, "@-@", "<unk>".
    assert perplexity["wikitext2_valid"]["sentences"] == 2
    assert perplexity["wikitext2_valid"]["tokens"] == 3 + 5 + 2
    assert perplexity["wikitext2_valid"]["unknown_tokens"] == 4
    assert (
        len({figures["forward_perplexity"] for figures in perplexity.values()})
        == 4
    )
    assert metadata["senses"]["semcor"]["occurrences"] == 2
    assert len(metadata["senses"]["examples"]["words"]) == 12


def test_vectors(made, arguments, tmp_path):
    """As those of the SavedModel that `elmo_tf.export` makes."""
    folder, _ = made
    export(
        str(tmp_path / "saved_model"),
        model_dir=arguments[0],
        initial_state="warm",
    )
    sentence = ["word1", "naïve", "."]
    (expected,) = Elmo(tmp_path / "saved_model").embed([sentence])
    outputs = pretrained.load_folder(folder).signatures["tokens"](
        **pad_tokens([sentence])
    )
    np.testing.assert_allclose(
        np.swapaxes(outputs["layers"][0], 0, 1), expected, atol=1e-6
    )


def test_card(made):
    folder, metadata = made
    card = (folder / "MODEL_CARD.md").read_text("utf-8")
    assert not re.search(r"\$\w", card)
    average = metadata["perplexity"]["wikitext2_valid"]["average_perplexity"]
    (line,) = re.findall(r"^\| WikiText-2 valid .*$", card, re.MULTILINE)
    assert f"{average:,.1f}" in line and "40.0%" in line
    assert "trainer.train_steps=4\n" in card
    assert card.startswith("# mini\n")


def test_it_replaces_its_own_only(made, arguments, tmp_path):
    with pytest.raises(InputError) as info:
        write_pretrained(str(tmp_path / "maxi"), *arguments)
    assert str(info.value).startswith(
        f"--output={tmp_path}/maxi: there is no card "
    )
    (tmp_path / "mini").mkdir()
    (tmp_path / "mini" / "mine.txt").write_text("mine")
    with pytest.raises(InputError) as info:
        write_pretrained(str(tmp_path / "mini"), *arguments)
    assert str(info.value) == (
        f"--output={tmp_path}/mini: is there and no pre-trained biLM's folder"
    )
    folder, metadata = made
    (folder / "old.txt").write_text("old")
    again = write_pretrained(str(folder), *arguments)
    assert again == metadata
    assert not (folder / "old.txt").exists()
    assert [path.name for path in folder.parent.iterdir()] == ["mini"]
