"""Tokens a second against sentence length, batch size and vocabulary."""

import contextlib
import statistics

from benchmarks import report
from benchmarks.text import RandomText
from benchmarks.text import n_tokens
from tasks.markdown_table import markdown_table

LENGTHS = (5, 10, 20, 40, 80, 160)
BATCH_SIZES = (1, 4, 16, 64, 256)
SHARES = (0.01, 0.1, 0.3, 1.0)
_VOCABULARY_LENGTH = 28


def run_length(setting):
    """Measures one batch of sentences of each length.

    Args:
        setting: A `Setting`.

    Returns:
        A dictionary for the JSON: tokens a second by system and length.
    """
    return _run(
        setting,
        LENGTHS,
        lambda text, length: text.sentences(setting.batch_size, length, length),
    )


def run_batch(setting):
    """Measures the usual sentences in batches of each size.

    Args:
        setting: A `Setting`.

    Returns:
        A dictionary for the JSON: tokens a second by system and batch size.
    """
    return _run(
        setting,
        BATCH_SIZES,
        lambda text, _: text.sentences(setting.n_sentences),
        batch_sizes=BATCH_SIZES,
    )


def run_vocabulary(setting):
    """Measures sentences of each share of distinct words.

    Args:
        setting: A `Setting`.

    Returns:
        A dictionary for the JSON: tokens a second by system and share.
    """

    def sentences(text, share):
        n_words = setting.n_sentences * _VOCABULARY_LENGTH
        return text.sentences_of_vocabulary(
            setting.n_sentences,
            _VOCABULARY_LENGTH,
            max(1, round(share * n_words)),
        )

    return _run(setting, SHARES, sentences)


def table(setting, what, result):
    """Makes the table of what one of the above returned.

    Args:
        setting: The `Setting`.
        what: What was varied, for the first column.
        result: The dictionary.

    Returns:
        The text.
    """
    values = next(iter(result.values()))
    return markdown_table(
        [f"{setting.size}, tokens/s by {what}", *values],
        [
            [name, *map(report.number, rates.values())]
            for name, rates in result.items()
        ],
    )


def _run(setting, values, make_sentences, batch_sizes=None):
    """Measures every value of what is varied, all systems in turns."""
    text = RandomText(setting.seed)
    rates = {
        system.name: {str(value): [] for value in values}
        for system in setting.systems
    }
    with contextlib.ExitStack() as stack:
        workers = {
            system.name: stack.enter_context(
                setting.start(system, max(batch_sizes or [setting.batch_size]))
            )
            for system in setting.systems
        }
        # The first time is to warm up.
        for repeat in range(1 + setting.repeats):
            for value in values:
                setting.say(f"repetition {repeat}, {value}")
                sentences = make_sentences(text, value)
                for system in setting.systems:
                    seconds = setting.time(
                        system,
                        workers[system.name],
                        sentences,
                        batch_size=value if batch_sizes else None,
                    )
                    if repeat:
                        rates[system.name][str(value)].append(
                            n_tokens(sentences) / seconds
                        )
    return {
        name: {
            value: statistics.median(measured)
            for value, measured in by_value.items()
        }
        for name, by_value in rates.items()
    }
