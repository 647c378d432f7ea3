"""Line charts as SVG that follows the page's colours."""

import dataclasses
import math

from bidaf_tf.report.markup import tag

N_COLORS = 8
_WIDTH, _HEIGHT = 360, 230
_LEFT, _RIGHT, _TOP, _BOTTOM = 40, 18, 10, 36
_N_TICKS = 7


@dataclasses.dataclass(frozen=True)
class Series:
    """What is drawn in one colour.

    Attributes:
        name: What the legend calls it, text or `Markup`.
        lines: Lists of points, tuples of two numbers; what is not finite is
            left out.
        has_markers: Whether each point is marked.
    """

    name: str
    lines: tuple
    has_markers: bool = False


def line_chart(title, x_label, y_label, series, is_log=False, x_ticks=None):
    """Draws lines, with a legend below.

    Args:
        title: What is drawn, text: the chart's caption and its description.
        x_label: The name of the horizontal axis.
        y_label: The name of the vertical axis.
        series: A list of `Series`.
        is_log: Whether the horizontal axis is logarithmic.
        x_ticks: A dictionary from place on the horizontal axis to label; None:
            they are chosen.

    Returns:
        The `Markup`, a figure.
    """
    series = [
        dataclasses.replace(one, lines=tuple(map(_finite, one.lines)))
        for one in series
    ]
    points = [point for one in series for line in one.lines for point in line]
    if not points:
        return tag("p", f"{title}: no finite figures to draw.", class_="note")
    x_scale = _Scale([x for x, _ in points], _LEFT, _WIDTH - _RIGHT, is_log)
    y_scale = _Scale([y for _, y in points], _HEIGHT - _BOTTOM, _TOP)
    if x_ticks is None:
        x_ticks = {value: f"{value:,g}" for value in x_scale.ticks()}
    axes = [*_x_axis(x_scale, x_ticks, x_label), *_y_axis(y_scale, y_label)]
    drawn = []
    for number, one in enumerate(series):
        for line in one.lines:
            places = [(x_scale(x), y_scale(y)) for x, y in line]
            drawn.append(_line(places, _color(number)))
            if one.has_markers or len(line) == 1:
                drawn += [
                    tag(
                        "circle",
                        cx=f"{x:.1f}",
                        cy=f"{y:.1f}",
                        r=3,
                        class_=_color(number),
                    )
                    for x, y in places
                ]
    return tag(
        "figure",
        tag("figcaption", title),
        tag(
            "svg",
            tag("title", f"{title}: {y_label} by {x_label}"),
            *axes,
            *drawn,
            viewbox=f"0 0 {_WIDTH} {_HEIGHT}",
            role="img",
            class_="chart",
        ),
        tag(
            "ul",
            *(
                tag("li", _key(number), tag("span", one.name))
                for number, one in enumerate(series)
            ),
            class_="keys",
        ),
    )


class _Scale:
    """Where numbers lie on an axis.

    Args:
        values: The numbers.
        start: The place of the smallest.
        end: The place of the largest.
        is_log: Whether the axis is logarithmic.
    """

    def __init__(self, values, start, end, is_log=False):
        self._convert = math.log if is_log else float
        self._low, self._high = min(values), max(values)
        if self._low == self._high:
            margin = abs(self._low) / 10 or 1.0
            self._low, self._high = self._low - margin, self._high + margin
        self._start, self._end = start, end

    def __call__(self, value):
        low, high = self._convert(self._low), self._convert(self._high)
        share = (self._convert(value) - low) / (high - low)
        return self._start + share * (self._end - self._start)

    def ticks(self):
        """Round numbers in between, about as many as are readable."""
        rough = (self._high - self._low) / _N_TICKS
        power = 10 ** math.floor(math.log10(rough))
        step = next(
            factor * power
            for factor in (1, 2, 5, 10)
            if factor * power >= rough
        )
        first = math.ceil(self._low / step - 1e-9)
        last = math.floor(self._high / step + 1e-9)
        return [round(number * step, 10) for number in range(first, last + 1)]


def _x_axis(scale, ticks, label):
    for value, text in ticks.items():
        x = f"{scale(value):.1f}"
        yield tag("line", x1=x, x2=x, y1=_TOP, y2=_HEIGHT - _BOTTOM)
        yield tag("text", text, x=x, y=_HEIGHT - _BOTTOM + 14, class_="x")
    yield tag(
        "text",
        label,
        x=(_LEFT + _WIDTH - _RIGHT) / 2,
        y=_HEIGHT - 4,
        class_="x label",
    )


def _y_axis(scale, label):
    for value in scale.ticks():
        y = f"{scale(value):.1f}"
        yield tag("line", x1=_LEFT, x2=_WIDTH - _RIGHT, y1=y, y2=y)
        yield tag("text", f"{value:g}", x=_LEFT - 5, y=y, class_="y")
    yield tag(
        "text",
        label,
        x=0,
        y=0,
        transform=f"translate(10 {(_TOP + _HEIGHT - _BOTTOM) / 2}) rotate(-90)",
        class_="x label",
    )


def _line(places, color):
    text = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    return tag("polyline", points=text, class_=color)


def _key(number):
    return tag(
        "svg",
        tag("line", x1=0, x2=20, y1=5, y2=5, class_=_color(number)),
        viewbox="0 0 20 10",
        aria_hidden="true",
    )


def _color(number):
    return f"color-{number % N_COLORS}"


def _finite(line):
    return [(x, y) for x, y in line if math.isfinite(x) and math.isfinite(y)]
