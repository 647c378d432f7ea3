"""Text does not become markup."""

from bidaf_tf.report.markup import Markup
from bidaf_tf.report.markup import empty_tag
from bidaf_tf.report.markup import joined
from bidaf_tf.report.markup import shortened
from bidaf_tf.report.markup import tag


def test_children():
    found = tag("p", "a<b & ", tag("b", "c"), None, 3)
    assert found == "<p>a&lt;b &amp; <b>c</b>3</p>"
    assert isinstance(found, Markup)


def test_attributes():
    assert (
        tag(
            "a",
            class_="x y",
            data_id='"><script>',
            hidden=True,
            checked=False,
            title=None,
            viewbox="0 0 1 1",
            height=0,
        )
        == '<a class="x y" data-id="&quot;&gt;&lt;script&gt;" hidden '
        'viewBox="0 0 1 1" height="0"></a>'
    )
    assert empty_tag("input", name="'") == '<input name="&#x27;">'


def test_joined():
    assert joined(["<", Markup("<br>"), None, "&"], " > ") == (
        "&lt; &gt; <br> &gt; &amp;"
    )


def test_shortened():
    assert shortened("x" * 30) == "x" * 30
    assert shortened("x" * 31) == "x" * 30 + "…"
