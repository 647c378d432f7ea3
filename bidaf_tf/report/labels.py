"""Names beside points, none on top of another."""

import math

# How far from its point a name may stand, in its heights, the nearest first.
_DISTANCES = (0.9, 1.8, 2.7, 3.6, 4.5, 5.4)
_N_DIRECTIONS = 12
# Half of a point's width.
_POINT = 2


def place_labels(points, size, frame):
    """Finds a place for the name of each point, near to it.

    Args:
        points: A sequence of pairs of numbers.
        size: Width and height of a name.
        frame: Width and height of the picture, which begins at 0.

    Returns:
        A list of the middle of each name, a pair of numbers; None where there
        is no room. No name overlaps another one, a point or the frame.
    """
    places = []
    for x, y in points:
        places.append(
            next(
                (
                    place
                    for place in _around(x, y, size)
                    if _is_free(place, places, points, size, frame)
                ),
                None,
            )
        )
    return places


def _around(x, y, size):
    """Yields places around a point, above it first."""
    width, height = size
    for distance in _DISTANCES:
        for number in range(_N_DIRECTIONS):
            angle = 2 * math.pi * number / _N_DIRECTIONS
            yield (
                x + math.sin(angle) * (width / 2 + distance * height / 2),
                y - math.cos(angle) * distance * height,
            )


def _is_free(place, places, points, size, frame):
    """Whether a name there is in the frame, and off other names and points."""
    obstacles = [(other, size) for other in places if other is not None]
    obstacles += [
        (point, (size[0] / 2 + _POINT, size[1] / 2 + _POINT))
        for point in points
    ]
    return all(
        extent / 2 <= value <= whole - extent / 2
        for value, extent, whole in zip(place, size, frame, strict=True)
    ) and all(
        abs(place[0] - other[0]) >= width or abs(place[1] - other[1]) >= height
        for other, (width, height) in obstacles
    )
