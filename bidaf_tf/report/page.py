"""One HTML file with all that it needs."""

import base64
import hashlib
import pathlib

from bidaf_tf.report.markup import Markup
from bidaf_tf.report.markup import empty_tag
from bidaf_tf.report.markup import joined
from bidaf_tf.report.markup import tag

_ASSETS = pathlib.Path(__file__).parent / "assets"


def make_page(title, head, sections):
    """Makes the page.

    Args:
        title: Its title.
        head: `Markup` that stands first.
        sections: A list of tuples of a name for the contents and the `Markup`
            of a section, whose id is the name in small letters, with `-` for
            spaces.

    Returns:
        The page's text.
    """
    # As they stand: neither holds what would end its element.
    style = Markup((_ASSETS / "report.css").read_text(encoding="utf-8"))
    script = Markup((_ASSETS / "report.js").read_text(encoding="utf-8"))
    # The browser is to load nothing, and to run nothing else.
    policy = (
        f"default-src 'none'; style-src {_source(style)}; "
        f"script-src {_source(script)}; base-uri 'none'; form-action 'none'"
    )
    links = [
        tag("a", name, href=f"#{name.lower().replace(' ', '-')}")
        for name, _ in sections
    ]
    page = tag(
        "html",
        tag(
            "head",
            empty_tag("meta", charset="utf-8"),
            empty_tag(
                "meta",
                **{"http-equiv": "Content-Security-Policy"},
                content=policy,
            ),
            empty_tag(
                "meta",
                name="viewport",
                content="width=device-width, initial-scale=1",
            ),
            tag("title", title),
            tag("style", style),
        ),
        tag(
            "body",
            tag("h1", title),
            head,
            tag("nav", joined(links, " "), aria_label="Contents"),
            tag("main", *(section for _, section in sections)),
            tag("script", script),
        ),
        lang="en",
    )
    return f"<!DOCTYPE html>\n{page}\n"


def _source(text):
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
