"""The learnt weights of a biLM's layers: figure 2 of the ELMo paper."""

import dataclasses

from tasks.reporting.grouping import bilm_name
from tasks.reporting.grouping import common_folder
from tasks.reporting.grouping import elmo_text
from tasks.reporting.grouping import families
from tasks.reporting.grouping import task_title
from tasks.reporting.variant import Variant

# The paper hatches shares below and speckles those above.
LOW, HIGH = 1 / 3, 2 / 3


@dataclasses.dataclass(frozen=True)
class LearnedWeights:
    """The weights that a task model has learnt at one place.

    Attributes:
        variant: The `Variant`.
        name: The task's name and how ELMo is used, text.
        place: "input" or "output".
        gamma: γ, the mean over the seeds; None: there is none.
        shares: The layers' shares, the token layer first, the means over the
            seeds; None: the model takes one layer only.
    """

    variant: Variant
    name: str
    place: str
    gamma: float | None
    shares: list | None


def learned_weights(variants):
    """Lists what was learnt, task by task and place by place.

    Args:
        variants: A list of `Variant`.

    Returns:
        A list of `LearnedWeights`.
    """
    names = _names(variants)
    return [
        LearnedWeights(variant, names[variant.number], place, gamma, shares)
        for variant in variants
        for place, (gamma, shares) in variant.layer_weights().items()
    ]


def layer_name(layer):
    """The name of a layer by its number: 0 is the token layer."""
    return f"LSTM {layer}" if layer else "token layer"


def _names(variants):
    """The variants' names; those of another family have its folder."""
    with_elmo = [variant for variant in variants if variant.uses_elmo]
    has_several = len({bilm_name(variant) for variant in with_elmo}) > 1
    groups = families(with_elmo)
    titles = [task_title(group[0]) for group in groups]
    names = {}
    for title, group in zip(titles, groups, strict=True):
        for variant in group:
            use = elmo_text(variant, with_place=False, with_bilm=has_several)
            name = f"{title}: {use}"
            if variant.fraction != 1.0:
                name += f", {100 * variant.fraction:g} % of the data"
            if titles.count(title) > 1:
                name += f" ({common_folder(group)})"
            names[variant.number] = name
    return names
