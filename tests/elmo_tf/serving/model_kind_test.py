"""What can be done with a model, as its signatures tell."""

import pytest

from elmo_tf.serving.model_kind import ATTENTION_OUTPUTS
from elmo_tf.serving.model_kind import model_kind
from elmo_tf.serving.model_kind import shows_attention
from elmo_tf.serving.signature import Signature


def signature(inputs, outputs):
    return Signature(
        dict.fromkeys(inputs.split()), dict.fromkeys(outputs.split())
    )


TOKENIZE = signature("strings", "tokens sequence_len")
TOKENS = signature("tokens sequence_len", "layers elmo sequence_len")


@pytest.mark.parametrize(
    "expected, signatures",
    [
        ("neighbours", {"tokenize": TOKENIZE, "tokens": TOKENS}),
        (None, {"tokenize": TOKENIZE}),
        ("tags", {"default": signature("strings", "tags tokens probability")}),
        ("roles", {"default": signature("predicate strings", "tags tokens")}),
        (None, {"default": signature("other strings", "tags tokens")}),
        (None, {"default": signature("strings", "tags")}),
        (None, {"other": signature("strings", "tags tokens")}),
        ("label", {"default": signature("strings", "label probabilities")}),
        (
            "pair",
            {
                "default": signature(
                    "hypothesis premise", "label labels probabilities"
                )
            },
        ),
        (
            "clusters",
            {
                "default": signature("strings", "cluster first last tokens"),
                "tokens": signature(
                    "genre sentence_lengths sequence_len speakers tokens",
                    "cluster first last",
                ),
            },
        ),
        (
            "answer",
            {
                "default": signature(
                    "context question", "answer answers ends scores starts"
                )
            },
        ),
        (
            "entity",
            {
                "default": signature(
                    "context question",
                    "context_tokens entities entity probabilities",
                )
            },
        ),
        (None, {}),
    ],
)
def test_kinds(expected, signatures):
    assert model_kind(signatures) == expected


def test_attention():
    outputs = " ".join(ATTENTION_OUTPUTS)
    inspect = signature("context question", f"{outputs} answer")
    assert shows_attention({"inspect": inspect})
    assert not shows_attention({"default": inspect})
    assert not shows_attention({})
    without = signature(
        "context question", outputs.replace("context_to_query", "")
    )
    assert not shows_attention({"inspect": without})
