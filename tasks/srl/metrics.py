"""Scores semantic roles as srl-eval.pl does, CoNLL-2005's official script.

    python -m tasks.srl.metrics GOLD PREDICTED

reads two files of the same sentences, as `props` or in another layout of
`tasks.srl.file_layout`, and prints one JSON line. All rates lie between 0 and
1; `--format=table` prints the script's table, in percent and digit by digit.

An argument is correct if one with the same role and the same tokens is
predicted for the same predicate. `C-` pieces are joined with the argument of
that role before them, and all of them must be right; where there is none
before, the piece is an argument of that role. `R-` roles are roles of their
own. `V` is counted apart. Of a proposition without a prediction, or with one
that has another lemma, all arguments are missed, and a prediction for what is
no predicate is left out: both stand on standard error.
"""

import collections
import sys

from absl import flags

from elmo_tf import command_line
from elmo_tf.errors import InputError
from tasks.srl.data import read_sentences

_VERB = "V"
_N_WARNINGS = 10


class _Argument:
    """An argument, or a piece of one."""

    def __init__(self, role, start, end):
        self.role = role
        self.start = start
        self.end = end
        # None are there if it is of one piece with no other argument inside.
        self.pieces = []

    @property
    def tokens(self):
        return self.start, self.end


def main(argv):
    gold, predicted = map(read_sentences, argv[1:])
    options = flags.FLAGS
    scores = score(gold, predicted, options.ignore_lemmas)
    _print_warnings(find_mismatches(gold, predicted, options.ignore_lemmas))
    if options.format == "table":
        print(format_table(scores), end="")
    else:
        command_line.print_json(scores)


def score(gold, predicted, ignore_lemmas=False):
    """Scores the propositions that were predicted for some sentences.

    Args:
        gold: A list of `SRLSentence` with the true propositions.
        predicted: A list of the same sentences with the predicted ones.
        ignore_lemmas: Whether a prediction counts though the predicate's lemma
            is another one.

    Returns:
        A dict:

        *   sentences, propositions: how many there are of gold;
        *   perfect_propositions: how many of these have no excess and no missed
            argument;
        *   perfect: their share;
        *   correct, excess, missed: the number of arguments that are predicted
            and gold, only predicted, only gold;
        *   precision: the share of the predicted arguments that are correct;
        *   recall: the share of the gold arguments that are predicted;
        *   f1: the harmonic mean of precision and recall;
        *   by_role: a dict from each role, in alphabetical order, to a dict
            with the last six; without V;
        *   verb: the last six for V, which counts nowhere else;
        *   missing_predicates, excess_predicates: how many gold propositions
            have no prediction, and how many predictions no gold proposition.

        A share of nothing is 0.

    Raises:
        InputError: If the sentences are not as many or not as long.
    """
    _check_lengths(gold, predicted)
    correct, excess, missed = (collections.Counter() for _ in range(3))
    n_perfect = 0
    n_missing = n_excess = 0
    for pair in zip(gold, predicted, strict=True):
        found, unmatched = _match_propositions(*pair, ignore_lemmas)
        n_excess += len(unmatched)
        for truth, prediction in found:
            n_missing += prediction is None
            counters = _compare(
                _arguments(truth.arguments),
                _arguments(prediction.arguments if prediction else ()),
            )
            for total, roles in zip(
                (correct, excess, missed), counters, strict=True
            ):
                total.update(roles)
            n_perfect += not any(
                role != _VERB for roles in counters[1:] for role in roles
            )
    n_propositions = sum(len(sentence.propositions) for sentence in gold)
    roles = sorted((correct | excess | missed).keys() - {_VERB})
    return {
        "sentences": len(gold),
        "propositions": n_propositions,
        "perfect_propositions": n_perfect,
        "perfect": _share(n_perfect, n_propositions),
        **_rates(
            *(
                sum(counter[role] for role in roles)
                for counter in (correct, excess, missed)
            )
        ),
        "by_role": {
            role: _rates(correct[role], excess[role], missed[role])
            for role in roles
        },
        "verb": _rates(correct[_VERB], excess[_VERB], missed[_VERB]),
        "missing_predicates": n_missing,
        "excess_predicates": n_excess,
    }


def find_mismatches(gold, predicted, ignore_lemmas=False):
    """Lists where gold and predicted propositions are not of the same words.

    Args:
        gold: As for `score`.
        predicted: Likewise.
        ignore_lemmas: Likewise.

    Returns:
        A list of str, one line each.
    """
    messages = []
    for number, (truth, prediction) in enumerate(
        zip(gold, predicted, strict=True), start=1
    ):
        found, unmatched = _match_propositions(truth, prediction, ignore_lemmas)
        lemmas = {item.predicate: item.lemma for item in unmatched}
        for proposition, match in found:
            if match is not None:
                continue
            i = proposition.predicate
            other = lemmas.pop(i, None)
            what = "no predicate" if other is None else f"the predicate {other}"
            messages.append(
                f"{_place(prediction, number, i)}: found {what}, expected "
                f"{proposition.lemma}; all its arguments count as missed"
            )
        messages += [
            f"{_place(prediction, number, i)}: found the predicate {lemma}, "
            "expected none; its arguments are left out"
            for i, lemma in lemmas.items()
        ]
    return messages


def format_table(scores):
    """Writes scores as the script prints them.

    Args:
        scores: The dict of `score`.

    Returns:
        str, lines.
    """
    n_propositions = scores["propositions"]
    perfect = scores["perfect_propositions"]
    rule = "-" * 60 + "\n"
    verb = scores["verb"]
    return "".join(
        [
            f"Number of Sentences    :      {scores['sentences']:6d}\n",
            f"Number of Propositions :      {n_propositions:6d}\n",
            "Percentage of perfect props : "
            f"{_percentage(perfect, n_propositions):6.2f}\n",
            "\n",
            f"{'':10}   {'corr.':>6}  {'excess':>6}  {'missed':>6}   "
            f"{'prec.':>6}  {'rec.':>6}  {'F1':>6}\n",
            rule,
            _table_row("Overall", scores),
            "----------\n",
            *(_table_row(*item) for item in scores["by_role"].items()),
            rule,
            *([_table_row(_VERB, verb)] if any(verb.values()) else []),
            rule,
        ]
    )


def _print_warnings(messages):
    for message in messages[:_N_WARNINGS]:
        print(message, file=sys.stderr)
    if len(messages) > _N_WARNINGS:
        n_others = len(messages) - _N_WARNINGS
        print(f"… and {n_others} more like these", file=sys.stderr)


def _check_lengths(gold, predicted):
    for number, (truth, prediction) in enumerate(
        zip(gold, predicted, strict=False), start=1
    ):
        if len(truth) != len(prediction):
            raise InputError(
                f"{_place(prediction, number)}: found a sentence of "
                f"{len(prediction)} tokens, expected {len(truth)} as in "
                f"{_place(truth, number)}"
            )
    if len(gold) != len(predicted):
        where = (
            f"{predicted[0].path}: " if predicted and predicted[0].path else ""
        )
        raise InputError(
            f"{where}found {len(predicted)} sentences, expected {len(gold)}"
        )


def _place(sentence, number, token=0):
    place = sentence.place(token)
    return f"sentence {number}, {place}" if sentence.path is None else place


def _match_propositions(gold, predicted, ignore_lemmas):
    """Finds the prediction of each proposition of a sentence.

    Returns a list of pairs, proposition and prediction or None; and a list of
    the predictions that are left.
    """
    left = {item.predicate: item for item in predicted.propositions}
    pairs = []
    for proposition in gold.propositions:
        match = left.get(proposition.predicate)
        if match is not None and not ignore_lemmas:
            if match.lemma != proposition.lemma:
                match = None
        if match is not None:
            del left[proposition.predicate]
        pairs.append((proposition, match))
    return pairs, list(left.values())


def _arguments(spans):
    """The arguments that spans make, once pieces are joined.

    As the script has it, in all that can be read. Where an argument contains
    others, it keeps these as its pieces; of two with the same tokens only the
    inner one counts.
    """
    by_tokens = {}
    opened = []
    for span in spans:
        argument = _Argument(*span)
        while opened and opened[-1].end <= argument.start:
            opened.pop()
        # Arguments that brackets cannot show may end behind those they are in.
        if opened and argument.end <= opened[-1].end:
            opened[-1].pieces.append(argument)
        opened.append(argument)
        by_tokens[argument.tokens] = argument
    arguments = []
    # The latest argument of each role, which a C- piece continues.
    latest = {}
    for argument in sorted(
        by_tokens.values(), key=lambda item: (item.start, -item.end)
    ):
        role = argument.role.removeprefix("C-")
        if argument.role != role and role in latest:
            head = latest[role]
            if not head.pieces:
                head.pieces.append(_Argument(role, *head.tokens))
            head.pieces.append(argument)
            head.end = argument.end
        else:
            argument.role = role
            arguments.append(argument)
            latest[role] = argument
    return arguments


def _compare(gold, predicted):
    """Returns lists of the roles that are correct, excess and missed."""
    correct, excess = [], []
    left = {argument.tokens: argument for argument in gold}
    for argument in predicted:
        match = left.get(argument.tokens)
        if match is not None and _is_same(match, argument):
            correct.append(argument.role)
            del left[argument.tokens]
        else:
            excess.append(argument.role)
    return correct, excess, [argument.role for argument in left.values()]


def _is_same(gold, predicted):
    pieces = [piece.tokens for piece in predicted.pieces]
    return (
        gold.role == predicted.role
        and {piece.tokens for piece in gold.pieces} == set(pieces)
        # A piece may be there twice only of gold.
        and len(set(pieces)) == len(pieces)
    )


def _rates(correct, excess, missed):
    return {
        "correct": correct,
        "excess": excess,
        "missed": missed,
        "precision": _share(correct, correct + excess),
        "recall": _share(correct, correct + missed),
        # The harmonic mean of the two.
        "f1": _share(2 * correct, 2 * correct + excess + missed),
    }


def _share(part, whole):
    return part / whole if whole else 0.0


def _table_row(name, rates):
    correct, excess, missed = (
        rates[key] for key in ("correct", "excess", "missed")
    )
    # In the script's order: each rounding must be the same.
    precision = _percentage(correct, correct + excess)
    recall = _percentage(correct, correct + missed)
    total = precision + recall
    f1 = 2 * precision * recall / total if total else 0
    return (
        f"{name:>10}   {correct:6d}  {excess:6d}  {missed:6d}   "
        f"{precision:6.2f}  {recall:6.2f}  {f1:6.2f}\n"
    )


def _percentage(part, whole):
    return 100 * part / whole if whole else 0


if __name__ == "__main__":
    # Not above: whoever imports this module has flags of their own.
    flags.DEFINE_enum(
        "format",
        "json",
        ["json", "table"],
        "What to print: one JSON line, or the script's table.",
    )
    flags.DEFINE_bool(
        "ignore_lemmas",
        False,
        "Whether a prediction counts though the predicate's lemma is another "
        "one, as if predicates had been found by rule.",
    )
    command_line.run(main, arguments=["GOLD", "PREDICTED"])
