"""HTML in which text cannot become markup by mistake."""

import html

_LONGEST_WORD = 30


class Markup(str):
    """A piece of HTML; every other str is text, to be escaped.

    Args:
        text: The HTML.
    """


def tag(name, /, *children, **attributes):
    """Makes an element.

    Args:
        name: The element's name; not one of those that never hold anything.
        *children: What it holds: `Markup` as it stands, everything else as
            text; None is nothing.
        **attributes: The attributes, `class_` for `class` and `data_id` for
            `data-id`; True: without a value; None and False: not there.

    Returns:
        The `Markup`.
    """
    return Markup(
        f"<{name}{_attributes(attributes)}>{joined(children)}</{name}>"
    )


def empty_tag(name, /, **attributes):
    """Makes an element of HTML that holds nothing, as `input`.

    Args:
        name: The element's name.
        **attributes: As for `tag`.

    Returns:
        The `Markup`.
    """
    return Markup(f"<{name}{_attributes(attributes)}>")


def joined(parts, separator=""):
    """Puts pieces side by side.

    Args:
        parts: An iterable of what `tag` takes as children.
        separator: What stands between them, likewise.

    Returns:
        The `Markup`.
    """
    pieces = [_escaped(part) for part in parts if part is not None]
    return Markup(_escaped(separator).join(pieces))


def shortened(word):
    """Cuts a word off that would make a table wider than a page.

    Args:
        word: A word, str.

    Returns:
        The word, at most 30 characters of it and an ellipsis.
    """
    if len(word) <= _LONGEST_WORD:
        return word
    return f"{word[:_LONGEST_WORD]}…"


def _attributes(attributes):
    pieces = []
    for name, value in attributes.items():
        if value is None or value is False:
            continue
        name = name.removesuffix("_").replace("_", "-")
        # SVG's own attributes are written as they are called.
        name = {"viewbox": "viewBox"}.get(name, name)
        if value is True:
            pieces.append(f" {name}")
        else:
            pieces.append(f' {name}="{html.escape(str(value))}"')
    return "".join(pieces)


def _escaped(value):
    if isinstance(value, Markup):
        return value
    return html.escape(str(value))
