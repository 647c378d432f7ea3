"""Sentence pairs of SNLI, and the labels of what follows from what.

Three formats are read, told apart by the first line:

*   JSON lines as SNLI 1.0 and MultiNLI are published: `gold_label`,
    `sentence1` (the premise), `sentence2` (the hypothesis), and maybe
    `sentence1_binary_parse`, `sentence2_binary_parse` and `pairID`.
*   Text with tabs and the same names in the first line: the `.txt` of both.
*   Text with tabs, three columns and no names: premise and hypothesis, their
    tokens with spaces between them, and the label in front or at the end, as a
    word or as 0, 1 or 2, in the order of `LABELS`.

In the first two the leaves of a binary parse are the tokens, as in ESIM's own
experiments, and a sentence without one is split as the Penn Treebank does.
"""

import dataclasses
import functools
import json
import os

from elmo_tf.errors import InputError
from elmo_tf.text import shards
from elmo_tf.text.tokenizer import tokenize
from tasks.text.treebank_escapes import ESCAPED_BRACKETS

LABELS = ("entailment", "neutral", "contradiction")
# The label of a pair about which the annotators did not agree.
NO_LABEL = "-"

_NUMBERS = {str(number): label for number, label in enumerate(LABELS)}
_EXPECTED = "SNLI's JSON lines or text with tabs"
_SENTENCES = ("sentence1", "sentence2")
_PARSE_BRACKETS = ("(", ")")
# Large enough that the calls do not count, small enough for the memory.
_SENTENCES_AT_ONCE = 10_000


@dataclasses.dataclass(frozen=True)
class SNLIExample:
    """A pair of sentences.

    Attributes:
        premise: A tuple of tokens.
        hypothesis: A tuple of tokens.
        label: One of `LABELS`; None if it was not asked for.
        pair_id: The pair's name in the file; None if it has none.
    """

    premise: tuple
    hypothesis: tuple
    label: str | None
    pair_id: str | None = None


def read_examples(path):
    """Reads a file of labelled pairs.

    Args:
        path: A file in one of the formats above, plain or gzip. Blank lines
            are left out.

    Returns:
        A list of `SNLIExample`, at least one, and the number of pairs that were
        left out because their annotators did not agree (label `-`).

    Raises:
        InputError: The file cannot be read; a line is no JSON object or has too
            many columns, lacks a label or a sentence, or its label is unknown
            or a sentence empty; or no pair has a label.
    """
    pairs = _read_pairs(path, with_labels=True)
    examples = [pair for pair in pairs if pair.label != NO_LABEL]
    if not examples:
        raise InputError(
            f"{path}: found no pair with a label, expected at least one"
        )
    return examples, len(pairs) - len(examples)


def read_pairs_to_label(path):
    """Reads a file of pairs whose labels may be missing.

    Args:
        path: As for `read_examples`; two columns without names will do.

    Returns:
        A list of `SNLIExample` without labels, at least one, those among them
        about which the annotators did not agree.

    Raises:
        InputError: As `read_examples`, but for what is wrong with labels.
    """
    return _read_pairs(path, with_labels=False)


def write_examples(examples, predictions, file):
    """Writes predictions as JSON lines.

    Args:
        examples: A list of `SNLIExample`.
        predictions: Each one's `LabelPrediction`.
        file: A text file. Gets a line for each pair, an object of `pairID`, if
            it has one; `premise` and `hypothesis`, their tokens; `gold`, its
            label, if it was read; `label`, the predicted one; and
            `probabilities`, an object from each label to its probability.
    """
    for example, prediction in zip(examples, predictions, strict=True):
        line = {} if example.pair_id is None else {"pairID": example.pair_id}
        line["premise"] = example.premise
        line["hypothesis"] = example.hypothesis
        if example.label is not None:
            line["gold"] = example.label
        line["label"] = prediction.label
        line["probabilities"] = prediction.probabilities
        file.write(json.dumps(line, ensure_ascii=False) + "\n")


def _read_pairs(path, with_labels):
    """A list of `SNLIExample`, the label `-` among theirs."""
    path = os.fspath(path)
    shards.check_file(path, _EXPECTED)
    labels, pair_ids, sentences = [], [], []
    for place, fields, is_split in _read_fields(path, with_labels):
        labels.append(_label(fields, place) if with_labels else None)
        pair_ids.append(_text(fields, "pairID", place))
        for name in _SENTENCES:
            sentences.append(_sentence(fields, name, place, is_split))
    if not sentences:
        raise InputError(f"{path}: found no pair, expected at least one")
    tokens = _tokenized(sentences)
    return [
        SNLIExample(*parts)
        for parts in zip(
            tokens[::2], tokens[1::2], labels, pair_ids, strict=True
        )
    ]


def _read_fields(path, with_labels):
    """Yields each pair's place, its fields by SNLI's names, if it is split."""
    parse = None
    for number, line in enumerate(shards.read_lines(path), start=1):
        line = line.decode()
        if not line.strip():
            continue
        place = f"{path}:{number}"
        if parse is None:
            parse, is_heading, is_split = _recognise_format(
                line, place, with_labels
            )
            if is_heading:
                continue
        yield place, parse(line, place), is_split


def _recognise_format(line, place, with_labels):
    """Tells the format by a file's first line.

    Returns:
        A tuple of a function from a line and its place to fields; whether the
        first line is no pair; and whether sentences are split into tokens.
    """
    if line.lstrip().startswith("{"):
        return _parse_json, False, False
    columns = line.split("\t")
    if "gold_label" in columns or "sentence1" in columns:
        return functools.partial(_parse_columns, columns), True, False
    for names in ((*_SENTENCES, "gold_label"), ("gold_label", *_SENTENCES)):
        if len(columns) == 3 and _is_label(columns[names.index("gold_label")]):
            return functools.partial(_parse_three_columns, names), False, True
    if len(columns) == 2 and not with_labels:
        return functools.partial(_parse_columns, _SENTENCES), False, True
    raise InputError(
        f"{place}: found {_quoted(line)}, expected a JSON object, or columns "
        "with tabs between them: two sentences with a label before or after "
        "them, or names, sentence1 among them"
    )


def _is_label(text):
    return text in (*_NUMBERS, *LABELS, NO_LABEL)


def _parse_json(line, place):
    try:
        fields = json.loads(line)
    except (RecursionError, ValueError) as error:
        # The message of a decoder's error tells of a line 1 that is this one.
        reason = getattr(error, "msg", error)
        raise InputError(
            f"{place}: found no valid JSON ({reason}), expected an object"
        ) from None
    if not isinstance(fields, dict):
        raise InputError(
            f"{place}: found {_quoted(line)}, expected a JSON object"
        )
    return fields


def _parse_columns(names, line, place):
    columns = line.split("\t")
    if len(columns) > len(names):
        raise InputError(
            f"{place}: found {len(columns)} columns with tabs between them, "
            f"expected {len(names)} as in the first line"
        )
    return dict(zip(names, columns, strict=False))


def _parse_three_columns(names, line, place):
    fields = _parse_columns(names, line, place)
    label = fields.get("gold_label")
    return {**fields, "gold_label": _NUMBERS.get(label, label)}


def _label(fields, place):
    label = fields.get("gold_label")
    if label is None:
        raise InputError(f"{place}: found no gold_label, expected one")
    if label not in (*LABELS, NO_LABEL):
        raise InputError(
            f"{place}: found the label {label!r}, expected one of "
            f"{', '.join(LABELS)} and {NO_LABEL}"
        )
    return label


def _sentence(fields, name, place, is_split):
    """A sentence's tokens, a list, if the file has them; else its text."""
    parse = _text(fields, f"{name}_binary_parse", place) or ""
    tokens = [
        ESCAPED_BRACKETS.get(leaf, leaf)
        for leaf in parse.split()
        if leaf not in _PARSE_BRACKETS
    ]
    if tokens:
        return tokens
    text = _text(fields, name, place)
    if text is None:
        raise InputError(f"{place}: found no {name}, expected one")
    if not text.split():
        raise InputError(
            f"{place}: found an empty {name}, expected at least one word"
        )
    return text.split() if is_split else text


def _text(fields, name, place):
    text = fields.get(name)
    if text is not None and not isinstance(text, str):
        try:
            found = json.dumps(text)
        except RecursionError:
            found = "lists in lists"
        raise InputError(f"{place}: found {found} as {name}, expected a text")
    # A lone surrogate, which JSON can hold, has no UTF-8 form.
    return text and text.encode("utf-8", "ignore").decode("utf-8")


def _quoted(line):
    """A line's beginning, for a message."""
    return repr(line if len(line) <= 60 else f"{line[:60]}…")


def _tokenized(sentences):
    """Splits those sentences that are not yet: a list of tuples of tokens."""
    tokens = list(sentences)
    places = [i for i, part in enumerate(sentences) if isinstance(part, str)]
    for start in range(0, len(places), _SENTENCES_AT_ONCE):
        chosen = places[start : start + _SENTENCES_AT_ONCE]
        texts = [sentences[i] for i in chosen]
        rows = tokenize(texts, "penn_treebank").to_list()
        for i, row in zip(chosen, rows, strict=True):
            tokens[i] = [token.decode("utf-8") for token in row]
    return list(map(tuple, tokens))
