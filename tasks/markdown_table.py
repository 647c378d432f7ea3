"""Tables to read and to paste into Markdown."""


def markdown_table(header, rows):
    """Formats a table, as Markdown with its columns aligned.

    Args:
        header: The columns' names.
        rows: Lists of as many cells, strings; the first column is the names'.

    Returns:
        The text, without a newline at its end.
    """
    widths = [
        max(len(row[column]) for row in [header, *rows])
        for column in range(len(header))
    ]
    lines = [
        "| "
        + " | ".join(
            cell.rjust(width) if column else cell.ljust(width)
            for column, (cell, width) in enumerate(
                zip(row, widths, strict=True)
            )
        )
        + " |"
        for row in [header, *rows]
    ]
    rule = [
        "-" * (width + 1) + (":" if column else "-")
        for column, width in enumerate(widths)
    ]
    lines.insert(1, "|" + "|".join(rule) + "|")
    return "\n".join(lines)
