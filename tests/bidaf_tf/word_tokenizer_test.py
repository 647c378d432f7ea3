"""Words and their offsets: by hand, for any characters, in a SavedModel."""

import random
import subprocess
import sys

import pytest
import tensorflow as tf

from bidaf_tf import word_tokenizer
from elmo_tf.text import whitespace

CASES = [
    # The Penn Treebank's tokens.
    ("They'll save and invest more.", "They 'll save and invest more ."),
    ("I can't, he's John's; don’t!", "I ca n't , he 's John 's ; do n’t !"),
    ("CAN'T I'D they've we're I'm", "CA N'T I 'D they 've we 're I 'm"),
    ("I cannot go. Gonna, gimme", "I can not go . Gon na , gim me"),
    ("wannabe canna lemna", "wannabe canna lemna"),
    ("$3.88 (about 3,36 euros)", "$ 3.88 ( about 3,36 euros )"),
    ("at 3:30, 5% of 1,000.5: #1", "at 3:30 , 5 % of 1,000.5 : # 1"),
    ("``quoted'' \"so\"", "`` quoted '' \" so \""),
    ("bones -- all ... and....", "bones -- all ... and ...."),
    ("Mr. Smith of the U.S. and Co.", "Mr. Smith of the U.S. and Co."),
    (
        "George J. Mitchell, Ph.D., e.g. so",
        "George J. Mitchell , Ph.D. , e.g. so",
    ),
    # Several sentences.
    ("It ended.The rest. So", "It ended . The rest . So"),
    ("It is 5.[1] See amazon.com.", "It is 5 . [ 1 ] See amazon.com ."),
    # Where BiDAF's data were split further.
    ("a mid-19th-century co-op", "a mid - 19th - century co - op"),
    ("1990–95, 5−3—so w/o ~5", "1990 – 95 , 5 − 3 — so w / o ~ 5"),
    ("“so” ‘no’ 'yes' dogs'", "“ so ” ‘ no ’ ' yes ' dogs '"),
    ("O'Brien 30°C", "O ' Brien 30 ° C"),
    # Words.
    ("v1.2 B2B 2:1 snake_case 10km²", "v1.2 B2B 2:1 snake_case 10km²"),
    ("été, Straße; Ελλάδα. Москва?", "été , Straße ; Ελλάδα . Москва ?"),
    ("٣,٤ 1²", "٣,٤ 1²"),
    ("e\u0301te\u0301 न्यूयॉर्क", "e\u0301te\u0301 न्यूयॉर्क"),
    ("שלום, עולם!", "שלום , עולם !"),
    ("نمی‌خواهم؟", "نمی‌خواهم ؟"),
    ("co\u00adope\u00adrate", "co\u00adope\u00adrate"),
    # Scripts without spaces.
    ("日本語。", "日 本 語 。"),
    ("2019年カタカナ", "2019 年 カ タ カ ナ"),
    ("วันที่ 5", "วั น ที่ 5"),
    # Symbols.
    ("hi😀😀!👍🏽", "hi 😀😀 ! 👍🏽"),
    ("👨‍👩‍👧x ❤️", "👨‍👩‍👧 x ❤️"),
    ("£5 + €6=?", "£ 5 + € 6 = ?"),
    # Invisible characters are tokens, unless they are inside a word.
    ("\ufeffa\u200bb\u202e \u200d", "\ufeff a \u200b b \u202e \u200d"),
    ("a\0b \ufdd0", "a \0 b \ufdd0"),
    ("", ""),
    (".", "."),
    ("''", "''"),
    ("-", "-"),
]


def tokens_of(texts):
    """Checks the properties of all tokens; returns them, lists of str."""
    found = word_tokenizer.tokenize_to_lists(texts)
    assert len(found) == len(texts)
    for text, (tokens, starts, ends) in zip(texts, found, strict=True):
        before = 0
        for token, start, end in zip(tokens, starts, ends, strict=True):
            assert before <= start < end <= len(text)
            assert text[start:end] == token
            assert text[before:start].strip() == ""
            before = end
        assert text[before:].strip() == ""
    return [tokens for tokens, _, _ in found]


@pytest.mark.parametrize("text, expected", CASES)
def test_by_hand(text, expected):
    assert tokens_of([text]) == [expected.split(" ") if expected else []]


def test_a_batch_has_the_same_tokens():
    texts, expected = zip(*CASES, strict=True)
    assert tokens_of(list(texts)) == [
        tokens.split(" ") if tokens else [] for tokens in expected
    ]


@pytest.mark.parametrize("space", whitespace.WHITESPACE)
def test_whitespace(space):
    assert tokens_of([f"{space}a{space}{space}b,{space}"]) == [["a", "b", ","]]


def test_line_ends():
    [found] = word_tokenizer.tokenize_to_lists(["a\r\n😀\r\nb"])
    assert found == (["a", "😀", "b"], [0, 3, 6], [1, 4, 7])


def test_offsets_are_those_of_code_points():
    tokens = word_tokenizer.tokenize(["é😀 日b", "", "x"])
    assert tokens.starts.dtype == tokens.ends.dtype == tf.int32
    assert tokens.starts.to_list() == [[0, 1, 3, 4], [], [0]]
    assert tokens.ends.to_list() == [[1, 2, 4, 5], [], [1]]


def test_random_texts_of_difficult_characters():
    generator = random.Random(0)
    alphabet = (
        "abcTN.,'’\"-–/ 019nts`$€°_\u200b\u200d\u200c\ufe0f\u0301😀👍🏽日ไทのー"
        "\r\n\xa0\u2028\0\ufeff\u202eשלعر\ufdd0\uffff\U0010ffff\xff\xad"
    )
    tokens_of(
        [
            "".join(generator.choices(alphabet, k=generator.randint(0, 60)))
            for _ in range(5000)
        ]
    )


def test_every_character_of_unicode():
    characters = map(chr, [*range(0xD800), *range(0xE000, 0x110000, 7)])
    text = "".join(characters)
    tokens_of(
        [f"a{text[i : i + 50]}.b" for i in range(0, len(text), 50)],
    )


def test_more_texts_than_are_split_at_once(monkeypatch):
    monkeypatch.setattr(word_tokenizer, "_TEXTS_AT_ONCE", 3)
    texts = [f"Number {i}." for i in range(7)]
    assert tokens_of(texts) == [["Number", str(i), "."] for i in range(7)]


def test_no_texts():
    tokens = word_tokenizer.tokenize(tf.zeros([0], tf.string))
    assert [part.to_list() for part in tokens] == [[], [], []]
    assert word_tokenizer.tokenize_to_lists([]) == []


@pytest.mark.parametrize(
    "content", [b"\xff\xfea b\xe3\x81 \xff", b"a\xf0\x9f\x98b", b"\xed\xa0\x80"]
)
def test_bytes_that_are_not_utf8(content):
    text = content.decode("utf-8", "replace")
    tokens = word_tokenizer.tokenize([content])
    expected = word_tokenizer.tokenize([text])
    for part, expected_part in zip(tokens, expected, strict=True):
        assert part.to_list() == expected_part.to_list()


def test_one_text_at_a_time_in_a_saved_model(tmp_path):
    """What a bare TensorFlow makes of strings is what we make of them."""

    class Tokenizer(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
        def __call__(self, texts):
            tokens = word_tokenizer.tokenize(texts)
            return [part.to_tensor() for part in tokens]

    tf.saved_model.save(Tokenizer(), str(tmp_path / "tokenizer"))
    script = (
        "import sys, tensorflow as tf\n"
        "tokenizer = tf.saved_model.load('tokenizer')\n"
        "parts = tokenizer(tf.constant(['it\\'s 😀—日本.']))\n"
        "modules = {'tensorflow_text', 'elmo_tf', 'bidaf_tf'}\n"
        "assert not modules & set(sys.modules)\n"
        "texts, starts, ends = [part.numpy()[0].tolist() for part in parts]\n"
        "print(ascii([text.decode() for text in texts]), starts, ends)\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    [expected] = word_tokenizer.tokenize_to_lists(["it's 😀—日本."])
    assert result.stdout.splitlines()[-1] == " ".join(map(ascii, expected))
