"""Measures of classification."""

import numpy as np


def score(gold, predicted, labels):
    """Scores predicted labels.

    Args:
        gold: A list of the true labels, at least one.
        predicted: A list of the predicted labels.
        labels: A sequence of all labels.

    Returns:
        A dictionary of `accuracy`, `macro_f1`, and for each label that is true
        or predicted somewhere `precision/LABEL`, `recall/LABEL` and `f1/LABEL`,
        all between 0 and 1. `macro_f1` is the mean of these labels' F1. A share
        of nothing is 0.
    """
    gold, predicted = np.array(gold), np.array(predicted)
    scores = {}
    for label in labels:
        is_gold, is_predicted = gold == label, predicted == label
        n_gold, n_predicted = int(is_gold.sum()), int(is_predicted.sum())
        if not n_gold + n_predicted:
            continue
        correct = int((is_gold & is_predicted).sum())
        scores[f"precision/{label}"] = _share(correct, n_predicted)
        scores[f"recall/{label}"] = _share(correct, n_gold)
        scores[f"f1/{label}"] = 2 * correct / (n_gold + n_predicted)
    f1_scores = [
        value for name, value in scores.items() if name.startswith("f1/")
    ]
    return {
        "accuracy": float(np.mean(gold == predicted)),
        "macro_f1": float(np.mean(f1_scores)),
        **scores,
    }


def _share(part, whole):
    return part / whole if whole else 0.0
