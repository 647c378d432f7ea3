import pytest

from bidaf_tf.cloze_question import ClozeQuestion
from bidaf_tf.cloze_question import is_entity


def test_tokens_and_names():
    question = ClozeQuestion(
        "a.question",
        "http://a",
        "@entity3  met\u00a0@entity1 .",
        "@placeholder left",
        entity_lines=("@entity3:Ann: a life", "@entity1:"),
    )
    assert question.context_tokens == ["@entity3", "met", "@entity1", "."]
    assert question.question_tokens == ["@placeholder", "left"]
    assert question.names == {"@entity3": "Ann: a life", "@entity1": ""}


@pytest.mark.parametrize(
    "token, expected",
    [
        ("@entity0", True),
        ("@entity1234", True),
        ("@entity", False),
        ("@entity1's", False),
        ("x@entity1", False),
        ("@entity1\n", False),
        ("@entity٣", False),
        ("@placeholder", False),
    ],
)
def test_what_is_an_entity(token, expected):
    assert is_entity(token) == expected
