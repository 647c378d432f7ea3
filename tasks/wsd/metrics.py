"""Scores sense keys as the evaluation framework's Scorer.java does.

    python -m tasks.wsd.metrics GOLD.key.txt PREDICTED.key.txt

prints one JSON line; all rates lie between 0 and 1. An answer is right if it is
any of an instance's gold keys. Of several answers for one instance each counts
its share: with one right of two, half an instance is right. Instances without
an answer lower the recall and not the precision. Answers for instances that the
gold file lacks do not count, and are told on standard error.
"""

import sys

from elmo_tf import command_line
from elmo_tf.errors import InputError
from tasks.wsd.key_file import read_keys


def main(argv):
    gold_path, predicted_path = argv[1:]
    gold, predicted = read_keys(gold_path), read_keys(predicted_path)
    for path, keys in ((gold_path, gold), (predicted_path, predicted)):
        n_empty = sum(not found for found in keys.values())
        if n_empty:
            print(
                f"{path}: {n_empty} lines without a key do not count",
                file=sys.stderr,
            )
    n_unknown = len(predicted.keys() - gold.keys())
    if n_unknown:
        print(
            f"{predicted_path}: {n_unknown} instances that {gold_path} lacks "
            "do not count",
            file=sys.stderr,
        )
    if not any(gold.values()):
        raise InputError(f"{gold_path}: found no key, expected some")
    command_line.print_json(score(gold, predicted))


def score(gold, predicted):
    """Scores the senses that were predicted.

    Args:
        gold: A dictionary from the name of each instance to its right keys; an
            instance without any does not count.
        predicted: A dictionary from names to the predicted keys, each once.

    Returns:
        A dict:

        *   instances: how many there are of gold;
        *   attempted: how many of them have an answer;
        *   correct: how many answers are right, each counted as its share of
            the answers for its instance;
        *   precision: the share of the attempted instances that is correct;
        *   recall: the share of all instances that is correct;
        *   f1: the harmonic mean of the two.

        A share of nothing is 0.
    """
    n_instances = n_attempted = 0
    correct = 0.0
    for name, keys in gold.items():
        if not keys:
            continue
        n_instances += 1
        answers = predicted.get(name)
        if answers:
            n_attempted += 1
            correct += sum(key in keys for key in answers) / len(answers)
    precision = correct / n_attempted if n_attempted else 0.0
    recall = correct / n_instances if n_instances else 0.0
    total = precision + recall
    return {
        "instances": n_instances,
        "attempted": n_attempted,
        "correct": correct,
        "precision": precision,
        "recall": recall,
        "f1": 2 * precision * recall / total if total else 0.0,
    }


if __name__ == "__main__":
    command_line.run(main, arguments=["GOLD", "PREDICTED"])
