"""What can be done with a model, as its signatures tell."""

# By kind: the signatures that it needs, each with its inputs and with outputs
# that must be among its own.
_KINDS = {
    "neighbours": {
        "tokenize": ({"strings"}, {"tokens", "sequence_len"}),
        "tokens": ({"tokens", "sequence_len"}, {"layers"}),
    },
    "tags": {"default": ({"strings"}, {"tags", "tokens"})},
    "roles": {"default": ({"predicate", "strings"}, {"tags", "tokens"})},
    "label": {"default": ({"strings"}, {"label", "probabilities"})},
    "pair": {
        "default": ({"hypothesis", "premise"}, {"label", "probabilities"})
    },
    "clusters": {
        "tokens": (
            {
                *("genre", "sentence_lengths", "sequence_len", "speakers"),
                "tokens",
            },
            {"cluster", "first", "last"},
        )
    },
    "answer": {
        "default": (
            {"context", "question"},
            {"answer", "answers", "ends", "scores", "starts"},
        )
    },
    "entity": {
        "default": (
            {"context", "question"},
            {"context_tokens", "entities", "entity", "probabilities"},
        )
    },
}
ATTENTION_SIGNATURE = "inspect"
ATTENTION_OUTPUTS = (
    *("context_tokens", "context_starts", "context_ends", "question_tokens"),
    *("context_sequence_len", "question_sequence_len"),
    *("context_to_query", "query_to_context"),
)


def model_kind(signatures):
    """Tells what can be done with a model.

    Args:
        signatures: A dictionary from names to `Signature`.

    Returns:
        "neighbours": a biLM; "tags": a tagger; "roles": one that is told which
        token to look from, `predicate`; "label": a classifier of texts, "pair"
        of premises with hypotheses; "clusters": coreference; "answer":
        question answering; "entity": the cloze test; None: something else.
    """
    for kind, needed in _KINDS.items():
        if all(
            name in signatures and _has(signatures[name], inputs, outputs)
            for name, (inputs, outputs) in needed.items()
        ):
            return kind
    return None


def shows_attention(signatures):
    """Tells whether a model that answers questions shows its attention.

    Args:
        signatures: As for `model_kind`.
    """
    return ATTENTION_SIGNATURE in signatures and _has(
        signatures[ATTENTION_SIGNATURE],
        {"context", "question"},
        set(ATTENTION_OUTPUTS),
    )


def _has(signature, inputs, outputs):
    return signature.inputs.keys() == inputs and (
        outputs <= signature.outputs.keys()
    )
