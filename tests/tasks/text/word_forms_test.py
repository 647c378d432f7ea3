import subprocess
import sys

import pytest
import tensorflow as tf

from tasks.text.word_forms import word_forms
from tests.binaries import program_environment


def all_forms(tokens, **kwargs):
    return [
        [token.decode() for token in form.numpy().ravel()]
        for form in word_forms(tf.constant(tokens), **kwargs)
    ]


def forms(tokens, **kwargs):
    """Without those in ASCII."""
    found = all_forms(tokens, **kwargs)
    n = 1 + sum(kwargs.values())
    # They are the same where there is nothing typographic.
    assert found[n:] == [tokens_of(tokens), *found[:n]]
    return found[:n]


def tokens_of(tokens):
    return [token.decode() for token in tf.constant(tokens).numpy().ravel()]


def test_as_they_stand():
    assert forms([["The", "3rd"]]) == [["The", "3rd"]]
    assert word_forms([["The"], ["3rd"]])[0].shape == (2, 1)


def test_lower_case():
    tokens = ["The", "CAFÉ", "ΟΔΟΣ", "Straße", "İI", "日本", ""]
    assert forms(tokens, lowercase=True) == [
        tokens,
        [token.lower() for token in tokens],
    ]


@pytest.mark.parametrize(
    "token, expected",
    [
        ("1990", "0"),
        ("+1,000.50", "0"),
        (".5", "0"),
        ("1990-2000", "00"),
        ("3rd", "0rd"),
        ("U.S.", "U.S."),
        ("12.", "0."),
        ("1..2", "0.0"),
        ("-", "-"),
        ("9:30", "0:0"),
        ("٣", "٣"),
    ],
)
def test_numbers(token, expected):
    assert forms([token], zero_numbers=True) == [[token], [expected]]


def test_one_form_after_the_other():
    assert forms(["PS2"], lowercase=True, zero_numbers=True) == [
        ["PS2"],
        ["ps2"],
        ["ps0"],
    ]


@pytest.mark.parametrize(
    "token, treebank, plain",
    [
        ("n’t", "n’t", "n't"),
        ("‘", "‘", "'"),
        ("ʼ", "ʼ", "'"),
        ("“", "``", '"'),
        ("„", "``", '"'),
        ("”", "''", '"'),
        # Feet and inches are no quotation marks.
        ("5′", "5′", "5′"),
        ("–", "–", "–"),
    ],
)
def test_typographic_apostrophes_and_quotation_marks(token, treebank, plain):
    assert all_forms([token]) == [[token], [treebank], [plain]]


def test_typographic_forms_come_last():
    token = "O’Neill’90"
    assert all_forms([token], lowercase=True, zero_numbers=True) == [
        ["O’Neill’90"],
        ["o’neill’90"],
        ["o’neill’0"],
        ["O’Neill’90"],
        ["O'Neill'90"],
        ["o'neill'90"],
        ["o'neill'0"],
    ]


def test_the_language_of_the_machine_does_not_matter():
    """TensorFlow's lower case is that of the locale."""
    program = (
        "from tasks.text.word_forms import word_forms\n"
        "print(ascii([f.decode() for f in\n"
        "    word_forms(['IİŞ'], lowercase=True)[1].numpy()]))\n"
    )
    output = subprocess.run(
        [sys.executable, "-c", program],
        env={**program_environment(), "LC_ALL": "tr_TR.UTF-8"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert output.strip() == ascii(["IİŞ".lower()])
