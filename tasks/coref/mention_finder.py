"""Finds mentions by rules with counts that are learnt."""

import collections

# How many tokens a string that is learnt as a whole has at most.
_MAX_STRING_LENGTH = 3
# How far after the first token of a phrase its last one is at most.
_MAX_REACH = 4
# What a string or a token must be seen as, in this share of its occurrences
# and in so many, to be taken for it. The share did best on the development
# documents of LitBank.
_LEAST_SHARE = 0.3
_LEAST_COUNT = 2


class MentionFinder:
    """Finds spans that may be mentions, without a parser.

    A span of a sentence is taken for a mention if it is

    *   a string of one to three tokens that often is a mention in the training
        data, pronouns above all;
    *   a name: a longest run of tokens that begin with a capital. The first
        token of a sentence counts for one that does unless the training data
        have it in small letters;
    *   a phrase: a token that often begins a mention of several tokens, such as
        an article, up to the first of the next four that often ends one and has
        none such after it, with words only between.

    Often is in three of ten occurrences, capitals or not, and twice at least.

    Args:
        documents: The training data, a list of `CorefDocument`.
    """

    def __init__(self, documents):
        strings, words = collections.Counter(), collections.Counter()
        mentions, first, last = (collections.Counter() for _ in range(3))
        self._in_small_letters = set()
        for document in documents:
            for _, sentence in _sentences(document):
                self._in_small_letters.update(filter(str.islower, sentence))
                tokens = [token.lower() for token in sentence]
                words.update(tokens)
                for start, end in _short_spans(len(tokens)):
                    strings[tuple(tokens[start:end])] += 1
            tokens = [token.lower() for token in document.tokens]
            # In two clusters or one, a span is a mention once.
            spans = {span for cluster in document.clusters for span in cluster}
            long_spans = [(start, end) for start, end in spans if end > start]
            mentions.update(
                tuple(tokens[start : end + 1])
                for start, end in spans
                if end - start < _MAX_STRING_LENGTH
            )
            first.update(tokens[token] for token in {s for s, _ in long_spans})
            last.update(tokens[token] for token in {e for _, e in long_spans})
        self._mentions = _often(mentions, strings)
        self._first = _often(first, words)
        self._last = _often(last, words)

    def find(self, document):
        """Finds spans that may be mentions.

        Args:
            document: A `CorefDocument`; its clusters are not looked at.

        Returns:
            A list of spans `(first, last)`, the numbers of their first and last
            token in the document, in ascending order.
        """
        found = set()
        for offset, sentence in _sentences(document):
            tokens = [token.lower() for token in sentence]
            for spans in (
                self._strings(tokens),
                self._names(sentence),
                self._phrases(tokens),
            ):
                found.update(
                    (offset + start, offset + end - 1) for start, end in spans
                )
        return sorted(found)

    def _strings(self, tokens):
        for start, end in _short_spans(len(tokens)):
            if tuple(tokens[start:end]) in self._mentions:
                yield start, end

    def _names(self, sentence):
        start = 0
        # The empty token ends the last run.
        for number, token in enumerate([*sentence, ""]):
            if not token[:1].isupper() or (
                number == 0 and token.lower() in self._in_small_letters
            ):
                if number > start:
                    yield start, number
                start = number + 1

    def _phrases(self, tokens):
        for start, token in enumerate(tokens):
            if token not in self._first:
                continue
            after = tokens[start + 1 : start + 1 + _MAX_REACH]
            for number, word in enumerate(after, start=start + 1):
                if not word[0].isalpha():
                    break
                is_last = word in self._last
                if is_last and self._last.isdisjoint(
                    tokens[number + 1 : number + 2]
                ):
                    yield start, number + 1
                    break


def _often(counts, totals):
    return {
        key
        for key, count in counts.items()
        if count >= max(_LEAST_COUNT, _LEAST_SHARE * totals[key])
    }


def _sentences(document):
    """Yields the number of each sentence's first token, and the sentence."""
    offset = 0
    for sentence in document.sentences:
        yield offset, sentence
        offset += len(sentence)


def _short_spans(n_tokens):
    for start in range(n_tokens):
        longest = min(n_tokens, start + _MAX_STRING_LENGTH)
        for end in range(start + 1, longest + 1):
            yield start, end
