"""The vectors of words in their sentences."""

import numpy as np


def instance_vectors(elmo, sentences, progress=None):
    """Embeds sentences, each by itself, in bounded memory.

    Args:
        elmo: The `Elmo`.
        sentences: A list of `SenseSentence`.
        progress: Called after each sentence with the number of sentences done
            and of tokens in this sentence; None: nothing is called.

    Yields:
        For each sentence, in the order given, its instances' vectors: float32
        `[instances, n_layers, output_dim]`, of an instance of several tokens
        the mean of theirs.
    """
    arrays = elmo.embed_stream(sentence.tokens for sentence in sentences)
    for number, (sentence, array) in enumerate(
        zip(sentences, arrays, strict=True), start=1
    ):
        vectors = np.empty(
            (len(sentence.instances), array.shape[0], array.shape[2]),
            np.float32,
        )
        for vector, instance in zip(vectors, sentence.instances, strict=True):
            # [n_layers, time, output_dim] -> [n_layers, output_dim]
            vector[:] = array[:, instance.start : instance.end].mean(axis=1)
        yield vectors
        if progress is not None:
            progress(number, len(sentence.tokens))


def add_mean_layer(vectors):
    """Puts the mean of the layers behind them.

    Args:
        vectors: Float array `[..., n_layers, output_dim]`.

    Returns:
        Float array `[..., n_layers + 1, output_dim]`.
    """
    mean = vectors.mean(axis=-2, keepdims=True)
    return np.concatenate([vectors, mean], axis=-2)
