"""Measures of part-of-speech tagging."""

import collections


def score(examples, predictions, known_words):
    """Scores predicted tags.

    Args:
        examples: A list of `TaggedSentence`, at least one, with tags.
        predictions: Each one's predicted tags.
        known_words: The words of the training data, a set.

    Returns:
        A dictionary of `accuracy`, the share of the words whose predicted tag
        is right; `unseen_accuracy`, that of those which do not occur in the
        training data, upper and lower case being different; `tokens` and
        `unseen_tokens`, their numbers; and `accuracy/TAG`, that of the words of
        each tag, in alphabetical order. A share of nothing is 0.
    """
    words, unseen, correct, correct_unseen = (
        collections.Counter() for _ in range(4)
    )
    for example, tags in zip(examples, predictions, strict=True):
        for word, gold, tag in zip(
            example.tokens, example.tags, tags, strict=True
        ):
            words[gold] += 1
            correct[gold] += gold == tag
            if word not in known_words:
                unseen[gold] += 1
                correct_unseen[gold] += gold == tag
    return {
        "accuracy": _share(correct.total(), words.total()),
        "unseen_accuracy": _share(correct_unseen.total(), unseen.total()),
        "tokens": words.total(),
        "unseen_tokens": unseen.total(),
        **{
            f"accuracy/{tag}": _share(correct[tag], words[tag])
            for tag in sorted(words)
        },
    }


def _share(part, whole):
    return part / whole if whole else 0.0
