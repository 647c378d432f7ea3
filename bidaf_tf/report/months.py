"""The names of the months in a model's two spaces.

Figure 2a of Seo et al. 2017.
"""

import numpy as np
from sklearn.manifold import TSNE

from bidaf_tf.report.labels import place_labels
from bidaf_tf.report.markup import joined
from bidaf_tf.report.markup import tag

MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
# Fewer make no picture.
_FEWEST_NAMES = 5
_FEWEST_OCCURRENCES = 10
# All in all, and of months: the time grows with the square.
_MOST_POINTS = 600
_MOST_MONTHS = 300
_WIDTH, _HEIGHT, _MARGIN = 480, 400, 30
# Width and height of a name.
_LABEL = 34, 15


def choose_points(words, generator, wanted=MONTHS):
    """Chooses the words to lay out, months and others.

    Args:
        words: A list of words.
        generator: A NumPy generator.
        wanted: The words that are to be shown.

    Returns:
        Numbers of words: those of the months, at most 300, and after them
        those of others, 600 together at most.
    """
    is_wanted = np.isin(np.array(words, object), np.array(wanted, object))
    months = np.flatnonzero(is_wanted)
    others = np.flatnonzero(~is_wanted)
    if len(months) > _MOST_MONTHS:
        months = np.sort(generator.choice(months, _MOST_MONTHS, replace=False))
    n_others = min(len(others), _MOST_POINTS - len(months))
    others = np.sort(generator.choice(others, n_others, replace=False))
    return months.tolist(), others.tolist()


def lay_out(vectors):
    """Lays out vectors in the plane by t-SNE, those of a kind side by side.

    Args:
        vectors: Float array `[n, features]`, n at least 4.

    Returns:
        Float array `[n, 2]`.
    """
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return TSNE(
        perplexity=min(30.0, (len(vectors) - 1) / 3),
        # Between vectors of length one, the order is that of the cosines.
        # "exact", as the faster one adds up in an order that threads decide.
        method="exact",
        random_state=0,
    ).fit_transform(vectors / np.maximum(lengths, 1e-12))


def months_section(context_words, generator):
    """Shows where the months lie.

    Args:
        context_words: The `ContextWords`.
        generator: A NumPy generator, which draws the words to lay out.

    Returns:
        The `Markup` of the section.
    """
    names = set(context_words.words) & set(MONTHS)
    n_occurrences = sum(word in names for word in context_words.words)
    if len(names) < _FEWEST_NAMES or n_occurrences < _FEWEST_OCCURRENCES:
        content = tag(
            "p",
            f"In the {len(context_words.words):,} words looked at there are "
            f"{len(names)} names of months in {n_occurrences} places: too few "
            f"for a picture (it takes {_FEWEST_NAMES} names in "
            f"{_FEWEST_OCCURRENCES} places).",
        )
    else:
        content = _pictures(context_words, generator)
    return tag("section", tag("h2", "The months"), content, id="months")


def _pictures(context_words, generator):
    pictures = []
    if context_words.word_vectors is not None:
        places = context_words.first_places
        words = [context_words.words[place] for place in places]
        if len(set(words) & set(MONTHS)) >= _FEWEST_NAMES:
            pictures.append(
                _picture(
                    "Word space",
                    words,
                    None,
                    context_words.word_vectors[places],
                    generator,
                )
            )
        else:
            pictures.append(
                tag("p", "The model knows too few of them for the word space.")
            )
    pictures.append(
        _picture(
            "Contextual space",
            context_words.words,
            context_words.excerpts,
            context_words.contextual_vectors,
            generator,
        )
    )
    return joined(
        [
            tag(
                "p",
                "After figure 2a of the paper: the months’ names (with a "
                "capital letter, so that a “May” may be the verb) among other "
                f"context words, at most {_MOST_POINTS} in all, laid out by "
                "t-SNE; only the months are drawn. In the word space each name "
                "has one place, in the contextual space each occurrence its "
                "own: point at one to see it. May has a colour of its own; "
                "where names would overlap, some points have none.",
            ),
            tag("div", joined(pictures), class_="side-by-side"),
        ]
    )


def _picture(title, words, excerpts, vectors, generator):
    months, others = choose_points(words, generator)
    places = lay_out(vectors[months + others])[: len(months)]
    low, high = places.min(axis=0), places.max(axis=0)
    # Both axes on one scale.
    scale = min(
        (size - 2 * _MARGIN) / max(extent, 1e-9)
        for size, extent in zip((_WIDTH, _HEIGHT), high - low, strict=True)
    )
    center = (low + high) / 2
    points = (places - center) * scale + (_WIDTH / 2, _HEIGHT / 2)
    labels = place_labels(points, _LABEL, (_WIDTH, _HEIGHT))
    marks = [
        _mark(
            words[index],
            excerpts[index] if excerpts else words[index],
            point,
            label,
        )
        for index, point, label in zip(months, points, labels, strict=True)
    ]
    return tag(
        "figure",
        tag(
            "svg",
            joined(marks),
            role="img",
            aria_label=f"{title}: {len(months)} names of months by t-SNE",
            viewbox=f"0 0 {_WIDTH} {_HEIGHT}",
            class_="months",
        ),
        tag(
            "figcaption",
            f"{title}: {len(months)} names of months among "
            f"{len(months) + len(others)} words",
        ),
    )


def _mark(word, title, point, label):
    """A point and, where there is room, its name beside it."""
    x, y = (f"{value:.1f}" for value in point)
    parts = [tag("title", title)]
    if label is not None:
        label_x, label_y = (f"{value:.1f}" for value in label)
        parts += [
            tag("line", x1=x, y1=y, x2=label_x, y2=label_y),
            tag("text", word[:3], x=label_x, y=label_y),
        ]
    parts.append(tag("circle", cx=x, cy=y, r=3))
    return tag("g", *parts, class_="may" if word == "May" else "month")
