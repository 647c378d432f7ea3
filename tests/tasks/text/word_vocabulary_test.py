import numpy as np
import pytest

from elmo_tf.errors import InputError
from tasks.text.word_vectors import WordVectors
from tasks.text.word_vocabulary import WordVocabulary

SENTENCES = [
    ["The", "Zorg", "zorg", "ate", "the", "Paris", "1990"],
    ["the", "quux", "ate", "Zorg", "abc", "abd"],
]


def vectors(words=("the", "Paris", "paris", "0", "cat")):
    generator = np.random.default_rng(5)
    return WordVectors(words, 3.0 + generator.normal(size=[len(words), 4]))


class TestBuild:
    def test_words_without_a_vector_come_first(self):
        vocabulary = WordVocabulary.build(SENTENCES, vectors())
        assert vocabulary.words == [
            "Zorg",
            "ate",
            "1990",
            "The",
            "abc",
            "abd",
            "quux",
            "zorg",
            "the",
            "Paris",
            "paris",
            "0",
            "cat",
        ]

    def test_lower_case(self):
        """A form with a vector will do; what has none is one word."""
        vocabulary = WordVocabulary.build(
            SENTENCES, vectors(), lowercase=True, zero_numbers=True
        )
        assert vocabulary.words[:-5] == ["zorg", "ate", "abc", "abd", "quux"]
        assert vocabulary.words[-5:] == vectors().words

    def test_min_count_is_for_words_without_a_vector(self):
        vocabulary = WordVocabulary.build(
            SENTENCES, vectors(), min_count=2, lowercase=True
        )
        assert vocabulary.words == ["zorg", "ate", *vectors().words]
        vocabulary = WordVocabulary.build(
            SENTENCES, vectors(), min_count=3, lowercase=True
        )
        assert vocabulary.words == ["zorg", *vectors().words]

    def test_typographic_apostrophes_and_quotation_marks(self):
        """A word of its own only where no other form has a vector."""
        vocabulary = WordVocabulary.build(
            [["’s", "n’t", "“", "”", "l’été", "l'été"]],
            vectors(["'s", "n’t", "n't", "``", '"']),
        )
        assert vocabulary.words == ["l'été", "'s", "n’t", "n't", "``", '"']
        np.testing.assert_array_equal(
            vocabulary.ids(["l’été", "’s", "n’t", "“", "”", "‘"]),
            [2, 3, 4, 6, 7, 1],
        )

    def test_without_vectors(self):
        vocabulary = WordVocabulary.build(SENTENCES, min_count=2)
        assert vocabulary.words == ["Zorg", "ate", "the"]

    def test_what_cannot_be_a_line_stays_unknown(self):
        vocabulary = WordVocabulary.build(
            [["a", "", "b\r", "c\nd"]], vectors(["the", "e\rf"])
        )
        assert vocabulary.words == ["a", "the"]
        np.testing.assert_array_equal(
            vocabulary.ids(["", "b\r", "a"]), [1, 1, 2]
        )

    def test_without_sentences(self):
        assert WordVocabulary.build([], vectors()).words == vectors().words


class TestIds:
    def test_as_it_stands(self):
        vocabulary = WordVocabulary(["the", "The"])
        ids = vocabulary.ids(["The", "the", "THE", ""])
        assert ids.dtype == np.int32
        np.testing.assert_array_equal(ids, [3, 2, 1, 1])
        assert len(vocabulary) == 4
        assert vocabulary.ids([]).shape == (0,)

    def test_first_form_that_is_there(self):
        vocabulary = WordVocabulary(
            ["the", "The", "ps0", "0"], lowercase=True, zero_numbers=True
        )
        np.testing.assert_array_equal(
            vocabulary.ids(["The", "THE", "PS2", "12", "PS"]), [3, 2, 4, 5, 1]
        )

    def test_every_training_token_is_known(self):
        for lowercase in (False, True):
            vocabulary = WordVocabulary.build(
                SENTENCES, vectors(), lowercase=lowercase
            )
            assert vocabulary.ids(sum(SENTENCES, [])).min() > 1


class TestFile:
    def test_save_and_load(self, tmp_path):
        path = tmp_path / "words.txt"
        words = ["the", ". .", "\u00a0", "\u0085", "a\u2028b", "naïve"]
        WordVocabulary(words).save(path)
        assert path.read_bytes() == ("\n".join(words) + "\n").encode()
        loaded = WordVocabulary.load(path, lowercase=True, zero_numbers=True)
        assert loaded.words == words
        assert loaded.lowercase and loaded.zero_numbers
        np.testing.assert_array_equal(loaded.ids(["NAÏVE", ". ."]), [7, 3])
        assert list(tmp_path.iterdir()) == [path]

    @pytest.mark.parametrize(
        "content, message",
        [
            (
                "the\nof\nthe\n",
                "{w}.txt:3: found 'the' again, which is at {w}.txt:1, "
                "expected distinct words",
            ),
            (
                "the\n\nof\n",
                "{w}.txt:2: found '', expected a word without line end",
            ),
            ("", "{w}.txt: empty file, expected one word a line"),
        ],
    )
    def test_errors(self, tmp_path, content, message):
        path = tmp_path / "{w}.txt"
        path.write_text(content)
        with pytest.raises(InputError) as error:
            WordVocabulary.load(path)
        assert str(error.value).replace(f"{tmp_path}/", "") == message


@pytest.mark.parametrize(
    "words, message",
    [
        ([], "vocabulary: no words, expected at least one"),
        (
            ["the", "a\rb"],
            "vocabulary word 2: found 'a\\rb', expected a word without line "
            "end",
        ),
        (
            ["the", "the"],
            "vocabulary word 2: found 'the' again, which is at vocabulary "
            "word 1, expected distinct words",
        ),
    ],
)
def test_errors_in_words(words, message):
    with pytest.raises(InputError) as error:
        WordVocabulary(words)
    assert str(error.value) == message


class TestInitialVectors:
    def test_known_vectors(self):
        vocabulary = WordVocabulary.build(SENTENCES, vectors())
        initial = vocabulary.initial_vectors(vectors(), seed=1)
        assert initial.dtype == np.float32
        assert initial.shape == (len(vocabulary), 4)
        np.testing.assert_array_equal(initial[0], 0.0)
        np.testing.assert_allclose(
            initial[1], vectors().vectors.mean(axis=0), rtol=1e-6
        )
        np.testing.assert_array_equal(initial[-5:], vectors().vectors)
        for word in vectors().words:
            np.testing.assert_array_equal(
                initial[vocabulary.ids([word])[0]], vectors()[word]
            )

    def test_random_vectors(self):
        generator = np.random.default_rng(0)
        known = WordVectors(
            ["a", "b", "c"], generator.normal([0.0, 5.0], [1.0, 3.0], [3, 2])
        )
        vocabulary = WordVocabulary([f"w{i}" for i in range(20_000)] + ["b"])
        initial = vocabulary.initial_vectors(known, seed=1)
        mean = known.vectors.mean(axis=0)
        deviation = known.vectors.std(axis=0)
        rows = initial[2:-1]
        assert (np.abs(rows.mean(axis=0) - mean) < 0.05 * deviation).all()
        np.testing.assert_allclose(rows.std(axis=0), deviation, rtol=0.05)
        np.testing.assert_array_equal(
            vocabulary.initial_vectors(known, seed=1), initial
        )
        other = vocabulary.initial_vectors(known, seed=2)
        assert (other[2:-1] != rows).mean() > 0.99

    def test_one_vector(self):
        known = WordVectors(["a"], [[0.1, 1e4]])
        initial = WordVocabulary(["b"]).initial_vectors(known, seed=1)
        np.testing.assert_allclose(initial[2], known["a"], rtol=1e-6)

    def test_no_vectors(self):
        nothing = WordVectors([], np.zeros([0, 3]))
        with pytest.raises(
            InputError, match="^word vectors: found none, expected at least one"
        ):
            WordVocabulary(["b"]).initial_vectors(nothing, seed=1)
