"""Strings in TensorFlow's graph."""

import functools

import numpy as np
import tensorflow as tf

from bidaf_tf import word_tokenizer
from elmo_tf.embedding_functions import EmbeddingFunctions
from elmo_tf.text import characters
from elmo_tf.text import tokenizer
from tasks.text.word_forms import word_forms
from tests.fuzz.fuzz_target import FuzzTarget
from tests.fuzz.weights_targets import OPTIONS
from tests.fuzz.weights_targets import bilm

_TEXTS = (
    "The dog can't bark at the U.S. “bank”.".encode(),
    "中文 👩‍💻 1,000.5".encode(),
    b"\n\nA line\nanother 'line'\n",
)
_TOKENS = (
    *(b"\n", b"\0", b"\xff", b"\xed\xa0\x80", b"\xe2\x80\x8d", b"\xcc\x81"),
    *(
        b"'s",
        b"n't",
        b"``",
        b"''",
        b"...",
        b"<S>",
        b"</S>",
        b"\xf4\x90\x80\x80",
    ),
    *(b"\xc4\xb0", b"\xe2\x80\xa8", b"\xef\xbf\xbd", b"gimme", b"@", b"-"),
)


def targets():
    """Returns a list of `FuzzTarget`."""
    return [
        FuzzTarget("tokenizers", _tokenize, lambda: list(_TEXTS), _TOKENS),
        FuzzTarget("bilm", _embed, _bilm_seeds, _TOKENS),
    ]


def _tokenize(data):
    texts = tf.constant(data.split(b"\n"), tf.string)
    for method in tokenizer.TOKENIZERS:
        for row in tokenizer.tokenize(texts, method).to_list():
            assert b"" not in row
    tokens = word_tokenizer.tokenize(texts)
    for text, words, starts, ends in zip(
        texts.numpy(), *(part.to_list() for part in tokens), strict=True
    ):
        try:
            text = text.decode()
        except UnicodeDecodeError:
            continue
        assert [
            text[a:b].encode() for a, b in zip(starts, ends, strict=True)
        ] == (words)
    ids = characters.character_ids(texts)
    assert ids.shape == (len(texts), characters.MAX_CHARACTERS_PER_TOKEN)
    for form in word_forms(texts, lowercase=True, zero_numbers=True):
        assert form.shape == texts.shape


@functools.cache
def _functions():
    return [
        EmbeddingFunctions(bilm(OPTIONS), tokenizer=name).signatures()
        for name in tokenizer.TOKENIZERS
    ]


def _embed(data):
    """The first bytes say how long rows are, and what their lengths are."""
    head, data = data[:4], data[4:]
    numbers = np.frombuffer(head.ljust(4, b"\1"), np.int8)
    words = data.split(b" ")
    texts = tf.constant(data.split(b"\n"), tf.string)
    for signatures in _functions():
        signatures["default"](strings=texts)
        signatures["tokenize"](strings=texts)
    width = max(int(numbers[0]) % 7, 0)
    n_rows = len(words) // width if width else len(words)
    tokens = np.array(words[: n_rows * width], object).reshape([n_rows, width])
    lengths = np.resize(numbers[1:].astype(np.int32), n_rows)
    if numbers[3] == 77:
        lengths = lengths * 2**24
    ids = np.resize(np.frombuffer(data or b"\0", np.int8), [n_rows, width, 50])
    for name, inputs in (
        ("tokens", {"tokens": tf.constant(tokens, tf.string)}),
        ("character_ids", {"character_ids": tf.constant(ids, tf.int32) * 3}),
    ):
        if name == "tokens":
            inputs["sequence_len"] = tf.constant(lengths, tf.int32)
        try:
            signatures[name](**inputs)
        except tf.errors.InvalidArgumentError:
            pass


def _bilm_seeds():
    return [b"\2\2\1\0" + text for text in _TEXTS] + [
        b"\0\0\0\0",
        b"\3\xff\1\4a b c",
    ]
