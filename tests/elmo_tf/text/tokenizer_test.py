"""Tokens of raw sentences, against str.split and against nltk."""

import random
import subprocess
import sys

import pytest
import tensorflow as tf

from elmo_tf.errors import InputError
from elmo_tf.text import shards
from elmo_tf.text import tokenizer
from elmo_tf.text import whitespace

# Sentences and what TreebankWordTokenizer of nltk 3.10.4 makes of them.
NLTK = [
    (
        "Good muffins cost $3.88 (about 3,36 euros) in New York.  Buy two.",
        "Good muffins cost $ 3.88 ( about 3,36 euros ) in New York. Buy two .",
    ),
    ("They'll save and invest more.", "They 'll save and invest more ."),
    ("hi, my name can't hello,", "hi , my name ca n't hello ,"),
    (
        '"Hello," he said, "it\'s me."',
        "`` Hello , '' he said , `` it 's me . ''",
    ),
    (
        "He said: ''quoted'' and ``quoted''.",
        "He said : `` quoted '' and `` quoted '' .",
    ),
    (
        "I cannot go; you're gonna wanna gimme lemme gotta.",
        "I can not go ; you 're gon na wan na gim me lem me got ta .",
    ),
    ("D'ye see more'n me?", "D 'ye see more 'n me ?"),
    ("'Tis true, 'twas not.", "'T is true , 't was not ."),
    (
        "The dogs' bones -- all [of] {them} <here>!",
        "The dogs ' bones -- all [ of ] { them } < here > !",
    ),
    (
        "Is it 3:30, or 5%? #1 @home & co...",
        "Is it 3:30 , or 5 % ? # 1 @ home & co ...",
    ),
    ("He left the U.S. in 1999.", "He left the U.S. in 1999 ."),
    ("(He stopped.)", "( He stopped . )"),
    ('She said "no."', "She said `` no . ''"),
    ("rock 'n' roll", "rock 'n ' roll"),
    (
        "CAN'T WON'T N'T I'M YOU'D THEY'VE",
        "CA N'T WO N'T N'T I 'M YOU 'D THEY 'VE",
    ),
    ("a.b. c..", "a.b. c.."),
    ("wannabe wanna be", "wannabe wan na be"),
    ("été,à: 日本語。 «curly»", "été , à : 日本語。 «curly»"),
    ("٣,٤ 3,4 a,b 1:2 :3", "٣,٤ 3,4 a , b 1:2 :3"),
    ("x;y", "x ; y"),
    ("it 's already split .", "it 's already split ."),
    ("<S> a </S>", "< S > a < /S >"),
    ("", ""),
    ("   ", ""),
    (".", "."),
    ("''", "''"),
    ('"', "``"),
]


def tokens_of(sentences, method):
    """Lists of str, one a sentence."""
    tokens = tokenizer.tokenize(sentences, method)
    assert isinstance(tokens, tf.RaggedTensor)
    return [[token.decode() for token in row] for row in tokens.to_list()]


class TestWhitespace:
    def test_splits_as_str(self):
        generator = random.Random(0)
        alphabet = whitespace.WHITESPACE + "abc.,é\u200b\u2080\U0001f600"
        sentences = [
            "".join(generator.choices(alphabet, k=generator.randint(0, 30)))
            for _ in range(500)
        ]
        assert tokens_of(sentences, "whitespace") == [
            sentence.split() for sentence in sentences
        ]

    def test_is_the_default(self):
        tokens = tokenizer.tokenize(["a, b", ""])
        assert tokens.to_list() == [[b"a,", b"b"], []]

    def test_finds_the_tokens_of_the_corpus(self, tmp_path):
        # Each kind of whitespace, a no-break space in a number among them.
        lines = ["10\u00a0000 francs\u202f!", " a\tb\r"]
        lines += [f"a{c}b" for c in whitespace.WHITESPACE if c != "\n"]
        path = tmp_path / "a.txt"
        path.write_bytes("\n".join(lines).encode())
        assert tokenizer.tokenize(lines).to_list() == list(
            shards.read_sentences(path)
        )

    def test_bytes_that_are_not_utf8_are_kept(self):
        tokens = tokenizer.tokenize([b"\xff\xfe a\0b"])
        assert tokens.to_list() == [[b"\xff\xfe", b"a\0b"]]


class TestPennTreebank:
    @pytest.mark.parametrize("sentence, tokens", NLTK)
    def test_equals_nltk(self, sentence, tokens):
        assert tokens_of([sentence], "penn_treebank") == [tokens.split()]

    def test_a_batch(self):
        sentences, tokens = zip(*NLTK, strict=True)
        assert tokens_of(sentences, "penn_treebank") == [
            row.split() for row in tokens
        ]

    def test_any_whitespace_is_a_space(self):
        assert tokens_of(["\u3000it's\u00a0he.\n"], "penn_treebank") == [
            ["it", "'s", "he", "."]
        ]

    def test_bytes_that_are_not_utf8(self):
        tokens = tokenizer.tokenize([b"\xffa b."], "penn_treebank")
        assert tokens.to_list() == [[b"\xffa", b"b", b"."]]


@pytest.mark.parametrize("method", tokenizer.TOKENIZERS)
def test_no_sentences(method):
    tokens = tokenizer.tokenize(tf.zeros([0], tf.string), method)
    assert tokens.shape == (0, None) and tokens.to_list() == []


def test_unknown_method():
    with pytest.raises(InputError) as info:
        tokenizer.tokenize(["a"], "moses")
    assert str(info.value) == (
        "tokenizer: found 'moses', expected whitespace or penn_treebank"
    )


def test_saved_model_runs_in_a_bare_tensorflow(tmp_path):
    class Tokenizer(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
        def __call__(self, sentences):
            words = tokenizer.tokenize(sentences)
            pieces = tokenizer.tokenize(sentences, "penn_treebank")
            return words.to_tensor(), pieces.to_tensor()

    tf.saved_model.save(Tokenizer(), str(tmp_path / "tokenizer"))
    script = (
        "import sys, tensorflow as tf\n"
        "tokenizer = tf.saved_model.load('tokenizer')\n"
        "words, pieces = tokenizer(tf.constant(['it\\'s  he.']))\n"
        "assert not {'tensorflow_text', 'elmo_tf'} & set(sys.modules)\n"
        "print(words.numpy().tolist(), pieces.numpy().tolist())\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stdout.splitlines()[-1] == (
        """[[b"it's", b'he.']] [[b'it', b"'s", b'he', b'.']]"""
    )


def test_typographic_quotation_marks():
    tokens = tokenizer.tokenize(
        ["“It’s ‘so’,” he said — don’t."], "penn_treebank"
    )
    assert [token.decode("utf-8") for token in tokens.to_list()[0]] == (
        "`` It 's ` so ' , '' he said — do n't .".split()
    )
