"""The windows of the cloze test and its sums, one word at a time.

Written from Seo et al. (2017), section 5, and Kadlec et al. (2016).
"""

import math


def windows(entities, width):
    """The first word of each mention's window, and the one after its last.

    Args:
        entities: The number of the entity that each word of a text is, −1
            where it is none.
        width: Number of words of a window.
    """
    side = (width - 1) // 2
    return [
        (max(0, place - side), min(len(entities), place + side + 1))
        for place, entity in enumerate(entities)
        if entity >= 0
    ]


def entity_probabilities(logits, entities):
    """Each entity's probability: the sum of those of its occurrences.

    Args:
        logits: A list of each window's list of logits.
        entities: A list of each window's list of entity numbers.

    Returns:
        A dictionary from entities to probabilities.
    """
    occurrences = [
        (entity, math.exp(logit))
        for window_logits, window_entities in zip(logits, entities, strict=True)
        for logit, entity in zip(window_logits, window_entities, strict=True)
        if entity >= 0
    ]
    total = sum(value for _, value in occurrences)
    sums = {}
    for entity, value in occurrences:
        sums[entity] = sums.get(entity, 0.0) + value / total
    return sums
