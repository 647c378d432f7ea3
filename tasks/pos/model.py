"""The linear classifier of the ELMo paper's section 5.3."""

import keras


def make_linear_tagger(inputs, tags):
    """Builds a softmax over each token's vector (section 5.3).

    It knows nothing of a token's neighbours but what the vector says.

    Args:
        inputs: The `ModelInputs`.
        tags: A list of the tags.

    Returns:
        A `keras.Model` whose outputs are `scores`, float32 `[batch, time,
        n_tags]`, and `mask`.
    """
    field = "tokens"
    scores = keras.layers.Dense(len(tags), name="scores", dtype="float32")(
        inputs.token_vectors(field)
    )
    return keras.Model(
        inputs.keras_inputs,
        {"scores": scores, "mask": inputs.mask(field)},
        name="pos",
    )
