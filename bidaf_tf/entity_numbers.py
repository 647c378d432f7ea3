"""Which tokens are which entities, in the graph.

What belongs together, a context and its question, are several texts: a list of
batches, each of them tokens, string `[batch, time]`, anything at padding, and
their numbers, int32 `[batch]`. An entity's number is its place among the
entities of these texts in the order of their first occurrences, 0, 1, …,
whatever they are called.
"""

import tensorflow as tf

from bidaf_tf.cloze_question import ENTITY_PATTERN

_NONE = -1


def number_entities(texts):
    """Numbers the entities of texts that belong together.

    Args:
        texts: As above.

    Returns:
        A list of int32 `[batch, time]`, one for each of the texts: the number
        of the entity that a token is, −1 where it is none.
    """
    # [batch, time of all texts]
    tokens = tf.concat([tokens for tokens, _ in texts], axis=1)
    mask = tf.concat([_mask(*text) for text in texts], axis=1)
    is_entity = mask & tf.strings.regex_full_match(tokens, ENTITY_PATTERN)
    shape = tf.shape(tokens)
    names, name_ids = tf.unique(tf.reshape(tokens, [-1]))
    places = tf.broadcast_to(tf.range(shape[1]), shape)
    # [batch · time] → [batch, time]: a name in a row.
    keys = tf.reshape(name_ids, shape)
    keys += tf.size(names) * tf.range(shape[0])[:, tf.newaxis]
    # [batch, time] → [batch · names] → [batch, time]
    first_places = tf.gather(
        tf.math.unsorted_segment_min(
            tf.where(is_entity, places, shape[1]),
            keys,
            shape[0] * tf.size(names),
        ),
        keys,
    )
    is_first = is_entity & tf.equal(first_places, places)
    n_before = tf.cumsum(tf.cast(is_first, tf.int32), axis=1, exclusive=True)
    first_places = tf.where(is_entity, first_places, 0)
    numbers = tf.where(
        is_entity, tf.gather(n_before, first_places, batch_dims=1), _NONE
    )
    return tf.split(
        numbers, [tf.shape(tokens)[1] for tokens, _ in texts], axis=1
    )


def entity_names(texts, numbers):
    """Tells what entities are called.

    Args:
        texts: As above.
        numbers: What `number_entities` returned for them.

    Returns:
        String `[batch, entities]`: by their numbers, and empty strings where a
        row has fewer than others.
    """
    tokens = tf.concat([tokens for tokens, _ in texts], axis=1)
    numbers = tf.concat(numbers, axis=1)
    shape = tf.shape(tokens)
    n_entities = _n_entities(numbers)
    keys = n_entities * tf.range(shape[0])[:, tf.newaxis] + numbers
    places = tf.math.unsorted_segment_min(
        tf.broadcast_to(tf.range(shape[1]), shape),
        # What is negative does not count.
        tf.where(numbers >= 0, keys, _NONE),
        shape[0] * n_entities,
    )
    # [batch · entities] → [batch, entities]; beyond the end: there is none.
    places = tf.reshape(tf.minimum(places, shape[1]), [shape[0], n_entities])
    tokens = tf.pad(tokens, [[0, 0], [0, 1]], constant_values="")
    return tf.gather(tokens, places, batch_dims=1)


def shuffled_ids(texts, numbers):
    """Draws an order of the entities that the texts determine.

    What the entities are called makes no difference, nor do other rows.

    Args:
        texts: As above.
        numbers: What `number_entities` returned for them.

    Returns:
        int32 `[batch, entities]`: the ids 0, 1, … in an order at random, −1
        where a row has fewer entities than others.
    """
    lines = []
    for (tokens, lengths), own in zip(texts, numbers, strict=True):
        # A space behind each token, so that none stands for padding.
        tokens = tf.strings.join([_renamed(tokens, own, own), " "])
        lines.append(
            tf.strings.reduce_join(
                tf.where(_mask(tokens, lengths), tokens, ""), axis=1
            )
        )
    # [batch]
    content = _hash(tf.strings.join(lines, "\n"))
    numbers = tf.concat(numbers, axis=1)
    entities = tf.range(_n_entities(numbers))
    # [batch, time, entities] → [batch, entities]
    is_there = tf.reduce_any(
        tf.equal(numbers[:, :, tf.newaxis], entities), axis=1
    )
    keys = _hash(
        tf.strings.join(
            [
                tf.strings.as_string(tf.broadcast_to(part, tf.shape(is_there)))
                for part in (content[:, tf.newaxis], entities)
            ],
            " ",
        )
    )
    # What is not there stands at the end.
    order = tf.argsort(
        tf.where(is_there, keys, tf.int64.max), axis=1, stable=True
    )
    return tf.where(is_there, tf.argsort(order, axis=1), _NONE)


def rename_entities(texts, numbers, ids):
    """Calls entities by other ids.

    Args:
        texts: As above.
        numbers: What `number_entities` returned for them.
        ids: int32 `[batch, entities]`: their ids, by their numbers.

    Returns:
        The texts, in which the entity with the id 0 is `@entity0`.
    """
    # A column, as there may be no entity at all.
    ids = tf.pad(ids, [[0, 0], [0, 1]])
    return [
        (
            _renamed(
                tokens, own, tf.gather(ids, tf.maximum(own, 0), batch_dims=1)
            ),
            lengths,
        )
        for (tokens, lengths), own in zip(texts, numbers, strict=True)
    ]


def _mask(tokens, lengths):
    return tf.sequence_mask(lengths, tf.shape(tokens)[1])


def _n_entities(numbers):
    """How many entities a row has at most, `[batch, time]` → `[]`."""
    return tf.reduce_max(tf.pad(numbers, [[0, 1], [0, 1]])) + 1


def _hash(strings):
    return tf.strings.to_hash_bucket_fast(strings, tf.int64.max)


def _renamed(tokens, numbers, ids):
    names = tf.strings.join(["@entity", tf.strings.as_string(ids)])
    return tf.where(numbers >= 0, names, tokens)
