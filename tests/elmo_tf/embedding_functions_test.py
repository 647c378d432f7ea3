"""The functions against the NumPy reference, for every shape of biLM."""

import numpy as np
import pytest
import tensorflow as tf

from elmo_tf.embedding_functions import EmbeddingFunctions
from elmo_tf.errors import InputError
from elmo_tf.layers.sampled_softmax import SampledSoftmax
from elmo_tf.text.characters import BEGIN_WORD_ID
from elmo_tf.text.characters import character_ids
from elmo_tf.weights import load_bilm
from tests.elmo_tf.conftest import WORDS
from tests.reference import bilm as reference

SHAPES = {
    "2 layers": {},
    "1 layer": dict(n_layers=1),
    "3 layers": dict(n_layers=3),
    "one direction": dict(bidirectional=False),
    "short words, no projection": dict(max_characters=6, dim=4, n_highway=0),
    "word input": dict(word_input=True),
}
# Of different lengths, one of them empty, with a token that is empty, one that
# is too long and the boundaries as tokens.
SENTENCES = [
    ["the", "naïve", "river", "—", "bank", "."],
    [],
    ["x" * 60, "", "<S>", "</S>", "<UNK>"],
    ["bank"],
]
LENGTHS = [len(tokens) for tokens in SENTENCES]


def padded(sentences=SENTENCES, time=7, filler=""):
    return tf.constant(
        [tokens + [filler] * (time - len(tokens)) for tokens in sentences],
        shape=[len(sentences), time],
    )


def lengths_of(sentences):
    return tf.constant([len(tokens) for tokens in sentences], tf.int32)


def reference_layers(files, sentences=SENTENCES, initial_state=None):
    """Each sentence's layers with its boundaries, computed by itself."""
    results = []
    for tokens in sentences:
        if "char_cnn" in files.options:
            ids = reference.sentences_character_ids(
                [tokens], files.options["char_cnn"]["max_characters_per_token"]
            )
        else:
            ids = np.array([[word_id(w) + 1 for w in framed(tokens)]])
        outputs = reference.bilm(
            ids, files.options, files.weights, initial_state
        )
        results.append(outputs["layers"][0])
    return results


def framed(tokens):
    return ["<S>", *tokens, "</S>"]


def word_id(word):
    return WORDS.index(word if word in WORDS else "<UNK>")


def make(files, **kwargs):
    if "char_cnn" not in files.options:
        kwargs.setdefault("vocabulary_file", str(files.vocab_file))
    return EmbeddingFunctions(load_bilm(*files.paths), **kwargs)


@pytest.fixture(scope="module")
def functions_of(make_official_files):
    """Makes the functions of a shape, once."""
    made = {}

    def get(name):
        if name not in made:
            files = make_official_files(**SHAPES[name])
            made[name] = make(files), files
        return made[name]

    return get


def close(actual, expected, tolerance=1e-5):
    np.testing.assert_allclose(actual, expected, atol=tolerance, rtol=tolerance)


@pytest.mark.parametrize("name", SHAPES)
class TestOutputs:
    def test_tokens(self, functions_of, name):
        functions, files = functions_of(name)
        outputs = functions.tokens(padded(), lengths_of(SENTENCES))
        lstm = files.options["lstm"]
        n_layers, width = lstm["n_layers"], lstm["projection_dim"]
        output_dim = width * (2 if files.options["bidirectional"] else 1)
        assert set(outputs) == {
            *("word_emb", "elmo", "default", "layers", "sequence_len"),
            *(f"lstm_outputs{i}" for i in range(1, n_layers + 1)),
        }
        assert {value.dtype for value in outputs.values()} == {
            tf.float32,
            tf.int32,
        }
        expected = np.zeros((4, 7, n_layers + 1, output_dim))
        for row, layers in enumerate(reference_layers(files)):
            expected[row, : LENGTHS[row]] = layers[1:-1]
        close(outputs["layers"], expected)
        close(outputs["word_emb"], expected[:, :, 0, :width])
        for i in range(1, n_layers + 1):
            close(outputs[f"lstm_outputs{i}"], expected[:, :, i])
        elmo = expected.mean(axis=2)
        close(outputs["elmo"], elmo)
        # The mean over real tokens only.
        close(
            outputs["default"],
            [
                elmo[row, :n].mean(axis=0) if n else np.zeros(output_dim)
                for row, n in enumerate(LENGTHS)
            ],
        )
        assert outputs["sequence_len"].numpy().tolist() == LENGTHS
        # Padding is zero, not nearly so.
        for row, n in enumerate(LENGTHS):
            for output in ("layers", "word_emb", "elmo", "lstm_outputs1"):
                assert not np.any(outputs[output][row, n:])

    def test_flat(self, functions_of, name):
        functions, files = functions_of(name)
        outputs = functions.flat(padded(), lengths_of(SENTENCES))
        expected = [layers[1:-1] for layers in reference_layers(files)]
        # [tokens, n_layers + 1, output_dim]
        expected = np.concatenate(expected)
        assert len(outputs) == expected.shape[1]
        for depth in range(len(outputs)):
            close(outputs[f"layer_{depth}"], expected[:, depth])

    def test_bfloat16(self, functions_of, name):
        functions, files = functions_of(name)
        low = make(files, dtype="bfloat16")
        arguments = padded(), lengths_of(SENTENCES)
        exact = functions.tokens(*arguments)["layers"].numpy()
        rounded = low.tokens(*arguments)["layers"].numpy()
        error = np.abs(exact - rounded).max()
        assert 1e-5 < error < 0.05 * np.abs(exact).max()

    def test_nothing_beyond_the_length_matters(self, functions_of, name):
        functions, _ = functions_of(name)
        lengths = lengths_of(SENTENCES)
        expected = functions.tokens(padded(), lengths)
        for filler in ("garbage", "</S>"):
            outputs = functions.tokens(padded(filler=filler), lengths)
            for output, value in outputs.items():
                np.testing.assert_array_equal(value, expected[output])


@pytest.mark.parametrize("name", ["3 layers"])
class TestRawSentences:
    def test_same_as_tokens(self, functions_of, name):
        functions, _ = functions_of(name)
        strings = ["  the naïve river — bank . ", " \t", "bank"]
        sentences = [strings[0].split(), [], ["bank"]]
        outputs = functions.default(tf.constant(strings))
        expected = functions.tokens(padded(sentences, 6), lengths_of(sentences))
        assert set(outputs) == set(expected)
        for output, value in outputs.items():
            np.testing.assert_array_equal(value, expected[output])

    def test_empty_batch_and_no_time(self, functions_of, name):
        functions, files = functions_of(name)
        none = functions.tokens(
            tf.zeros([0, 0], tf.string), tf.zeros([0], "int32")
        )
        blank = functions.default(tf.constant(["", " "]))
        n_layers = files.options["lstm"]["n_layers"] + 1
        output_dim = none["layers"].shape[3]
        assert none["layers"].shape == (0, 0, n_layers, output_dim)
        assert none["default"].shape == (0, output_dim)
        assert functions.default(tf.zeros([0], tf.string))["elmo"].shape[0] == 0
        assert blank["layers"].shape == (2, 0, n_layers, output_dim)
        np.testing.assert_array_equal(
            blank["default"], np.zeros((2, output_dim))
        )

    def test_traced_once(self, functions_of, name):
        functions, _ = functions_of(name)
        for time in (6, 9):
            for batch in (1, 4):
                sentences = SENTENCES[:batch]
                functions.tokens(padded(sentences, time), lengths_of(sentences))
                functions.default(tf.constant(["a b"] * batch))
        assert functions.tokens.experimental_get_tracing_count() == 1
        assert functions.default.experimental_get_tracing_count() == 1


@pytest.mark.parametrize("name", ["2 layers", "short words, no projection"])
def test_character_ids(functions_of, name):
    functions, files = functions_of(name)
    max_characters = files.options["char_cnn"]["max_characters_per_token"]
    lengths = lengths_of(SENTENCES)
    expected = functions.tokens(padded(), lengths)
    # Zeros, and what TensorFlow Serving fills up with: a token's first id.
    for padding in (0, BEGIN_WORD_ID):
        ids = tf.where(
            tf.sequence_mask(lengths, 7)[:, :, tf.newaxis],
            character_ids(padded(filler="garbage"), max_characters),
            padding,
        )
        outputs = functions.character_ids(ids)
        assert set(outputs) == set(expected)
        for output, value in outputs.items():
            close(value, expected[output], 1e-6)
        assert outputs["sequence_len"].numpy().tolist() == LENGTHS
    none = functions.character_ids(tf.zeros([0, 3, max_characters], tf.int32))
    assert none["elmo"].shape[:2] == (0, 3)


def test_word_input_has_no_character_ids(functions_of):
    functions, _ = functions_of("word input")
    assert set(functions.signatures()) == {*("default", "tokens", "tokenize")}
    functions, _ = functions_of("2 layers")
    assert set(functions.signatures()) == {
        *("default", "tokens", "tokenize", "character_ids")
    }


class TestMistakes:
    def test_lengths(self, functions_of):
        functions, _ = functions_of("2 layers")
        for lengths, message in (
            ([2], "should not exceed the second dimension"),
            ([-1], "should not be negative"),
            ([1, 1], "should hold a length for each sentence"),
        ):
            with pytest.raises(tf.errors.InvalidArgumentError, match=message):
                functions.tokens(tf.constant([["a"]]), tf.constant(lengths))

    def test_one_direction_lengths(self, functions_of):
        functions, _ = functions_of("one direction")
        with pytest.raises(tf.errors.InvalidArgumentError):
            functions.tokens(tf.constant([["a"], ["b"]]), tf.constant([1]))

    def test_padding_before_a_token(self, functions_of):
        functions, _ = functions_of("2 layers")
        ids = character_ids(tf.constant([["a", "b", "c"]])).numpy()
        ids[0, 1] = 0
        with pytest.raises(
            tf.errors.InvalidArgumentError, match="at the end of each row"
        ):
            functions.character_ids(tf.constant(ids))

    def test_tokenizer(self, official_files):
        with pytest.raises(InputError) as error:
            make(official_files, tokenizer="spaces")
        assert str(error.value) == (
            "tokenizer: found 'spaces', expected one of whitespace, "
            "penn_treebank"
        )

    def test_dtype(self, official_files):
        with pytest.raises(InputError) as error:
            make(official_files, dtype="float16")
        assert str(error.value) == (
            "dtype: found 'float16', expected one of float32, bfloat16"
        )

    def test_word_cache_size(self, official_files):
        with pytest.raises(InputError) as error:
            make(official_files, word_cache_size=-1)
        assert str(error.value) == (
            "word_cache_size: found -1, expected 0 or more"
        )

    def test_vocabulary(self, word_files, tmp_path):
        with pytest.raises(ValueError, match="needs a vocabulary"):
            make(word_files, vocabulary_file=None)
        path = tmp_path / "vocab.txt"
        path.write_text("<S>\n</S>\n<UNK>\n")
        with pytest.raises(
            ValueError, match="has 3 words, but the model has 9"
        ):
            make(word_files, vocabulary_file=str(path))


def test_penn_treebank(official_files):
    functions = make(official_files, tokenizer="penn_treebank")
    outputs = functions.tokenize(tf.constant(["It isn't.", ""]))
    assert outputs["tokens"].numpy().tolist() == [
        [b"It", b"is", b"n't", b"."],
        [b""] * 4,
    ]
    assert outputs["sequence_len"].numpy().tolist() == [4, 0]
    embedded = functions.default(tf.constant(["It isn't."]))
    expected = functions.tokens(
        tf.constant([["It", "is", "n't", "."]]), tf.constant([4])
    )
    close(embedded["layers"], expected["layers"], 0)


@pytest.mark.parametrize("name", ["2 layers", "word input"])
def test_initial_state(make_official_files, name):
    files = make_official_files(**SHAPES[name])
    generator = np.random.default_rng(1)
    state = [
        [
            [
                generator.uniform(-0.4, 0.4, size=(1, width)).astype("float32")
                for width in (12, 4)
            ]
            for _ in range(2)
        ]
        for _ in range(2 if files.options["bidirectional"] else 1)
    ]
    functions = make(files, initial_state=state)
    outputs = functions.tokens(padded(), lengths_of(SENTENCES))
    for row, layers in enumerate(reference_layers(files, initial_state=state)):
        close(outputs["layers"][row, : LENGTHS[row]], layers[1:-1])
        # The same for the sentence alone, and again.
        alone = functions.tokens(
            padded([SENTENCES[row]]), lengths_of([SENTENCES[row]])
        )
        close(outputs["layers"][row], alone["layers"][0], 1e-6)
    if "char_cnn" in files.options:
        ids = character_ids(tf.constant([SENTENCES[0]]))
        close(
            functions.character_ids(ids)["layers"][0],
            outputs["layers"][0, :6],
            1e-6,
        )


class TestLanguageModel:
    """Scores and substitutes against a softmax in NumPy."""

    @pytest.fixture(scope="class", params=["one direction", "word input"])
    def model(self, request, make_official_files, tmp_path_factory):
        files = make_official_files(**SHAPES[request.param])
        softmax = SampledSoftmax(len(WORDS))
        softmax.build((None, 4))
        generator = np.random.default_rng(2)
        softmax.kernel.assign(generator.normal(size=(len(WORDS), 4)) * 3)
        softmax.bias.assign(generator.normal(size=len(WORDS)))
        path = tmp_path_factory.mktemp("vocabulary") / "vocab.txt"
        path.write_text("\n".join(WORDS) + "\n", encoding="utf-8")
        functions = make(files, softmax=softmax, vocabulary_file=str(path))
        return functions, files, softmax

    @pytest.fixture(scope="class")
    def log_probabilities(self, model):
        """Each sentence's, of each place in it: `[n + 1, words]` forward, the
        last one of the end; and backward, the first one of the begin."""
        _, files, softmax = model
        results = []
        for layers in reference_layers(files):
            # [n + 2, directions, 4]
            top = layers[:, -1].reshape(len(layers), -1, 4)
            logits = top @ softmax.kernel.numpy().T + softmax.bias.numpy()
            sums = np.log(np.exp(logits).sum(axis=-1, keepdims=True))
            values = logits - sums
            results.append([values[:-1, 0], values[1:, -1]])
        return results

    def test_score(self, model, log_probabilities):
        functions, files, _ = model
        outputs = functions.score(padded(), lengths_of(SENTENCES))
        for row, tokens in enumerate(SENTENCES):
            forward, backward = log_probabilities[row]
            n = len(tokens)
            ids = [word_id(word) for word in tokens]
            actual = outputs["forward_log_probability"][row]
            close(actual[:n], forward[range(n), ids])
            assert not np.any(actual[n:])
            close(outputs["forward_end_log_probability"][row], forward[n, 1])
            if files.options["bidirectional"]:
                actual = outputs["backward_log_probability"][row]
                close(actual[:n], backward[range(1, n + 1), ids])
                assert not np.any(actual[n:])
                close(
                    outputs["backward_begin_log_probability"][row],
                    backward[0, 0],
                )
        assert outputs["sequence_len"].numpy().tolist() == LENGTHS
        assert ("backward_log_probability" in outputs) == (
            files.options["bidirectional"]
        )

    def test_score_of_nothing(self, model):
        functions, *_ = model
        outputs = functions.score(
            tf.zeros([0, 3], tf.string), tf.zeros([0], tf.int32)
        )
        assert outputs["forward_log_probability"].shape == (0, 3)
        assert outputs["forward_end_log_probability"].shape == (0,)

    @pytest.mark.parametrize("row, position", [(0, 0), (0, 3), (0, 5), (3, 0)])
    def test_substitutes(self, model, log_probabilities, row, position):
        functions, files, _ = model
        sentences = [SENTENCES[row]]
        outputs = functions.substitutes(
            padded(sentences),
            lengths_of(sentences),
            tf.constant([position]),
            tf.constant([1000]),
        )
        forward, backward = log_probabilities[row]
        expected = {"forward": forward[position]}
        if files.options["bidirectional"]:
            expected["backward"] = backward[position + 1]
            product = forward[position] + backward[position + 1]
            expected["combined"] = product - np.log(np.exp(product).sum())
        assert set(outputs) == {
            f"{name}_{part}"
            for name in expected
            for part in ("words", "log_probability")
        }
        for name, values in expected.items():
            best = np.argsort(-values)
            words = outputs[f"{name}_words"][0].numpy()
            assert [word.decode() for word in words] == [WORDS[i] for i in best]
            actual = outputs[f"{name}_log_probability"][0].numpy()
            close(actual, values[best])
            close(np.exp(actual).sum(), 1.0)

    def test_positions_and_numbers_of_a_batch(self, model):
        functions, *_ = model
        sentences = [SENTENCES[0], SENTENCES[3]]
        outputs = functions.substitutes(
            padded(sentences),
            lengths_of(sentences),
            tf.constant([2, 0]),
            tf.constant([3, 2]),
        )
        assert outputs["forward_words"].shape == (2, 3)
        alone = functions.substitutes(
            padded(sentences[1:]),
            lengths_of(sentences[1:]),
            tf.constant([0]),
            tf.constant([2]),
        )
        assert alone["forward_words"].shape == (1, 2)
        close(
            outputs["forward_log_probability"][1, :2],
            alone["forward_log_probability"][0],
        )
        # Behind the number of words that a sentence asks for is nothing.
        assert outputs["forward_words"][1].numpy().tolist() == [
            *alone["forward_words"][0].numpy().tolist(),
            b"",
        ]
        assert outputs["forward_log_probability"][1, 2] == 0.0
        for position in ([6, 0], [2, 1], [-1, 0]):
            with pytest.raises(
                tf.errors.InvalidArgumentError, match="`position` should"
            ):
                functions.substitutes(
                    padded(sentences),
                    lengths_of(sentences),
                    tf.constant(position),
                    tf.constant([3, 3]),
                )
        for n in ([3], [3, -1]):
            with pytest.raises(
                tf.errors.InvalidArgumentError, match="`n` should "
            ):
                functions.substitutes(
                    padded(sentences),
                    lengths_of(sentences),
                    tf.constant([2, 0]),
                    tf.constant(n),
                )
        none = functions.substitutes(
            tf.zeros([0, 3], tf.string), *[tf.zeros([0], tf.int32)] * 3
        )
        assert none["forward_words"].shape == (0, 0)

    def test_signatures_and_traces(self, model):
        functions, *_ = model
        assert {"score", "substitutes"} < set(functions.signatures())
        for name in ("score", "substitutes"):
            function = getattr(functions, name)
            assert function.experimental_get_tracing_count() <= 1

    def test_vocabulary_of_another_size(self, model, tmp_path):
        _, files, softmax = model
        path = tmp_path / "vocab.txt"
        path.write_text("<S>\n</S>\n<UNK>\n")
        with pytest.raises(
            ValueError, match="has 3 words, but the model has 9"
        ):
            make(files, softmax=softmax, vocabulary_file=str(path))
