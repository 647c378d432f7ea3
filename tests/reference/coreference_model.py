"""The coreference model of Lee et al. 2017, slow, one document at a time.

A span is `(first, last)`, the numbers of its first and last token.
"""

import numpy as np


def candidate_spans(sentence_lengths, max_width):
    """All spans within a sentence, in the order of the document."""
    spans = []
    start = 0
    for length in sentence_lengths:
        end = start + length
        for first in range(start, end):
            for last in range(first, min(first + max_width, end)):
                spans.append((first, last))
        start = end
    return spans


def span_vector(span, encoded, tokens, head_kernel, width_embedding):
    """`[x*_first; x*_last; x̂; φ]` of one span."""
    first, last = span
    weights = np.array(
        [np.exp(encoded[t] @ head_kernel[:, 0]) for t in range(first, last + 1)]
    )
    head = sum(
        weight / weights.sum() * tokens[t]
        for weight, t in zip(weights, range(first, last + 1), strict=True)
    )
    return np.concatenate(
        [encoded[first], encoded[last], head, width_embedding[last - first]]
    )


def feed_forward(vector, hidden, kernel, bias):
    """ReLU layers, a list of kernels and biases, and a linear one."""
    for hidden_kernel, hidden_bias in hidden:
        vector = np.maximum(vector @ hidden_kernel + hidden_bias, 0)
    return (vector @ kernel + bias)[0]


def top_spans(spans, scores, n_kept):
    """The greedy choice, as e2e-coref's `extract_spans` makes it.

    It keeps, for each token, where the longest span that begins there ends,
    and where the longest that ends there begins.
    """
    order = sorted(range(len(spans)), key=lambda i: (-scores[i], spans[i]))
    latest_end, earliest_start, kept = {}, {}, []
    for i in order:
        if len(kept) == n_kept:
            break
        start, end = spans[i]
        crosses = False
        for token in range(start, end + 1):
            if token > start and latest_end.get(token, -1) > end:
                crosses = True
            if token < end and earliest_start.get(token, token) < start:
                crosses = True
        if not crosses:
            kept.append(spans[i])
            latest_end[start] = max(latest_end.get(start, end), end)
            earliest_start[end] = min(earliest_start.get(end, start), start)
    return sorted(kept)


def distance_bucket(distance):
    """1, 2, 3, 4, 5 to 7, 8 to 15, 16 to 31, 32 to 63, and more."""
    return distance - 1 if distance < 5 else min(int(np.log2(distance)), 6) + 2


def pair_score(i, j, spans, scores, speakers, genre, weights):
    """s(i, j): how well j would do as the antecedent of i."""
    features = np.concatenate(
        [
            weights["speaker_embedding"][int(speakers[i] == speakers[j])],
            weights["genre_embedding"][genre],
            weights["distance_embedding"][distance_bucket(i - j)],
        ]
    )
    pair = np.concatenate([spans[i], spans[j], spans[i] * spans[j], features])
    kernel = np.concatenate(
        [
            weights[f"{name}_kernel"]
            for name in ("span", "antecedent", "product", "feature")
        ]
    )
    hidden = [(kernel, weights["bias"])]
    index = 0
    while f"upper_layers/hidden_{index}_kernel" in weights:
        name = f"upper_layers/hidden_{index}"
        hidden.append((weights[f"{name}_kernel"], weights[f"{name}_bias"]))
        index += 1
    return (
        scores[i]
        + scores[j]
        + feed_forward(
            pair,
            hidden,
            weights["upper_layers/kernel"],
            weights["upper_layers/bias"],
        )
    )


def loss(scores, clusters):
    """−Σ log of the probability of the true antecedents.

    Args:
        scores: For each span an object from −1, for none, and the number of
            each possible antecedent to its score.
        clusters: The number of each span's cluster; −1: it has none.
    """
    total = 0.0
    for i, candidates in enumerate(scores):
        gold = [
            j
            for j in candidates
            if j >= 0 and clusters[i] >= 0 and clusters[j] == clusters[i]
        ] or [-1]
        weights = {j: np.exp(score) for j, score in candidates.items()}
        total -= np.log(sum(weights[j] for j in gold) / sum(weights.values()))
    return total


def clusters(scores):
    """Sets of spans, each of at least two, joined by their best antecedent."""
    found = []
    for i, candidates in enumerate(scores):
        best = max(candidates.values())
        # None before all others, then the nearest.
        j = next(
            j
            for j in sorted(candidates, key=lambda j: (j >= 0, -j))
            if candidates[j] == best
        )
        if j < 0:
            continue
        for cluster in found:
            if j in cluster:
                cluster.add(i)
                break
        else:
            found.append({j, i})
    return found
