"""One HTML file with all that it needs."""

import base64
import hashlib
import pathlib

from bidaf_tf.report.markup import Markup
from bidaf_tf.report.markup import empty_tag
from bidaf_tf.report.markup import joined
from bidaf_tf.report.markup import tag

_ASSETS = pathlib.Path(__file__).parent / "assets"
_NOTHING = "'none'"


def make_page(title, head, sections, style, script=None):
    """Makes the page.

    Args:
        title: Its title.
        head: `Markup` that stands first.
        sections: A list of tuples of a name for the contents and the `Markup`
            of a section, whose id is the name in small letters, with `-` for
            spaces.
        style: CSS for what is special to the page. Like the script, it holds
            nothing that would end its element.
        script: JavaScript that runs when the page is there; None: none.

    Returns:
        The page's text.
    """
    shared_style = (_ASSETS / "page.css").read_text(encoding="utf-8")
    style = Markup(f"{shared_style}{style}")
    # The browser is to load nothing, and to run nothing else.
    policy = (
        f"default-src 'none'; style-src {_source(style)}; "
        f"script-src {_source(script) if script else _NOTHING}; "
        "base-uri 'none'; form-action 'none'"
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
            tag("script", Markup(script)) if script else None,
        ),
        lang="en",
    )
    return f"<!DOCTYPE html>\n{page}\n"


def _source(text):
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
