import dataclasses

import numpy as np
import pytest
import tensorflow as tf

from elmo_tf import embedder
from elmo_tf import embedding_batches
from elmo_tf.dump import dump_token_embeddings
from elmo_tf.embedder import Elmo
from elmo_tf.errors import InputError
from tests.elmo_tf.conftest import WORDS
from tests.reference import bilm as reference
from tests.reference import options as options_lib

# Of all lengths, in no order.
SENTENCES = [
    ["the", "naïve", "river", "—", "bank", "."],
    [],
    ["x" * 60, "", "<S>", "</S>", "<UNK>"],
    ["bank"],
    ["a\0b", "日本語" * 20],
    [],
    ["the", "river", "."] * 5,
]


@pytest.fixture(scope="module")
def official(official_files):
    """The `Elmo` of files with random weights."""
    return Elmo.from_weights(*official_files.paths)


def close(actual, expected, tolerance=1e-5):
    np.testing.assert_allclose(actual, expected, atol=tolerance, rtol=tolerance)


def reference_layers(files, tokens):
    """`[n_layers, n, output_dim]`."""
    ids = reference.sentences_character_ids([tokens])
    layers = reference.bilm(ids, files.options, files.weights)["layers"]
    return np.swapaxes(layers[0, 1:-1], 0, 1)


class TestEmbed:
    def test_all_layers(self, official, official_files):
        arrays = official.embed(SENTENCES)
        assert len(arrays) == len(SENTENCES)
        for tokens, array in zip(SENTENCES, arrays, strict=True):
            assert array.shape == (3, len(tokens), 8)
            assert array.dtype == np.float32
            close(array, reference_layers(official_files, tokens))

    def test_top_and_average(self, official):
        every = official.embed(SENTENCES)
        for top, average, array in zip(
            official.embed(SENTENCES, "top"),
            official.embed(SENTENCES, layers="average"),
            every,
            strict=True,
        ):
            np.testing.assert_array_equal(top, array[-1])
            close(average, array.mean(axis=0), 1e-6)

    def test_batch_size_does_not_matter(self, official):
        expected = official.embed(SENTENCES, batch_size=64)
        for batch_size in (1, 2, 5):
            arrays = official.embed(SENTENCES, batch_size=batch_size)
            for left, right in zip(arrays, expected, strict=True):
                close(left, right, 1e-6)

    def test_order_over_several_chunks(self, official, monkeypatch):
        monkeypatch.setattr(embedder, "_SENTENCES_AT_ONCE", 3)
        sentences = [["a"] * (i * 7 % 5) for i in range(11)]
        arrays = official.embed_stream(iter(sentences), "top", 2)
        assert [len(array) for array in arrays] == list(map(len, sentences))

    def test_arrays_do_not_hold_their_batch(self, official):
        for array in official.embed(SENTENCES, "top"):
            assert array.base is None

    def test_raw_strings(self, official):
        strings = ["the river .", "", " \t ", "bank"]
        lists = [string.split() for string in strings]
        # Both kinds side by side too.
        for sentences in (strings, strings[:2] + lists[2:]):
            arrays = official.embed(sentences)
            for left, right in zip(arrays, official.embed(lists), strict=True):
                close(left, right, 1e-6)

    def test_lone_surrogates_are_left_out(self, official):
        clean = official.embed([["ab", ""]])[0]
        for sentence in (["a\ud800b", "\udfff"], ("ab", "")):
            close(official.embed([sentence])[0], clean, 1e-6)
        (tokens,) = official.tokenize(["a\ud800b \udfff c"])
        assert tokens == ["ab", "c"]

    def test_bytes_beyond_48_do_not_matter(self, official):
        first = "é" * 24
        left, right = official.embed([[first + "x"], [first + "y" * 99]])
        close(left, right, 1e-6)
        (other,) = official.embed([["é" * 23 + "x"]])
        assert np.abs(left - other).max() > 1e-3

    def test_one_very_long_sentence(self, official, official_files):
        long = [f"w{i % 9}" for i in range(700)]
        arrays = official.embed([["a"], long, ["b"]])
        close(arrays[1], reference_layers(official_files, long))
        close(arrays[0], reference_layers(official_files, ["a"]))

    def test_batches_are_bounded(self, monkeypatch, official):
        expected = official.embed(SENTENCES)
        sizes = []
        embed_batch = official._embed_batch

        def watched(batch, layers):
            sizes.append(sum(len(tokens) + 2 for tokens in batch))
            return embed_batch(batch, layers)

        monkeypatch.setattr(official, "_embed_batch", watched)
        size = official.n_layers * official.output_dim * 4
        monkeypatch.setattr(embedding_batches, "_MAX_BYTES", 20 * size)
        arrays = official.embed(SENTENCES)
        assert len(sizes) > 1
        assert max(sizes) <= 20
        for left, right in zip(arrays, expected, strict=True):
            close(left, right, 1e-6)

    @pytest.mark.parametrize("size", [0, 3, 1000])
    def test_remembered_words_do_not_matter(self, official_files, size):
        elmo = Elmo.from_weights(*official_files.paths, word_cache_size=size)
        # The second time words are known.
        for _ in range(2):
            for tokens, array in zip(
                SENTENCES, elmo.embed(SENTENCES), strict=True
            ):
                close(array, reference_layers(official_files, tokens))

    def test_forgotten_words_leave_nothing(self, official_files):
        elmo = Elmo.from_weights(*official_files.paths, word_cache_size=3)
        encoder = elmo._loaded._word_encoder
        elmo.embed([["a", "b", "c", "d"]])
        assert encoder._cache.size() == 3
        elmo.forget_words()
        assert encoder._cache.size() == 0
        # They are remembered anew.
        elmo.embed(SENTENCES)
        assert encoder._cache.size() == 3

    def test_words_of_a_saved_model_are_forgotten(self, elmo, saved_model):
        other = Elmo(saved_model)
        other.embed([["a", "b"]])
        other.forget_words()
        for left, right in zip(
            other.embed(SENTENCES), elmo.embed(SENTENCES), strict=True
        ):
            close(left, right, 1e-6)

    def test_words_of_an_older_saved_model_stay(self, elmo, monkeypatch):
        monkeypatch.setattr(elmo, "_loaded", object())
        with pytest.raises(InputError, match="expected a function forget_w"):
            elmo.forget_words()

    def test_bfloat16_is_near(self, official, official_files):
        elmo = Elmo.from_weights(*official_files.paths, dtype="bfloat16")
        differences = []
        for left, right in zip(
            elmo.embed(SENTENCES), official.embed(SENTENCES), strict=True
        ):
            assert left.dtype == np.float32
            differences.extend(np.abs(left - right).ravel())
        assert 1e-5 < max(differences) < 0.1

    def test_no_sentences(self, official):
        assert official.embed([]) == []
        assert official.embed(iter(())) == []
        assert official.average([]).shape == (0, 8)
        assert official.tokenize([]) == []

    def test_shape(self, official, elmo, make_official_files):
        assert (official.n_layers, official.output_dim) == (3, 8)
        assert (elmo.n_layers, elmo.output_dim) == (3, 8)
        files = make_official_files(n_layers=1, bidirectional=False)
        single = Elmo.from_weights(*files.paths)
        assert (single.n_layers, single.output_dim) == (2, 4)
        assert single.embed([["a", "b"]])[0].shape == (2, 2, 4)

    def test_nothing_is_traced_again(self, official):
        function = official._loaded.flat
        official.embed(SENTENCES)
        official.embed([["a"] * 9] * 3, "top", 2)
        assert function.experimental_get_tracing_count() == 1

    def test_saved_model_is_the_weights(self, elmo, exported_files):
        again = Elmo.from_weights(*exported_files.paths)
        for left, right in zip(
            elmo.embed(SENTENCES), again.embed(SENTENCES), strict=True
        ):
            close(left, right, 1e-6)


class TestAverage:
    def test_mean_of_the_tokens(self, official):
        arrays = official.embed(SENTENCES, "average")
        vectors = official.average(SENTENCES)
        assert vectors.shape == (7, 8) and vectors.dtype == np.float32
        for vector, array in zip(vectors, arrays, strict=True):
            close(vector, array.mean(axis=0) if len(array) else np.zeros(8))

    def test_top(self, official):
        vectors = official.average(SENTENCES, layers="top", batch_size=2)
        close(vectors[0], official.embed(SENTENCES)[0][-1].mean(axis=0))

    def test_as_tensorflow_hub(self, saved_model, elmo):
        strings = ["word1 naïve a", "", "a"]
        loaded = tf.saved_model.load(saved_model)
        expected = loaded.signatures["default"](tf.constant(strings))["default"]
        close(elmo.average(strings), expected)


class TestNeighbours:
    QUERY = ["the", "bank", "."]
    TEXT = [
        ["a", "bank", "by", "the", "river"],
        [],
        "the bank opened",
        ["the", "bank", "."],
        ["the", "bank", "."],
    ]

    @pytest.mark.parametrize("layer", [0, 1, -1])
    @pytest.mark.parametrize("same_word", [False, True])
    def test_brute_force(self, official, layer, same_word):
        query = official.embed([self.QUERY])[0][layer, 1]
        found = []
        for index, sentence in enumerate(self.TEXT):
            (tokens,) = official.tokenize([sentence])
            array = official.embed([tokens])[0][layer]
            for position, token in enumerate(tokens):
                vector = array[position]
                cosine = np.dot(query, vector) / np.sqrt(
                    np.dot(query, query) * np.dot(vector, vector)
                )
                if token == "bank" or not same_word:
                    found.append((cosine, index, position, token))
        found.sort(key=lambda item: (-round(item[0], 5), item[1:]))
        neighbours = official.neighbours(
            self.QUERY,
            1,
            iter(self.TEXT),
            n=4,
            layer=layer,
            same_word=same_word,
        )
        assert len(neighbours) == 4
        close(
            [neighbour.similarity for neighbour in neighbours],
            [item[0] for item in found[:4]],
        )
        if layer:
            # All "bank" have the same token vector.
            assert [
                (n.sentence_index, n.position, n.token) for n in neighbours
            ] == [item[1:] for item in found[:4]]

    def test_of_equal_ones_the_first(self, official):
        text = [["x"], self.QUERY, ["y"], self.QUERY]
        first, second = official.neighbours("the bank .", 1, text, n=2)
        assert (first.sentence_index, second.sentence_index) == (1, 3)
        assert first.similarity == pytest.approx(1.0, abs=1e-5)

    def test_fewer_than_asked_for(self, official):
        assert len(official.neighbours(["a"], 0, [["b", "c"]], n=9)) == 2
        assert official.neighbours(["a"], 0, [[], ""], n=9) == []


class TestLanguageModel:
    def test_score(self, elmo, exported_files):
        vocabulary = exported_files.vocab_file.read_text("utf-8").split()
        softmax = options_lib.load_weights(exported_files.folder / "softmax.h5")
        sentences = [["word1", "unknown", "naïve"], [], "a word3", ["a"] * 9]
        for score, sentence in zip(
            elmo.score(sentences, batch_size=2), sentences, strict=True
        ):
            (tokens,) = elmo.tokenize([sentence])
            assert score.tokens == tokens
            ids = reference.sentences_character_ids([tokens], 10)
            layers = reference.bilm(
                ids, exported_files.options, exported_files.weights
            )["layers"][0]
            logits = (
                layers[:, -1].reshape(-1, 2, 4) @ softmax["softmax/W"].T
                + softmax["softmax/b"]
            )
            log_sum = np.log(np.exp(logits).sum(axis=-1, keepdims=True))
            values = logits - log_sum
            n = len(tokens)
            targets = [
                vocabulary.index(token if token in vocabulary else "<UNK>")
                for token in tokens
            ]
            close(score.forward, values[range(n), 0, targets])
            close(score.backward, values[range(2, n + 2), 1, targets])
            close(score.forward_end, values[n, 0, 1])
            close(score.backward_begin, values[1, 1, 0])
            assert isinstance(score.forward_end, float)

    def test_substitutes(self, elmo, exported_files):
        vocabulary = exported_files.vocab_file.read_text("utf-8").split()
        found = elmo.substitutes("word1 unknown naïve", 1, n=10_000)
        assert set(found) == {"forward", "backward", "combined"}
        by_word = {}
        for name, substitutes in found.items():
            assert sorted(s.word for s in substitutes) == sorted(vocabulary)
            values = [s.log_probability for s in substitutes]
            assert values == sorted(values, reverse=True)
            close(np.exp(values).sum(), 1.0)
            by_word[name] = {s.word: s.log_probability for s in substitutes}
        (score,) = elmo.score([["word1", "<UNK>", "naïve"]])
        # What stands there is of no influence on what could.
        close(by_word["forward"]["<UNK>"], score.forward[1])
        close(by_word["backward"]["<UNK>"], score.backward[1])
        product = {
            word: by_word["forward"][word] + by_word["backward"][word]
            for word in vocabulary
        }
        total = np.log(np.exp(list(product.values())).sum())
        for word, value in product.items():
            close(by_word["combined"][word], value - total)
        assert elmo.substitutes("word1 unknown naïve", 1, n=2) == {
            name: substitutes[:2] for name, substitutes in found.items()
        }

    def test_nothing_to_score(self, elmo):
        assert elmo.score([]) == []

    def test_no_softmax(self, official, official_files):
        for call in (
            lambda: official.score(["a"]),
            lambda: official.substitutes("a", 0),
        ):
            with pytest.raises(InputError) as error:
                call()
            assert str(error.value) == (
                f"{official_files.weights_file}: holds no softmax; export it "
                "from a model_dir"
            )


class TestWordInput:
    def test_reference(self, word_files):
        elmo = Elmo.from_weights(*word_files.paths, word_files.vocab_file)
        sentences = [["the", "a/b", "never seen"], [], "naïve ."]
        for sentence, array in zip(
            sentences, elmo.embed(sentences), strict=True
        ):
            (tokens,) = elmo.tokenize([sentence])
            ids = [
                WORDS.index(word if word in WORDS else "<UNK>") + 1
                for word in ["<S>", *tokens, "</S>"]
            ]
            layers = reference.bilm(
                np.array([ids]), word_files.options, word_files.weights
            )["layers"]
            close(array, np.swapaxes(layers[0, 1:-1], 0, 1))

    def test_token_embeddings_are_the_characters(
        self, official, official_files, tmp_path
    ):
        vocab_file = tmp_path / "vocab.txt"
        vocab_file.write_text("\n".join(WORDS) + "\n", encoding="utf-8")
        dump_token_embeddings(
            vocab_file, *official_files.paths, tmp_path / "tokens.hdf5"
        )
        cached = Elmo.from_weights(
            *official_files.paths, vocab_file, tmp_path / "tokens.hdf5"
        )
        sentences = [WORDS, [], ["river", "a/b"]]
        for left, right in zip(
            cached.embed(sentences), official.embed(sentences), strict=True
        ):
            close(left, right, 1e-6)
        # Words beyond the vocabulary are all alike.
        left, right = cached.embed([["x", "the"], ["y", "the"]])
        close(left, right, 1e-6)

    def test_files_that_do_not_fit(self, word_files, official_files, tmp_path):
        def message(*args, **kwargs):
            with pytest.raises(InputError) as error:
                Elmo.from_weights(*args, **kwargs)
            return str(error.value)

        assert message(*word_files.paths) == (
            "vocab_file: a biLM that reads words needs one"
        )
        vocab_file = tmp_path / "vocab.txt"
        vocab_file.write_text("<S>\n</S>\n<UNK>\n")
        assert message(*word_files.paths, vocab_file) == (
            f"{vocab_file}: has 3 words, but there are 9 token vectors"
        )
        assert message(*official_files.paths, vocab_file) == (
            f"vocab_file: found {vocab_file}, but the biLM reads characters, "
            "it needs none"
        )
        assert message(*official_files.paths, tokenizer="x") == (
            "tokenizer: found 'x', expected one of whitespace, penn_treebank"
        )


class TestMistakes:
    @pytest.mark.parametrize(
        "call, message",
        [
            (
                lambda elmo: elmo.embed("one sentence"),
                "sentences: found one string, expected a list of them",
            ),
            (
                lambda elmo: elmo.score("one sentence"),
                "sentences: found one string, expected a list of them",
            ),
            (
                lambda elmo: elmo.average("one sentence"),
                "sentences: found one string, expected a list of them",
            ),
            (
                lambda elmo: elmo.tokenize("one sentence"),
                "sentences: found one string, expected a list of them",
            ),
            (
                lambda elmo: elmo.embed([["a"], ["b", 1]]),
                "sentences[1]: found ['b', 1], expected a string or a list of "
                "strings",
            ),
            (
                lambda elmo: elmo.embed([b"bytes"]),
                "sentences[0]: found b'bytes', expected a string or a list of "
                "strings",
            ),
            (
                lambda elmo: elmo.embed([["a"]], layers="bottom"),
                "layers: found 'bottom', expected one of all, top, average",
            ),
            (
                lambda elmo: elmo.average([["a"]], layers="all"),
                "layers: found 'all', expected 'top' or 'average' for one "
                "vector a sentence",
            ),
            (
                lambda elmo: elmo.embed([["a"]], batch_size=0),
                "batch_size: found 0, expected at least 1",
            ),
            (
                lambda elmo: elmo.embed(["a"], batch_size=0),
                "batch_size: found 0, expected at least 1",
            ),
            (
                lambda elmo: elmo.score([["a"]], batch_size=-1),
                "batch_size: found -1, expected at least 1",
            ),
            (
                lambda elmo: elmo.substitutes("a b", 2),
                "position: found 2, but the sentence has 2 tokens",
            ),
            (
                lambda elmo: elmo.substitutes("a b", 0, n=0),
                "n: found 0, expected at least 1",
            ),
            (
                lambda elmo: elmo.neighbours("", 0, ["a"]),
                "position: found 0, but the sentence has 0 tokens",
            ),
            (
                lambda elmo: elmo.neighbours("a", -1, ["a"]),
                "position: found -1, but the sentence has 1 tokens",
            ),
            (
                lambda elmo: elmo.neighbours("a", 0, ["a"], n=0),
                "n: found 0, expected at least 1",
            ),
            (
                lambda elmo: elmo.neighbours("a", 0, ["a"], layer=3),
                "layer: found 3, but there are 3 layers",
            ),
            (
                lambda elmo: elmo.neighbours("a", 0, "one sentence"),
                "sentences: found one string, expected a list of them",
            ),
        ],
    )
    def test_message(self, elmo, call, message):
        with pytest.raises(InputError) as error:
            call(elmo)
        assert str(error.value) == message

    def test_no_saved_model(self, tmp_path):
        with pytest.raises(InputError, match="not a SavedModel"):
            Elmo(tmp_path)


def test_results_are_plain_data(elmo):
    (neighbour,) = elmo.neighbours("a", 0, ["a"], n=1)
    assert dataclasses.asdict(neighbour) == {
        "similarity": pytest.approx(1.0),
        "sentence_index": 0,
        "position": 0,
        "token": "a",
    }
