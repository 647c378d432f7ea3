"""The context words nearest to words of questions.

Table 2 of Seo et al. 2017.
"""

import collections

import numpy as np

from bidaf_tf.report.markup import joined
from bidaf_tf.report.markup import shortened
from bidaf_tf.report.markup import tag

# Those of the paper's table.
_PAPERS_WORDS = (
    "When",
    "Where",
    "Who",
    "city",
    "January",
    "Seahawks",
    "date",
)
_WORD, _CONTEXTUAL = "word", "contextual"
_N_WORDS = 8
_N_NEAREST = 10
_MOST_OCCURRENCES = 50


def default_words(questions_tokens):
    """Chooses the words to look at.

    Args:
        questions_tokens: A list of the tokens of each question.

    Returns:
        A list of words: those of the paper's table that occur, and as many of
        the most frequent names (words that begin with a capital letter and not
        a question) that there are eight in all.
    """
    occurring = {token for tokens in questions_tokens for token in tokens}
    words = [word for word in _PAPERS_WORDS if word in occurring]
    names = collections.Counter(
        token
        for tokens in questions_tokens
        for token in tokens[1:]
        if token[:1].isupper() and token not in words
    )
    return words + [
        word for word, _ in names.most_common(_N_WORDS - len(words))
    ]


def gather_query_vectors(model, questions, questions_tokens, words, generator):
    """Looks up words of questions in a model.

    Args:
        model: The `ExportedModel`.
        questions: A list of `SquadQuestion`.
        questions_tokens: A list of the tokens of each.
        words: A list of words.
        generator: A NumPy generator; of a frequent word it draws fifty
            questions.

    Returns:
        A dict from each word that occurs to a tuple of its vector in the word
        space, None if it has none of its own, and the mean of those in the
        contextual space.
    """
    places = {}
    for word in words:
        holding = [
            index
            for index, tokens in enumerate(questions_tokens)
            if word in tokens
        ]
        if len(holding) > _MOST_OCCURRENCES:
            holding = generator.choice(
                holding, _MOST_OCCURRENCES, replace=False
            ).tolist()
        places[word] = holding
    chosen = sorted({index for holding in places.values() for index in holding})
    texts = {}
    # The encoder reads a question without its context.
    for place, inspection in model.inspect(
        [("", questions[index].question) for index in chosen], "query word"
    ):
        texts[chosen[place]] = inspection.question
    vectors = {}
    for word, holding in places.items():
        occurrences = [
            (texts[index], place)
            for index in sorted(holding)
            for place, token in enumerate(texts[index].tokens)
            if token == word
        ]
        if not occurrences:
            continue
        text, place = occurrences[0]
        is_known = text.is_known is not None and text.is_known[place]
        vectors[word] = (
            text.word_vectors[place] if is_known else None,
            np.mean(
                [text.contextual_vectors[place] for text, place in occurrences],
                axis=0,
            ),
        )
    return vectors


def nearest_words(vector, words, vectors, n=_N_NEAREST):
    """Finds the words whose vectors are most similar to one, by the cosine.

    Args:
        vector: Float array `[features]`.
        words: A list of words; the same word may come several times, and the
            most similar of its vectors counts.
        vectors: Float array `[words, features]`.
        n: How many words to find.

    Returns:
        A list of tuples of the cosine and the number of the word in the list,
        the largest cosine first, of equals the first word.
    """
    lengths = np.linalg.norm(vectors, axis=1) * np.linalg.norm(vector)
    cosines = vectors @ vector / np.maximum(lengths, 1e-12)
    nearest, seen = [], set()
    for index in np.argsort(-cosines, kind="stable").tolist():
        if words[index] not in seen:
            seen.add(words[index])
            nearest.append((float(cosines[index]), index))
            if len(nearest) == n:
                break
    return nearest


def nearest_words_section(query_vectors, missing, context_words):
    """Shows the nearest words of each space.

    Args:
        query_vectors: What `gather_query_vectors` found.
        missing: A list of the words that no question has.
        context_words: The `ContextWords`.

    Returns:
        The `Markup` of the section.
    """
    spaces = _spaces(context_words)
    rows = []
    for query_word, (word_vector, contextual_vector) in query_vectors.items():
        head = tag(
            "th",
            shortened(query_word),
            scope="rowgroup",
            rowspan=len(spaces),
            dir="auto",
        )
        for space, words, excerpts, matrix in spaces:
            vector = word_vector if space == _WORD else contextual_vector
            rows.append(
                tag(
                    "tr",
                    head,
                    tag("th", space, scope="row"),
                    tag("td", _nearest(vector, words, excerpts, matrix)),
                )
            )
            head = None
    return tag(
        "section",
        tag("h2", "Nearest words"),
        tag("p", _explanation(context_words)),
        tag("p", f"In no question: {', '.join(map(shortened, missing))}.")
        if missing
        else None,
        tag(
            "table",
            tag(
                "thead",
                tag(
                    "tr",
                    tag("th", "Query word", scope="col"),
                    tag("th", "Space", scope="col"),
                    tag("th", "Nearest context words, cosine", scope="col"),
                ),
            ),
            tag("tbody", joined(rows)),
            class_="nearest",
        ),
        id="nearest-words",
    )


def _nearest(vector, words, excerpts, matrix):
    if vector is None or not words:
        return tag("i", "not among the words that the model knows")
    return joined(
        (
            tag(
                "span",
                shortened(words[index]),
                " ",
                tag("small", f"{cosine:.2f}"),
                title=excerpts and excerpts[index],
                dir="auto",
            )
            for cosine, index in nearest_words(vector, words, matrix)
        ),
        ", ",
    )


def _spaces(context_words):
    """The name, words, excerpts and vectors of each space."""
    spaces = [
        (
            _CONTEXTUAL,
            context_words.words,
            context_words.excerpts,
            context_words.contextual_vectors,
        )
    ]
    if context_words.word_vectors is not None:
        places = context_words.first_places
        words = [context_words.words[place] for place in places]
        vectors = context_words.word_vectors[places]
        spaces.insert(0, (_WORD, words, None, vectors))
    return spaces


def _explanation(context_words):
    text = (
        "After table 2 of the paper: context words with the largest cosine to "
        "words of questions, in the word space (word vectors) and in the "
        "contextual space (the recurrent encoder’s output, one layer below the "
        "attention), where a query word’s vector is the mean of its "
        f"occurrences, at most {_MOST_OCCURRENCES}. Each word stands there "
        "once, with its nearest occurrence: point at it to see where. Looked "
        f"at were {len(context_words.words):,} words, those of "
        f"{context_words.n_contexts:,} of the "
        f"{context_words.n_all_contexts:,} contexts"
    )
    if context_words.word_vectors is None:
        return f"{text}. The model reads no words, so there is no word space."
    n_unknown = len(context_words.words) - int(context_words.is_known.sum())
    return (
        f"{text}; {n_unknown:,} of them are none that the model knows, share "
        "one vector in the word space, and are left out there."
    )
