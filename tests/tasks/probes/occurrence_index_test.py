"""The nearest occurrences against the embedder's own search."""

import os

import numpy as np
import pytest

from elmo_tf.embedder import Elmo
from tasks.probes.line_corpus import LineCorpus
from tasks.probes.occurrence_index import OccurrenceIndex
from tests.tasks import tiny_elmo

WORDS = ("the", "river", "bank", "play", "of", "naïve", "a", "went", ".")


class Steps:
    """Counts what is done, in the place of progress lines."""

    def __init__(self):
        self.titles = []
        self.tokens = 0

    def __call__(self, title, n_steps, step_name):
        self.titles.append((title, n_steps, step_name))
        return self.advance

    def advance(self, done, tokens):
        self.tokens += tokens


@pytest.fixture(scope="module")
def elmo(tmp_path_factory):
    return Elmo(tiny_elmo.export(tmp_path_factory.mktemp("bilm") / "bilm"))


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """Sentences of all lengths, one of them empty."""
    generator = np.random.default_rng(1)
    path = tmp_path_factory.mktemp("text") / "text.txt"
    lengths = [0, 40, *generator.integers(1, 12, size=250)]
    lines = [" ".join(generator.choice(WORDS, size=n)) for n in lengths]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return LineCorpus(path)


def make(folder, elmo, corpus, layers=(0, 1, 2), **options):
    steps = Steps()
    index = OccurrenceIndex(str(folder), elmo, corpus, **options)
    index.prepare(layers, steps)
    return index, steps


@pytest.mark.parametrize(
    "dtype, tolerance", [("float32", 3e-6), ("float16", 1e-3)]
)
def test_brute_force(tmp_path, elmo, corpus, dtype, tolerance):
    index, steps = make(tmp_path / "index", elmo, corpus, dtype=dtype)
    assert not index.is_approximate
    assert steps.titles == [("layers", corpus.n_sentences, "sentence")]
    assert steps.tokens == corpus.n_tokens
    sentence = ["they", "went", "to", "a", "play", "."]
    query = elmo.embed([sentence])[0][:, 4]
    sentences = list(corpus.sentences())
    numbers = [
        number
        for number in range(corpus.n_tokens)
        if sentences[corpus.locate(number)[0]][corpus.locate(number)[1]]
        == "play"
    ]
    # The token layer has many that are equally near.
    for layer in (1, 2):
        for same_word in (False, True):
            expected = elmo.neighbours(
                sentence, 4, sentences, n=8, layer=layer, same_word=same_word
            )
            cosines, rows = index.search(
                layer, query[layer], 8, numbers if same_word else None
            )
            np.testing.assert_allclose(
                cosines,
                [found.similarity for found in expected],
                atol=tolerance,
            )
            if dtype == "float32":
                assert [corpus.locate(row) for row in rows] == [
                    (found.sentence_index, found.position) for found in expected
                ]
    _, rows = index.search(0, query[0], 3)
    assert rows.tolist() == numbers[:3]


def test_sentences_do_not_change_their_neighbours(tmp_path, elmo, corpus):
    """Each one's vectors are those of the sentence by itself."""
    make(tmp_path / "index", elmo, corpus, dtype="float32")
    sentences = list(corpus.sentences())
    for layer in range(3):
        vectors = np.load(tmp_path / "index" / f"layer_{layer}.npy")
        for number in (1, 5, 100, corpus.n_sentences - 1):
            start, end = corpus.starts[number : number + 2]
            (alone,) = elmo.embed([sentences[number]])
            alone = alone[layer]
            alone = alone / np.linalg.norm(alone, axis=-1, keepdims=True)
            np.testing.assert_allclose(vectors[start:end], alone, atol=1e-5)


def test_it_is_made_once(tmp_path, elmo, corpus):
    make(tmp_path, elmo, corpus, layers=[1])
    assert os.listdir(tmp_path) == ["layer_1.npy"]
    before = os.stat(tmp_path / "layer_1.npy").st_mtime_ns
    _, steps = make(tmp_path, elmo, corpus, layers=[1, 2])
    assert len(steps.titles) == 1
    assert os.stat(tmp_path / "layer_1.npy").st_mtime_ns == before
    _, steps = make(tmp_path, elmo, corpus, layers=[1, 2])
    assert not steps.titles


def test_approximate(tmp_path, elmo, corpus):
    options = {"dtype": "float32", "exact_below": 0}
    index, steps = make(tmp_path, elmo, corpus, layers=[1], **options)
    assert index.is_approximate
    assert steps.titles[1:] == [("index of layer 1", corpus.n_tokens, "token")]
    assert steps.tokens == 2 * corpus.n_tokens
    exact, _ = make(tmp_path, elmo, corpus, layers=[1])
    query = elmo.embed([["a", "play"]])[0][1, 1]
    cosines, rows = index.search(1, query, 5, excluded=[3, 4])
    expected, expected_rows = exact.search(1, query, 5, excluded=[3, 4])
    assert np.isin(rows, expected_rows).sum() >= 4
    assert cosines[0] == expected[0]
    assert index.recall(1, 5, 20) > 0.9
    _, steps = make(tmp_path, elmo, corpus, layers=[1], **options)
    assert not steps.titles
