"""How well questions are answered, by their first words.

Figure 2c of Seo et al. 2017.
"""

import dataclasses

from bidaf_tf.report.markup import joined
from bidaf_tf.report.markup import shortened
from bidaf_tf.report.markup import tag

_N_WORDS = 10


@dataclasses.dataclass(frozen=True)
class FirstWord:
    """The questions that begin with a word.

    Attributes:
        word: The word, in small letters.
        n: How many questions there are.
        n_right: How many of them the model answers correctly.
        n_other_right: How many the other predictions do; None: there are none.
    """

    word: str
    n: int
    n_right: int
    n_other_right: int | None


def count_first_words(judged, questions_tokens, with_other, n_words=_N_WORDS):
    """Counts correct answers by the questions' first words.

    Args:
        judged: A list of `JudgedQuestion`.
        questions_tokens: A list of the tokens of each; of a blank one, none.
        with_other: Whether there are other predictions.
        n_words: How many words to take, the most frequent.

    Returns:
        A list of `FirstWord`, the most frequent first, of equals the one that
        comes first in the alphabet.
    """
    groups = {}
    for one, tokens in zip(judged, questions_tokens, strict=True):
        if tokens:
            groups.setdefault(tokens[0].lower(), []).append(one)
    words = sorted(groups, key=lambda word: (-len(groups[word]), word))
    return [
        FirstWord(
            word,
            len(groups[word]),
            sum(one.is_right for one in groups[word]),
            sum(one.other_is_right for one in groups[word])
            if with_other
            else None,
        )
        for word in words[:n_words]
    ]


def first_words_section(counts, other_name):
    """Shows the shares of correct answers.

    Args:
        counts: What `count_first_words` gives.
        other_name: What the other predictions are called; None: there are none.

    Returns:
        The `Markup` of the section.
    """
    rows = [
        tag(
            "tr",
            tag("th", shortened(count.word), scope="row", dir="auto"),
            tag("td", f"{count.n:,}", class_="number"),
            _share(count.n_right, count.n, "model"),
            None
            if other_name is None
            else _share(count.n_other_right, count.n, "other"),
        )
        for count in counts
    ]
    return tag(
        "section",
        tag("h2", "First words"),
        tag(
            "p",
            "After figure 2c of the paper: the share of questions answered "
            f"exactly (EM), by the {_N_WORDS} most frequent first words of "
            "questions.",
            None if other_name is None else f" The other is {other_name}.",
        ),
        tag(
            "table",
            tag(
                "thead",
                tag(
                    "tr",
                    tag("th", "First word", scope="col"),
                    tag("th", "Questions", scope="col", class_="number"),
                    tag("th", "The model", scope="col"),
                    None
                    if other_name is None
                    else tag("th", "The other", scope="col"),
                ),
            ),
            tag("tbody", joined(rows)),
            class_="first-words",
        ),
        id="first-words",
    )


def _share(n_right, n, class_):
    share = 100 * n_right / n
    bar = tag(
        "svg",
        tag(
            "rect",
            x=0,
            y=0,
            width=f"{share:.1f}",
            height=10,
            class_=class_,
        ),
        viewbox="0 0 100 10",
        preserveAspectRatio="none",
        aria_hidden="true",
        class_="bar",
    )
    return tag("td", tag("span", f"{share:.1f} %"), bar, class_="share")
