"""Figure 2 of the ELMo paper as a part of the page."""

from bidaf_tf.report.markup import Markup
from bidaf_tf.report.markup import tag
from tasks.reporting.cells import link
from tasks.reporting.grouping import bilm_name
from tasks.reporting.learned_weights import HIGH
from tasks.reporting.learned_weights import LOW
from tasks.reporting.learned_weights import layer_name
from tasks.reporting.learned_weights import learned_weights
from tasks.reporting.table import NOTHING
from tasks.reporting.table import section

_N_SHADES = 10


def learned_weights_section(variants):
    """Makes figure 2: the learnt layer weights of every trained task.

    Args:
        variants: All `Variant`s.

    Returns:
        A tuple of its name and the `Markup`; None: there are no runs for it.
    """
    weights = learned_weights(variants)
    if not weights:
        return None
    places = dict.fromkeys(one.place for one in weights)
    return section(
        "ELMo figure 2: learnt weights",
        tag(
            "p",
            "The layers’ shares s and the scale γ of equation 1 that each task "
            "has learnt, means over the seeds (figure 2 of the ELMo paper, "
            "which prints no numbers). As there, shares below 1/3 are hatched "
            "and those above 2/3 speckled; the darker, the larger. The paper "
            "says: at the input the first biLSTM layer is favoured, most of "
            "all in coreference and SQuAD; at the output the weights are "
            "balanced, with a slight preference for the lower layers. With a "
            "large λ the shares can hardly leave their start, where all are "
            "equal.",
            class_="note",
        ),
        *(
            _picture(place, [one for one in weights if one.place == place])
            for place in places
        ),
    )


def _picture(place, weights):
    n_layers = max(
        (len(one.shares) for one in weights if one.shares), default=0
    )
    bilms = dict.fromkeys(bilm_name(one.variant) for one in weights)
    caption = f"ELMo at the {place}, from {', '.join(bilms)}"
    header = ["task", *map(layer_name, range(n_layers)), "γ", "seeds"]
    body = [
        tag(
            "tr",
            tag("th", link(one.variant.number, one.name), scope="row"),
            *_cells(one.shares, n_layers),
            tag(
                "td",
                NOTHING if one.gamma is None else f"{one.gamma:.2f}",
                class_="number",
            ),
            tag("td", len(one.variant.seeds), class_="number"),
        )
        for one in weights
    ]
    return tag(
        "div",
        tag(
            "table",
            tag("caption", caption),
            tag(
                "thead",
                tag(
                    "tr",
                    *(
                        tag(
                            "th",
                            name,
                            scope="col",
                            class_="number" if name in ("γ", "seeds") else None,
                        )
                        for name in header
                    ),
                ),
            ),
            tag("tbody", *body),
        ),
        class_="scroll",
        role="region",
        tabindex="0",
        aria_label=caption,
    )


def _cells(shares, n_layers):
    if shares is None:
        return (
            [tag("td", "one layer only", colspan=n_layers)] if n_layers else []
        )
    cells = [_share(share) for share in shares]
    return cells + [Markup("<td></td>")] * (n_layers - len(shares))


def _share(share):
    shade = min(int(_N_SHADES * share), _N_SHADES - 1)
    names = ["share", f"share-{shade}"]
    if share < LOW:
        names.append("low")
    elif share > HIGH:
        names.append("high")
    return tag(
        "td", tag("span", tag("b", f"{share:.2f}")), class_=" ".join(names)
    )
