"""Exact match and F1 of SQuAD, written from the paper's section 6.1."""

import unicodedata

ARTICLES = ("a", "an", "the")
PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"


def words(text):
    """The words of an answer, without punctuation and articles."""
    kept = [c for c in text.lower() if c not in PUNCTUATION]
    # An article is one wherever no letter or digit stands beside it, so
    # divide the text there rather than at spaces.
    runs = [""]
    for c in kept:
        if runs[-1] and is_word_character(runs[-1][-1]) != is_word_character(c):
            runs.append("")
        runs[-1] += c
    return "".join(" " if run in ARTICLES else run for run in runs).split()


def is_word_character(c):
    return c == "_" or c.isalnum() or unicodedata.category(c)[0] in "LN"


def scores(answers, predictions):
    """Scores predictions (a dict by id) with answers (lists of texts by id)."""
    n_exact = 0
    total_f1 = 0
    for question_id, texts in answers.items():
        if question_id in predictions:
            found = words(predictions[question_id])
            n_exact += any(words(text) == found for text in texts)
            total_f1 += max(f1(words(text), found) for text in texts)
    return {
        "exact_match": 100 * n_exact / len(answers),
        "f1": 100 * total_f1 / len(answers),
    }


def f1(expected, found):
    remaining = list(expected)
    for word in found:
        if word in remaining:
            remaining.remove(word)
    n_common = len(expected) - len(remaining)
    if n_common == 0:
        return 0
    return 2 * n_common / (len(expected) + len(found))
