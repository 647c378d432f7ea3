"""Makes cloze questions of any text."""

import collections
import hashlib

from bidaf_tf.cloze_data import SUFFIX
from bidaf_tf.cloze_question import PLACEHOLDER
from bidaf_tf.cloze_question import ClozeQuestion

# What the first word of a sentence, or of speech, may stand behind.
_BEFORE_A_BEGINNING = frozenset(("``", "`", "''", "'", "(", "[", ":", "--"))
_NO_NAMES = frozenset(("I",))
_FEWEST_ENTITIES = 3
_FEWEST_QUESTION_TOKENS = 8


class QuestionMaker:
    """Makes questions of articles, one of whose sentences gets a gap.

    Entities are guessed: words with a capital letter that stand next to each
    other are one, and all that are spelled alike are the same one. A sentence's
    first word is among them if the texts have it with a capital letter inside
    of sentences more often than without.

    An article is cut into passages. A question is a sentence of a passage with
    one of its entities left out, its context the passage's other sentences, in
    which that entity must occur, and three different ones at least.

    Args:
        articles: A list of all articles, each a list of sentences, each a list
            of tokens (str). They determine what a name is.
        passage_length: Number of tokens after which a passage ends with the
            sentence.
        questions_per_passage: At most so many questions are made of each.
    """

    def __init__(self, articles, passage_length, questions_per_passage):
        self._passage_length = passage_length
        self._questions_per_passage = questions_per_passage
        self._inside = collections.Counter()
        self._small = collections.Counter()
        for sentences in articles:
            for tokens in sentences:
                for place, token in enumerate(tokens):
                    if not _has_capital(token):
                        self._small[token] += 1
                    elif not _is_beginning(tokens, place):
                        self._inside[token] += 1

    def questions(self, sentences, url, generator):
        """Makes questions of an article.

        Args:
            sentences: The article, as above.
            url: What to call the article; the number of the passage follows.
            generator: A `numpy.random.Generator` to draw sentences, entities
                and ids from.

        Yields:
            `ClozeQuestion`, lower-case but for the names of the entities.
        """
        for number, passage in enumerate(self._passages(sentences)):
            marked = [self._mark(tokens) for tokens in passage]
            candidates = list(_candidates(marked))
            n = 0
            for index in generator.permutation(len(candidates)):
                if n == self._questions_per_passage:
                    break
                place, entity = candidates[index]
                context = [
                    token
                    for sentence in marked[:place] + marked[place + 1 :]
                    for token in sentence
                ]
                if len(set(filter(_is_marked, context))) >= _FEWEST_ENTITIES:
                    yield _question(
                        f"{url}#{number}",
                        context,
                        marked[place],
                        entity,
                        generator,
                    )
                    n += 1

    def _passages(self, sentences):
        passage = []
        n_tokens = 0
        for tokens in sentences:
            passage.append(tokens)
            n_tokens += len(tokens)
            if n_tokens >= self._passage_length:
                yield passage
                passage = []
                n_tokens = 0
        if passage:
            yield passage

    def _mark(self, tokens):
        """Puts a tuple of its words in the place of each entity."""
        marked = []
        for place, token in enumerate(tokens):
            if not self._is_name(tokens, place):
                marked.append(token.lower())
            elif place and _is_marked(marked[-1]):
                marked[-1] += (token,)
            else:
                marked.append((token,))
        return marked

    def _is_name(self, tokens, place):
        token = tokens[place]
        if not _has_capital(token) or token in _NO_NAMES:
            return False
        if _is_beginning(tokens, place):
            return self._inside[token] > self._small[token.lower()]
        return True


def _has_capital(token):
    return token[0].isupper()


def _is_beginning(tokens, place):
    return place == 0 or tokens[place - 1] in _BEFORE_A_BEGINNING


def _is_marked(token):
    return isinstance(token, tuple)


def _candidates(marked):
    """Yields the place of a sentence, and an entity that it may lack."""
    n_sentences = collections.Counter(
        entity
        for sentence in marked
        for entity in set(filter(_is_marked, sentence))
    )
    for place, sentence in enumerate(marked):
        if len(sentence) >= _FEWEST_QUESTION_TOKENS:
            for entity in dict.fromkeys(filter(_is_marked, sentence)):
                if n_sentences[entity] > 1 and sentence.count(entity) == 1:
                    yield place, entity


def _question(url, context, sentence, answer, generator):
    entities = list(dict.fromkeys(filter(_is_marked, [*context, *sentence])))
    names = {
        entity: f"@entity{number}"
        for entity, number in zip(
            entities, generator.permutation(len(entities)), strict=True
        )
    }
    context = " ".join(names.get(token, token) for token in context)
    gapped = " ".join(
        PLACEHOLDER if token == answer else names.get(token, token)
        for token in sentence
    )
    text = "\n".join((url, context, gapped))
    return ClozeQuestion(
        # As the published files are called: 40 hexadecimal digits.
        hashlib.sha256(text.encode()).hexdigest()[:40] + SUFFIX,
        url,
        context,
        gapped,
        names[answer],
        tuple(
            f"{names[entity]}:{' '.join(entity)}"
            for entity in sorted(entities, key=names.get)
        ),
    )
