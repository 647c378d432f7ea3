"""A slow, obvious character convolution, one window at a time."""

import numpy as np

# Of the padding at a word's end, and of words that are padding.
PADDING = (0, 261)


def character_encoder(character_ids, embedding, kernel, bias, mask=None):
    """Character ids [..., characters] -> word vectors [..., filters].

    Args:
        character_ids: Integers.
        embedding: `[260, dim]`, of the ids 1 to 260.
        kernel: `[width, dim, filters]`.
        bias: `[filters]`.
        mask: `[...]` bool; None: all True.
    """
    width, _, n_filters = kernel.shape
    outputs = np.zeros((*character_ids.shape[:-1], n_filters))
    for place in np.ndindex(character_ids.shape[:-1]):
        if mask is not None and not mask[place]:
            continue
        word = list(character_ids[place])
        while word and word[-1] in PADDING:
            word.pop()
        if not word:
            continue
        characters = [np.float64(embedding[id_ - 1]) for id_ in word]
        while len(characters) < width:
            characters.append(np.zeros(embedding.shape[1]))
        outputs[place] = np.max(
            [
                np.maximum(
                    0.0,
                    bias
                    + sum(
                        characters[start + offset] @ kernel[offset]
                        for offset in range(width)
                    ),
                )
                for start in range(len(characters) - width + 1)
            ],
            axis=0,
        )
    return outputs
