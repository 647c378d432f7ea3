"""The page stands by itself."""

import base64
import hashlib
import html.parser
import re

from bidaf_tf.report.markup import tag
from bidaf_tf.report.page import make_page


class Texts(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.texts, self.open = {}, []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)

    def handle_endtag(self, tag):
        while self.open.pop() != tag:
            pass

    def handle_data(self, data):
        if self.open:
            name = self.open[-1]
            self.texts[name] = self.texts.get(name, "") + data


def test_page():
    section = tag("section", "x", id="some-words")
    page = make_page(
        "<Title>",
        tag("p", "head"),
        [("Some words", section)],
        "b { color: red; }",
        "if (1 < 2) {}",
    )
    reader = Texts()
    reader.feed(page)
    assert page.startswith("<!DOCTYPE html>\n<html lang=")
    assert reader.texts["title"] == "<Title>"
    assert '<a href="#some-words">Some words</a>' in page
    # What the policy allows is what stands there, and it is whole.
    policy = re.search(r'Security-Policy" content="(.*?)"', page)[1]
    policy = policy.replace("&#x27;", "'")
    assert policy.startswith("default-src 'none'; ")
    for name in ("style", "script"):
        digest = hashlib.sha256(reader.texts[name].encode()).digest()
        source = f"'sha256-{base64.b64encode(digest).decode()}'"
        assert f"{name}-src {source};" in policy
    assert "--model:" in reader.texts["style"]
    assert reader.texts["style"].endswith("b { color: red; }")
    assert reader.texts["script"] == "if (1 < 2) {}"


def test_a_page_without_a_script():
    page = make_page("Title", tag("p", "head"), [], "")
    assert "script-src &#x27;none&#x27;;" in page
    assert "<script" not in page
