"""A slow, obvious biattentive classification network, a sentence at a time.

Sources: McCann et al. (2017), "Learned in translation: contextualized word
vectors", section 5, for one text in place of two; Peters et al. (2018), "Deep
contextualized word representations", sections 3.2, 3.3 and A.8.
"""

import numpy as np

from tests.reference import pooling
from tests.reference.bilm import relu
from tests.reference.bilstm import bilstm


def softmax(scores):
    exponentials = np.exp(scores - np.max(scores))
    return exponentials / exponentials.sum()


def elmo(layers, raw_weights, gamma):
    """Equation 1 of Peters et al.: `[time, n_layers, dim]` → `[time, dim]`."""
    shares = softmax(raw_weights)
    return gamma * sum(share * layers[:, j] for j, share in enumerate(shares))


def attend(vectors):
    """Each vector's mean of all, by its products with them: `[time, dim]`."""
    return np.array(
        [
            softmax([vector @ other for other in vectors]) @ vectors
            for vector in vectors
        ]
    )


def classify(
    words, weights, input_elmo=None, encoder_elmo=None, integrator_elmo=None
):
    """The scores of a sentence's labels.

    Args:
        words: Its word vectors, `[time, dim]`.
        weights: A dict of the projection, the hidden layers and the scores,
            each a kernel and a bias (`projection`, `hidden`, a list of them,
            and `scores`), the two biLSTMs, as `bilstm` takes them (`encoder`
            and `integrator`), and `attention`, `[features, 1]`.
        input_elmo: The ELMo vectors beside the words, `[time, dim]`; None:
            none.
        encoder_elmo: Those beside the output of the first biLSTM.
        integrator_elmo: Those beside the output of the second.

    Returns:
        `[n_labels]`.
    """
    vectors = np.asarray(words, np.float64)
    if input_elmo is not None:
        vectors = np.concatenate([vectors, input_elmo], axis=-1)
    kernel, bias = weights["projection"]
    (encoded,) = bilstm([relu(vectors @ kernel + bias)], weights["encoder"])
    if encoder_elmo is not None:
        encoded = np.concatenate([encoded, encoder_elmo], axis=-1)
    attended = attend(encoded)
    (integrated,) = bilstm(
        [
            np.concatenate(
                [encoded, encoded - attended, encoded * attended], axis=-1
            )
        ],
        weights["integrator"],
    )
    if integrator_elmo is not None:
        integrated = np.concatenate([integrated, integrator_elmo], axis=-1)
    hidden = np.concatenate(
        [
            *(
                pooling.masked_pooling([integrated], mode)[0]
                for mode in ("max", "mean", "min")
            ),
            pooling.self_attentive_pooling([integrated], weights["attention"])[
                0
            ],
        ]
    )
    for kernel, bias in weights["hidden"]:
        hidden = relu(hidden @ kernel + bias)
    kernel, bias = weights["scores"]
    return hidden @ kernel + bias
