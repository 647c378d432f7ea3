"""Which questions two models answer correctly.

Figure 2b of Seo et al. 2017.
"""

import dataclasses
import math

from bidaf_tf.report.markup import tag

_WIDTH, _HEIGHT, _MARGIN = 420, 250, 12
# Narrower parts hold no number.
_LEAST_WIDTH = 44


@dataclasses.dataclass(frozen=True)
class Agreement:
    """How many questions are answered correctly by whom.

    Attributes:
        only_model: By the model alone.
        both: By both.
        only_other: By the other one alone.
        neither: By none.
    """

    only_model: int
    both: int
    only_other: int
    neither: int


def count_agreement(judged):
    """Counts who answers correctly.

    Args:
        judged: A list of `JudgedQuestion` with other predictions.

    Returns:
        The `Agreement`.
    """
    counts = {}
    for one in judged:
        key = one.is_right, one.other_is_right
        counts[key] = counts.get(key, 0) + 1
    return Agreement(
        counts.get((True, False), 0),
        counts.get((True, True), 0),
        counts.get((False, True), 0),
        counts.get((False, False), 0),
    )


def circles(area, other_area, overlap):
    """Finds two circles with given areas that overlap in a given area.

    Args:
        area: The area of the first one.
        other_area: That of the second one.
        overlap: What they have in common, at most the smaller of the two.

    Returns:
        A tuple of the two radii and the distance of the centres.
    """
    radius, other = (math.sqrt(value / math.pi) for value in (area, other_area))
    # The overlap falls with the distance.
    near, far = abs(radius - other), radius + other
    if overlap >= min(area, other_area):
        return radius, other, near
    if overlap <= 0:
        return radius, other, far
    for _ in range(60):
        middle = (near + far) / 2
        if lens_area(radius, other, middle) > overlap:
            near = middle
        else:
            far = middle
    return radius, other, (near + far) / 2


def lens_area(radius, other, distance):
    """The area that two circles have in common.

    Args:
        radius: The first one's.
        other: The second one's.
        distance: That of their centres, between the difference of the radii
            and their sum.

    Returns:
        The area.
    """
    area = 0.0
    for own, others in ((radius, other), (other, radius)):
        # Where the chord cuts the line between the centres.
        foot = (distance**2 + own**2 - others**2) / (2 * distance)
        share = max(-1.0, min(1.0, foot / own))
        angle = math.acos(share)
        area += own**2 * (angle - share * math.sqrt(1 - share**2))
    return area


def venn_section(agreement, other_name):
    """Shows how far two models answer the same questions.

    Args:
        agreement: The `Agreement`.
        other_name: What the other predictions are called.

    Returns:
        The `Markup` of the section.
    """
    model = agreement.only_model + agreement.both
    other = agreement.only_other + agreement.both
    n = model + agreement.only_other + agreement.neither
    sentence = "The other predictions have no correct answer."
    if other:
        sentence = (
            f"The model answers {100 * agreement.both / other:.1f} % of the "
            "questions that the other predictions answer correctly."
        )
    return tag(
        "section",
        tag("h2", "Agreement"),
        tag(
            "p",
            "After figure 2b of the paper: the questions answered exactly "
            f"(EM) by the model and by another one ({other_name}). {sentence}",
        ),
        tag(
            "div",
            _picture(agreement, model, other, other_name)
            if model or other
            else None,
            _table(agreement, n),
            class_="side-by-side",
        ),
        id="agreement",
    )


def _picture(agreement, model, other, other_name):
    radius, other_radius, distance = circles(model, other, agreement.both)
    # Each circle's left and right end, the first one's centre at 0.
    left, right = -radius, radius
    other_left, other_right = distance - other_radius, distance + other_radius
    low, high = min(left, other_left), max(right, other_right)
    scale = min(
        (_WIDTH - 2 * _MARGIN) / (high - low),
        (_HEIGHT - 2 * _MARGIN) / (2 * max(radius, other_radius)),
    )

    def place(x):
        return (x - (low + high) / 2) * scale + _WIDTH / 2

    parts = [
        tag(
            "circle",
            cx=f"{place(center):.2f}",
            cy=_HEIGHT // 2,
            r=f"{own * scale:.2f}",
            class_=class_,
        )
        for center, own, class_ in (
            (0, radius, "model"),
            (distance, other_radius, "other"),
        )
    ]
    for count, begin, end in (
        (agreement.only_model, left, min(right, other_left)),
        (agreement.both, max(left, other_left), min(right, other_right)),
        (agreement.only_other, max(right, other_left), other_right),
    ):
        if count and (end - begin) * scale >= _LEAST_WIDTH:
            parts.append(
                tag(
                    "text",
                    f"{count:,}",
                    x=f"{place((begin + end) / 2):.1f}",
                    y=_HEIGHT // 2,
                )
            )
    return tag(
        "svg",
        *parts,
        role="img",
        aria_label=(
            f"Two circles: {agreement.only_model} questions are answered by "
            f"the model alone, {agreement.both} by both, "
            f"{agreement.only_other} by {other_name} alone"
        ),
        viewbox=f"0 0 {_WIDTH} {_HEIGHT}",
        class_="venn",
    )


def _table(agreement, n):
    rows = [
        tag(
            "tr",
            tag("th", name, scope="row", class_=class_),
            tag("td", f"{count:,}", class_="number"),
            tag("td", f"{100 * count / n:.1f} %", class_="number"),
        )
        for name, count, class_ in (
            ("the model alone", agreement.only_model, "key model"),
            ("both", agreement.both, "key both"),
            ("the other alone", agreement.only_other, "key other"),
            ("neither", agreement.neither, "key"),
        )
    ]
    return tag(
        "table",
        tag("caption", "Answered correctly by"),
        tag("tbody", *rows),
    )
