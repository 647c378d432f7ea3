"""Scores answers exactly as the official script of SQuAD v1.1 does.

    python -m bidaf_tf.squad_metrics DATA.json PREDICTIONS.json

prints one JSON line with `exact_match` and `f1`, both in percent (Rajpurkar et
al. 2016, section 6.1). Both files may be gzip. A question without a prediction
counts 0 and has a line on standard error. Questions that have no answer (SQuAD
2.0) are left out; their number stands on standard error.
"""

import collections
import re
import string
import sys

from bidaf_tf import squad
from elmo_tf import command_line

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_WITHOUT_PUNCTUATION = str.maketrans("", "", string.punctuation)


def main(argv):
    _, data_path, predictions_path = argv
    data = squad.read_data(data_path)
    predictions = squad.read_predictions(predictions_path)
    if data.n_unanswerable:
        print(
            f"Questions without an answer, left out: {data.n_unanswerable}",
            file=sys.stderr,
        )
    command_line.print_json(score(data.questions, predictions))


def score(questions, predictions):
    """Scores the answers to some questions.

    Args:
        questions: A sequence of `SquadQuestion` with at least one answer each,
            at least one.
        predictions: A dict from question ids to texts. Those of other questions
            are ignored; a question without one counts 0 and is named on
            standard error.

    Returns:
        A dict:

        *   exact_match: the percentage of questions with one of the answers
            given, both normalised by `normalize_answer`;
        *   f1: the mean over the questions, in percent, of the best `f1_score`
            with one of the answers.
    """
    exact_match = f1 = 0
    for question in questions:
        if question.id not in predictions:
            print(
                f"Unanswered question {question.id} will receive score 0.",
                file=sys.stderr,
            )
            continue
        prediction = predictions[question.id]
        texts = [answer.text for answer in question.answers]
        exact_match += max(is_exact_match(prediction, text) for text in texts)
        f1 += max(f1_score(prediction, text) for text in texts)
    return {
        "exact_match": 100.0 * exact_match / len(questions),
        "f1": 100.0 * f1 / len(questions),
    }


def is_exact_match(prediction, answer):
    """Whether two texts are the same when normalised."""
    return normalize_answer(prediction) == normalize_answer(answer)


def f1_score(prediction, answer):
    """Compares two texts as bags of words.

    Args:
        prediction: A text.
        answer: A text.

    Returns:
        The harmonic mean of the shares of the words of each that the other has
        too, both normalised; 0 if they have no word in common.
    """
    predicted_words = normalize_answer(prediction).split()
    words = normalize_answer(answer).split()
    common = collections.Counter(predicted_words) & collections.Counter(words)
    n_common = common.total()
    if not n_common:
        return 0
    # In the script's order: each rounding must be the same.
    precision = n_common / len(predicted_words)
    recall = n_common / len(words)
    return 2 * precision * recall / (precision + recall)


def normalize_answer(text):
    """Takes away in what answers may differ.

    Args:
        text: A text.

    Returns:
        The text in small letters, without ASCII punctuation and the words a, an
        and the, its words one space apart.
    """
    text = text.lower().translate(_WITHOUT_PUNCTUATION)
    return " ".join(_ARTICLES.sub(" ", text).split())


if __name__ == "__main__":
    command_line.run(main, arguments=["DATA.json", "PREDICTIONS.json"])
