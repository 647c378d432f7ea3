"""What a page's tables say."""

import html.parser


class _Reader(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.tables = []
        self._cell = None

    def handle_starttag(self, tag, attrs):
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th", "caption"):
            self._cell = []
        elif tag == "small" and self._cell is not None:
            self._cell.append(" | ")

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            text = " ".join("".join(self._cell).split())
            self.tables[-1][-1].append(text)
        if tag in ("td", "th", "caption"):
            self._cell = None

    def handle_data(self, data):
        if self._cell is not None:
            self._cell.append(data)


def read_tables(text):
    """Reads the tables of a piece of HTML.

    Args:
        text: The HTML.

    Returns:
        A list of tables, lists of rows, lists of the cells' texts; ` | ` stands
        before a cell's small print.
    """
    reader = _Reader()
    reader.feed(text)
    return reader.tables
