import numpy as np
import pytest
import tensorflow as tf

from tasks.coref.antecedents import find_clusters
from tasks.coref.links import join_links
from tasks.coref.links import list_links
from tasks.coref.links import mention_probabilities

LEAST = np.finfo(np.float32).min


def make_outputs(spans, scores, n_places=None, mention_scores=None):
    """One document's outputs, with places that are not kept.

    The table in which their mention scores stand has no other spans.
    """
    n_places = n_places or len(spans)
    n_before = max(map(len, scores)) - 1
    values = np.full([1, n_places, 1 + n_before], LEAST, np.float32)
    values[:, :, 0] = 0
    for row, own in zip(values[0], scores, strict=False):
        row[: len(own)] = own
    bounds = np.zeros([2, n_places], np.int32)
    bounds[:, : len(spans)] = np.transpose(spans)
    outputs = {
        "first": tf.constant(bounds[:1]),
        "last": tf.constant(bounds[1:]),
        "mask": tf.constant([np.arange(n_places) < len(spans)]),
        "scores": tf.constant(values),
    }
    if mention_scores is not None:
        outputs["places"] = tf.maximum(
            len(spans) - 1 - tf.range(n_places)[tf.newaxis], 0
        )
        outputs["mention_scores"] = tf.constant([[mention_scores[::-1]]])
    return outputs


def join(*members):
    links = [list_links(member) for member in members]
    return join_links(
        {
            name: np.concatenate([member[name][0] for member in links])
            for name in links[0]
        },
        len(members),
    )


A, B, C, D = (0, 0), (1, 2), (2, 2), (4, 6)


def test_links_of_one_model():
    links = list_links(make_outputs([A, B, C], [[0], [0, 1], [0, 2, 3]], 4))
    e = np.e
    total = 1 + e**2 + e**3
    expected = [
        (A, (-1, -1), 1),
        (B, (-1, -1), 1 / (1 + e)),
        (B, A, e / (1 + e)),
        (C, (-1, -1), 1 / total),
        (C, B, e**2 / total),
        (C, A, e**3 / total),
    ]
    found = [
        ((first, last), (before_first, before_last), probability)
        for first, last, before_first, before_last, probability in zip(
            *(
                links[name][0].numpy().tolist()
                for name in (
                    *("first", "last", "antecedent_first"),
                    *("antecedent_last", "probability"),
                )
            ),
            strict=True,
        )
        if probability > 0
    ]
    assert [link[:2] for link in found] == [link[:2] for link in expected]
    np.testing.assert_allclose(
        [link[2] for link in found], [link[2] for link in expected], rtol=1e-6
    )


def test_the_mean_decides():
    """One is very sure, two are not quite."""
    sure = make_outputs([A, B], [[0], [0, 5]])
    unsure = make_outputs([A, B], [[0], [0, -0.3]])
    assert join(sure, unsure, unsure) == [[A, B]]
    assert join(unsure, unsure, unsure) == []


def test_who_has_not_kept_a_span_is_sure_of_none():
    finds = make_outputs([A, C, D], [[0], [0, -9], [0, -9, 3]])
    lacks = make_outputs([A, B], [[0], [0, -9]], 5)
    assert join(finds) == [[A, D]]
    assert join(finds, finds, lacks) == [[A, D]]
    # 0.95 of two against one and 0.05.
    assert join(finds, lacks) == []


def test_mentions_that_are_alone():
    scores = [[0], [0, -9], [0, -9, 3]]
    sure = make_outputs([A, B, C], scores, 4, [-2.0, 3.0, -2.0])
    np.testing.assert_allclose(
        mention_probabilities(sure),
        [[1 / (1 + np.e**2), 1 / (1 + np.e**-3), 1 / (1 + np.e**2), 0]],
        rtol=1e-5,
    )
    assert sorted(join(sure)) == [[A, C], [B]]
    unsure = make_outputs([A, B, C], scores, 4, [-2.0, -1.0, -2.0])
    assert join(unsure, unsure) == [[A, C]]
    # 0.95 and 0.27.
    assert sorted(join(sure, unsure)) == [[A, C], [B]]
    # 0.95 and nothing.
    lacks = make_outputs([A, C], [[0], [0, 3]], 2, [-2.0, -2.0])
    assert join(sure, lacks) == [[A, C]]


def test_a_mention_alone_gets_company():
    outputs = make_outputs([A, B], [[0], [0, 3]], mention_scores=[5.0, 5.0])
    assert join(outputs) == [[A, B]]


def test_clusters_are_transitive():
    model = make_outputs(
        [A, B, C, D], [[0], [0, 2], [0, -1, -1], [0, -1, 3, -1]]
    )
    assert join(model, model) == [[A, B, D]]


def test_spans_that_cross_do_not_share_a_cluster():
    """A model thinks that its span is an antecedent, the others are unsure."""
    crossing, after = (4, 6), (5, 5)
    sure = make_outputs(
        [A, C, crossing, after], [[0], [0, -9], [0, -9, -9], [0, 9, -9, -9]]
    )
    unsure = make_outputs(
        [A, C, after, (5, 7)], [[0], [0, -9], [0, 0.2, 0.2], [0, 9, -9, -9]]
    )
    assert join(sure) == [[crossing, after]]
    assert join(unsure, unsure) == [[C, after, (5, 7)]]
    assert join(sure, unsure, unsure) == [[crossing, after]]


def test_an_empty_document():
    nothing = make_outputs([A], [[0]])
    nothing["mask"] = ~nothing["mask"]
    assert join(nothing, nothing) == []


@pytest.mark.parametrize("n_values", [3, 1000])
def test_one_model_twice_is_the_model(n_values):
    generator = np.random.default_rng(n_values)
    spans = [(2 * i, 2 * i + 1) for i in range(9)]
    for _ in range(20):
        scores = [
            [0, *generator.integers(-n_values, n_values, size=min(i, 4)) / 100]
            for i in range(9)
        ]
        outputs = make_outputs(spans, scores)
        numbers = find_clusters(outputs["scores"], outputs["mask"])[0].numpy()
        expected = [
            [spans[i] for i in np.flatnonzero(numbers == number)]
            for number in sorted(set(numbers) - {-1})
        ]
        found = join(outputs, outputs)
        assert sorted(map(sorted, found)) == expected
