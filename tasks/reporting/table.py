"""Tables of a report."""

from bidaf_tf.report.markup import joined
from bidaf_tf.report.markup import tag

NOTHING = "—"


def scrolling_table(caption, header, rows, groups=(), text_columns=()):
    """Makes a table that scrolls sideways where it is wider than the page.

    Args:
        caption: What the table shows, text.
        header: The columns' names.
        rows: Lists of as many cells, text or `Markup`; the first is the row's
            name.
        groups: Tuples of a name and a number of columns: a row of headings
            above the header.
        text_columns: The numbers of the columns that hold text, besides the
            first one.

    Returns:
        The `Markup`.
    """

    def kind(column):
        return None if column in (0, *text_columns) else "number"

    head = [
        tag(
            "tr",
            *(
                tag("th", name, colspan=n_columns, scope="colgroup")
                if name
                else tag("td", colspan=n_columns)
                for name, n_columns in groups
            ),
        )
        if groups
        else None,
        tag(
            "tr",
            *(
                tag("th", name, scope="col", class_=kind(column))
                for column, name in enumerate(header)
            ),
        ),
    ]
    body = [
        tag(
            "tr",
            tag("th", row[0], scope="row"),
            *(
                tag("td", cell, class_=kind(column))
                for column, cell in enumerate(row[1:], 1)
            ),
        )
        for row in rows
    ]
    return tag(
        "div",
        tag(
            "table",
            tag("caption", caption),
            tag("thead", joined(head)),
            tag("tbody", joined(body)),
        ),
        class_="scroll",
        role="region",
        tabindex="0",
        aria_label=caption,
    )


def section(name, *children):
    """Makes a section of the page, as `make_page` takes it.

    Args:
        name: Its name.
        *children: What it holds.

    Returns:
        A tuple of the name and the `Markup`.
    """
    return name, tag(
        "section",
        tag("h2", name),
        *children,
        id=name.lower().replace(" ", "-"),
    )
