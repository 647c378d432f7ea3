"""Disambiguates test sets and scores what comes out."""

import collections

from tasks.markdown_table import markdown_table
from tasks.wsd.instance_vectors import instance_vectors
from tasks.wsd.metrics import score
from tasks.wsd.sense_key import PARTS_OF_SPEECH
from tasks.wsd.sense_sentence import SenseSentence

FIRST_SENSE = "first_sense"
MEAN = "mean"


def system_names(n_layers):
    """Names what is compared: the baseline, each layer and their mean."""
    return [FIRST_SENSE, *(f"layer_{n}" for n in range(n_layers)), MEAN]


def evaluate(elmo, nearest_sense, wordnet, test_sets, progress=None):
    """Predicts the senses of test sets and scores them.

    A sentence that several of them have is embedded once.

    Args:
        elmo: The `Elmo`.
        nearest_sense: The `NearestSense`.
        wordnet: The `WordNet`, for the first senses.
        test_sets: A dictionary from name to a list of `SenseSentence`.
        progress: As of `SenseVectors.average`.

    Returns:
        A tuple of two dictionaries from the name of each test set:

        *   to its figures: `instances`, `fallback` (how many have a word
            without a sense in the training data), `unanswered` (how many of
            these WordNet does not know either), `gold_keys_not_in_wordnet`, and
            `systems`, a dictionary from each of `system_names` to what
            `metrics.score` returns, with the same of each part of speech in
            `parts_of_speech`;
        *   to a dictionary from each of `system_names` to the predicted keys,
            as `metrics.score` takes them.
    """
    names = system_names(elmo.n_layers)
    predicted = {
        test_set: {system: {} for system in names} for test_set in test_sets
    }
    n_fallback = collections.Counter()
    owners, sentences = _merge(test_sets)
    if progress is not None:
        n_tokens = sum(len(sentence.tokens) for sentence in sentences)
        progress = progress(len(sentences), n_tokens)
    embedded = instance_vectors(elmo, sentences, progress)
    for sentence, sets, vectors in zip(
        sentences, owners, embedded, strict=True
    ):
        for instance, test_set, vector in zip(
            sentence.instances, sets, vectors, strict=True
        ):
            keys, is_fallback = nearest_sense.predict(instance, vector)
            n_fallback[test_set] += is_fallback
            first = wordnet.first_sense(instance.lemma, instance.pos)
            for system, key in zip(names, [first, *keys], strict=True):
                predicted[test_set][system][instance.name] = (
                    () if key is None else (key,)
                )
    figures = {
        test_set: {
            **_describe(instances, wordnet),
            "fallback": n_fallback[test_set],
            "unanswered": sum(
                not keys for keys in predicted[test_set][MEAN].values()
            ),
            "systems": {
                system: _score(instances, predicted[test_set][system])
                for system in names
            },
        }
        for test_set, instances in _instances(test_sets).items()
    }
    return figures, predicted


def format_tables(figures):
    """Formats F1 by test set, and by part of speech of the last test set.

    Args:
        figures: The first of the two that `evaluate` returns.

    Returns:
        Two tables in Markdown, with a line between them.
    """
    *_, last = figures
    systems = list(figures[last]["systems"])
    by_set = markdown_table(
        ["F1, in %", *figures],
        [
            [
                _title(system),
                *(
                    _percent(found["systems"][system])
                    for found in figures.values()
                ),
            ]
            for system in systems
        ]
        + [
            ["instances", *(f"{f['instances']:,}" for f in figures.values())],
            [
                "… not in training",
                *(f"{f['fallback']:,}" for f in figures.values()),
            ],
        ],
    )
    parts = list(figures[last]["systems"][MEAN]["parts_of_speech"])
    by_part = markdown_table(
        [f"F1 on {last}, in %", *parts],
        [
            [
                _title(system),
                *(
                    _percent(
                        figures[last]["systems"][system]["parts_of_speech"][
                            part
                        ]
                    )
                    for part in parts
                ),
            ]
            for system in systems
        ],
    )
    return f"{by_set}\n\n{by_part}"


def _merge(test_sets):
    """Puts the instances of equal sentences together.

    Returns a list of lists of the test set's name of each instance, and the
    list of the sentences.
    """
    owners = collections.defaultdict(list)
    instances = collections.defaultdict(list)
    for name, sentences in test_sets.items():
        for sentence in sentences:
            if sentence.instances:
                instances[sentence.tokens] += sentence.instances
                owners[sentence.tokens] += [name] * len(sentence.instances)
    return list(owners.values()), [
        SenseSentence(tokens, tuple(found))
        for tokens, found in instances.items()
    ]


def _instances(test_sets):
    return {
        name: [
            instance
            for sentence in sentences
            for instance in sentence.instances
        ]
        for name, sentences in test_sets.items()
    }


def _describe(instances, wordnet):
    keys = [key for instance in instances for key in instance.keys]
    return {
        "instances": len(instances),
        "gold_keys_not_in_wordnet": sum(not wordnet.knows(key) for key in keys),
    }


def _score(instances, predicted):
    parts = {
        name: {
            instance.name: instance.keys
            for instance in instances
            if instance.pos == pos
        }
        for pos, name in PARTS_OF_SPEECH.items()
    }
    return {
        **score({i.name: i.keys for i in instances}, predicted),
        "parts_of_speech": {
            name: score(gold, predicted) for name, gold in parts.items() if gold
        },
    }


def _title(system):
    if system == FIRST_SENSE:
        return "first sense of WordNet"
    if system == MEAN:
        return "mean of the layers"
    number = system.removeprefix("layer_")
    return "token layer" if number == "0" else f"LSTM {number}"


def _percent(scores):
    return f"{100 * scores['f1']:.1f}"
