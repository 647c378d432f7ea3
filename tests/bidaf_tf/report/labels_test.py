"""Names that do not overlap, each pair looked at."""

import itertools

import numpy as np
import pytest

from bidaf_tf.report.labels import place_labels

SIZE, FRAME = (30, 15), (480, 400)


@pytest.mark.parametrize("spread, n", [(5, 12), (100, 40), (30, 300)])
def test_no_two_overlap(spread, n):
    generator = np.random.default_rng(0)
    points = generator.normal([240, 200], spread, size=[n, 2]).tolist()
    points = [(min(max(x, 0), 480), min(max(y, 0), 400)) for x, y in points]
    places = place_labels(points, SIZE, FRAME)
    assert len(places) == n
    placed = [place for place in places if place is not None]
    # There is room for some, for all if they are few.
    assert len(placed) == n if n < 50 else 10 < len(placed) < n
    for (x, y), (x_2, y_2) in itertools.combinations(placed, 2):
        assert abs(x - x_2) >= 30 or abs(y - y_2) >= 15
    for x, y in placed:
        assert 15 <= x <= 465 and 7.5 <= y <= 392.5
    for (x, y), place in zip(points, places, strict=True):
        if place is not None:
            assert abs(x - place[0]) < 56 and abs(y - place[1]) < 82
    for (x, y), point in itertools.product(placed, points):
        assert abs(x - point[0]) >= 17 or abs(y - point[1]) >= 9.5


def test_alone_it_stands_above():
    assert place_labels([(100, 100)], SIZE, FRAME) == [(100, 86.5)]
    # At the upper edge there is no room for that.
    (place,) = place_labels([(100, 2)], SIZE, FRAME)
    assert place[1] > 2
