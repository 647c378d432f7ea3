"""Attention flow and self-attention, one row and one word at a time.

Written from Seo et al. (2017), section 2 (layers 4 and 6), section 4
("Ablations") and appendix B, and the ELMo paper, section A.4.
"""

import numpy as np


def similarity(kind, weights, h, u):
    """The similarity of a context vector and a question vector.

    Args:
        kind: "trilinear" (equation 1), "dot", "linear", "bilinear" or "mlp"
            (equations 6 to 9).
        weights: A dictionary of what the kind needs: `kernel`, `bias` and
            `output_kernel`.
        h: `[d]`.
        u: `[d]`.
    """
    weights = {k: np.asarray(v, np.float64) for k, v in weights.items()}
    if kind == "trilinear":
        return np.concatenate([h, u, h * u]) @ weights["kernel"][:, 0]
    if kind == "dot":
        return h @ u
    if kind == "linear":
        return np.concatenate([h, u]) @ weights["kernel"][:, 0]
    if kind == "bilinear":
        return h @ weights["kernel"] @ u
    assert kind == "mlp"
    hidden = np.concatenate([h, u]) @ weights["kernel"] + weights["bias"]
    return np.tanh(hidden) @ weights["output_kernel"][:, 0]


def similarity_matrix(kind, weights, context, question):
    """`[T, d]` and `[J, d]` → `[T, J]`."""
    matrix = np.zeros([len(context), len(question)])
    for t, h in enumerate(context):
        for j, u in enumerate(question):
            matrix[t, j] = similarity(kind, weights, h, u)
    return matrix


def similarity_matrices(kind, weights, context, question):
    """`[batch, T, d]` and `[batch, J, d]` → `[batch, T, J]`."""
    return np.array(
        [
            similarity_matrix(kind, weights, *row)
            for row in zip(context, question, strict=True)
        ]
    )


def attention_flow(
    context,
    question,
    weights,
    similarity_kind="trilinear",
    fusion="concat",
    context_to_query=True,
    query_to_context=True,
    context_mask=None,
    question_mask=None,
):
    """The attention flow layer, padding taken out before and put back after.

    Args:
        context: `[batch, T, d]`.
        question: `[batch, J, d]`.
        weights: A dictionary of the similarity's weights and, for the fusion
            "mlp", of `fusion_kernel` and `fusion_bias`.
        similarity_kind: As for `similarity`.
        fusion: "concat" (equation 2) or "mlp" (equation 10).
        context_to_query: Whether each word attends to the question; else all
            get its mean.
        query_to_context: Whether the question attends to the context.
        context_mask: `[batch, T]` bool, all True if None.
        question_mask: Likewise, `[batch, J]`.

    Returns:
        G, `[batch, T, features]`, zeros at padding.
    """
    context = np.asarray(context, np.float64)
    question = np.asarray(question, np.float64)
    if context_mask is None:
        context_mask = np.ones(context.shape[:2], bool)
    if question_mask is None:
        question_mask = np.ones(question.shape[:2], bool)
    width = context.shape[-1] * (4 if query_to_context else 3)
    if fusion == "mlp":
        width = context.shape[-1]
    outputs = np.zeros([*context.shape[:2], width])
    for row in range(len(context)):
        h = context[row][context_mask[row]]
        u = question[row][question_mask[row]]
        scores = similarity_matrix(similarity_kind, weights, h, u)
        to_context = attend(scores.max(axis=1), h) if len(u) else 0 * h[:1]
        words = []
        for t in range(len(h)):
            if context_to_query:
                to_query = attend(scores[t], u)
            else:
                to_query = u.mean(axis=0) if len(u) else 0 * h[t]
            parts = [h[t], to_query, h[t] * to_query]
            if query_to_context:
                parts.append(h[t] * to_context.reshape(-1))
            g = np.concatenate(parts)
            if fusion == "mlp":
                g = g @ weights["fusion_kernel"] + weights["fusion_bias"]
                g = np.maximum(0, g)
            words.append(g)
        if words:
            outputs[row, context_mask[row]] = words
    return outputs


def self_attention(inputs, weights, mask=None):
    """Each word attends to the others, and a layer of ReLUs.

    Args:
        inputs: `[batch, T, d]`.
        weights: A dictionary of `kernel`, of the trilinear similarity, and of
            `output_kernel` and `output_bias`.
        mask: `[batch, T]` bool, all True if None.

    Returns:
        `[batch, T, units]`, zeros at padding.
    """
    inputs = np.asarray(inputs, np.float64)
    if mask is None:
        mask = np.ones(inputs.shape[:2], bool)
    outputs = np.zeros([*inputs.shape[:2], len(weights["output_bias"])])
    for row, sequence in enumerate(inputs):
        real = np.flatnonzero(mask[row])
        for t in real:
            others = [k for k in real if k != t]
            scores = [
                similarity("trilinear", weights, sequence[t], sequence[k])
                for k in others
            ]
            x, attended = sequence[t], attend(scores, sequence[others])
            hidden = np.concatenate([x, attended, x * attended])
            hidden = hidden @ weights["output_kernel"] + weights["output_bias"]
            outputs[row, t] = np.maximum(0, hidden)
    return outputs


def pointer(inputs, kernel, mask=None):
    """The probability of each word to be the one (equations 3 and 4).

    Args:
        inputs: `[batch, T, d]`.
        kernel: `[d, 1]`.
        mask: `[batch, T]` bool, all True if None.

    Returns:
        `[batch, T]`, zeros at padding.
    """
    probabilities = np.zeros(np.shape(inputs)[:2])
    for row, sequence in enumerate(np.asarray(inputs, np.float64)):
        real = np.ones(len(sequence), bool) if mask is None else mask[row]
        if real.any():
            probabilities[row, real] = softmax(sequence[real] @ kernel[:, 0])
    return probabilities


def softmax(scores):
    exponentials = np.exp(np.asarray(scores) - np.max(scores))
    return exponentials / exponentials.sum()


def attend(scores, vectors):
    """The mean of the vectors that the scores say; zero if there is none."""
    attended = np.zeros(np.shape(vectors)[-1])
    if len(vectors):
        for share, vector in zip(softmax(scores), vectors, strict=True):
            attended += share * vector
    return attended
