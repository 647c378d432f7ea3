"""Scores clusters that need no model, to compare models with.

    python -m tasks.coref.baselines TRAIN TEST

TRAIN and TEST are paths or globs as in `tasks.coref.convert`. Mentions are
given (those of the key) or found by the rules of `MentionFinder`, with what it
learns from TRAIN. There are two ways to make clusters of them:

*   singletons: each mention is alone;
*   same_head: those with the same head are together, capitals or not. The head
    is the token before the first comma, preposition or relative pronoun in the
    mention, else its last token; so the same pronouns are together too.

Prints one JSON line: for given_mentions and found_mentions an object from
either way to the scores of `tasks.coref.metrics`.
"""

import collections

from elmo_tf import command_line
from tasks.coref.data import read_documents
from tasks.coref.mention_finder import MentionFinder
from tasks.coref.metrics import score

# What stands after the head of a noun phrase.
_AFTER_HEAD = frozenset(
    ", at by for from in near of on that to upon where which who whom whose "
    "with".split()
)


def main(argv):
    _, train_path, test_path = argv
    train, test = map(read_documents, (train_path, test_path))
    command_line.print_json(score_baselines(train, test))


def score_baselines(train, test):
    """Scores clusters that need no model.

    Args:
        train: A list of `CorefDocument` to learn mentions from.
        test: A list of those to score.

    Returns:
        A dict from given_mentions and found_mentions to a dict from singletons
        and same_head to what `score` returns.
    """
    scores = {}
    for name, find in (
        ("given_mentions", given_mentions),
        ("found_mentions", MentionFinder(train).find),
    ):
        found = [(document, find(document)) for document in test]
        scores[name] = {
            "singletons": score(
                (document.clusters, singletons(mentions))
                for document, mentions in found
            ),
            "same_head": score(
                (document.clusters, same_head(document.tokens, mentions))
                for document, mentions in found
            ),
        }
    return scores


def given_mentions(document):
    """Lists the mentions of a document's clusters, in ascending order."""
    return sorted({span for cluster in document.clusters for span in cluster})


def singletons(mentions):
    """Puts each mention into a cluster of its own.

    Args:
        mentions: A list of mentions.

    Returns:
        A list of lists of mentions.
    """
    return [[mention] for mention in mentions]


def same_head(tokens, mentions):
    """Puts mentions with the same head into a cluster.

    Args:
        tokens: The tokens of a document.
        mentions: A list of spans `(first, last)` in it.

    Returns:
        A list of lists of spans.
    """
    clusters = collections.defaultdict(list)
    for first, last in mentions:
        clusters[find_head(tokens[first : last + 1])].append((first, last))
    return list(clusters.values())


def find_head(tokens):
    """Finds the head of a mention (see above), in small letters.

    Args:
        tokens: The tokens of the mention, at least one.

    Returns:
        The head; never the first token if that is a preposition itself.
    """
    words = [token.lower() for token in tokens]
    for before, word in zip(words, words[1:], strict=False):
        if word in _AFTER_HEAD:
            return before
    return words[-1]


if __name__ == "__main__":
    command_line.run(main, arguments=["TRAIN", "TEST"])
