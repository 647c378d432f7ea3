"""A slow, obvious biLM in NumPy, written from the published conventions.

Everything is computed in float64, one sentence at a time and one time step at
a time, so that padding cannot play a part. Weights are a dict from the dataset
names of the official HDF5 file to arrays; options are the dict in the official
`options.json`. Sources: Peters et al. (2018), "Deep contextualized word
representations", sections 3.1 and 3.2, and the numeric conventions of bilm-tf.
"""

import numpy as np

PADDING = 0
BEGIN_SENTENCE = 257
END_SENTENCE = 258
BEGIN_WORD = 259
END_WORD = 260
WORD_PADDING = 261


def word_character_ids(token, max_characters=50):
    """Returns the list of `max_characters` ids of one token (str)."""
    if token == "<S>":
        content = [BEGIN_SENTENCE]
    elif token == "</S>":
        content = [END_SENTENCE]
    else:
        utf8 = token.encode("utf-8", "ignore")[: max_characters - 2]
        content = [byte + 1 for byte in utf8]
    ids = [BEGIN_WORD] + content + [END_WORD]
    return ids + [WORD_PADDING] * (max_characters - len(ids))


def sentences_character_ids(sentences, max_characters=50):
    """Returns ids [batch, time, max_characters] with boundaries, padded by 0.

    Args:
        sentences: A list of lists of str, without boundaries.
        max_characters: Ids a token.
    """
    time = max(len(sentence) for sentence in sentences) + 2
    ids = np.zeros((len(sentences), time, max_characters), np.int32)
    for row, sentence in enumerate(sentences):
        for step, token in enumerate(["<S>", *sentence, "</S>"]):
            ids[row, step] = word_character_ids(token, max_characters)
    return ids


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def relu(x):
    return np.maximum(x, 0.0)


ACTIVATIONS = {"relu": relu, "tanh": np.tanh}


def highway(x, w_carry, b_carry, w_transform, b_transform):
    """One highway layer: [..., n] -> [..., n]."""
    carry = sigmoid(x @ w_carry + b_carry)
    transform = relu(x @ w_transform + b_transform)
    return carry * transform + (1.0 - carry) * x


def character_cnn(character_ids, options, weights):
    """Character ids [..., characters] -> token vectors [..., dim]."""
    char_cnn = options["char_cnn"]
    activation = ACTIVATIONS[char_cnn["activation"]]
    n_filters = sum(n for _, n in char_cnn["filters"])

    # The file has no row for id 0.
    table = np.asarray(weights["char_embed"], np.float64)
    table = np.concatenate([np.zeros((1, table.shape[1])), table])
    widest = max(width for width, _ in char_cnn["filters"])
    missing = max(0, widest - character_ids.shape[-1])
    character_ids = np.concatenate(
        [
            character_ids,
            np.zeros((*character_ids.shape[:-1], missing), character_ids.dtype),
        ],
        axis=-1,
    )
    # [..., characters, embedding]
    embedded = table[character_ids]

    features = []
    for i, (width, n) in enumerate(char_cnn["filters"]):
        kernel = np.asarray(weights[f"CNN/W_cnn_{i}"], np.float64)
        assert kernel.shape == (1, width, table.shape[1], n)
        bias = np.asarray(weights[f"CNN/b_cnn_{i}"], np.float64)
        highest = None
        for start in range(embedded.shape[-2] - width + 1):
            value = bias
            for offset in range(width):
                character = embedded[..., start + offset, :]
                value = value + character @ kernel[0, offset]
            highest = value if highest is None else np.maximum(highest, value)
        features.append(activation(highest))
    # [..., n_filters]
    x = np.concatenate(features, axis=-1)

    for i in range(char_cnn.get("n_highway") or 0):
        x = highway(
            x,
            *(
                np.asarray(weights[f"CNN_high_{i}/{name}"], np.float64)
                for name in ("W_carry", "b_carry", "W_transform", "b_transform")
            ),
        )
    if n_filters != options["lstm"]["projection_dim"]:
        x = x @ np.asarray(weights["CNN_proj/W_proj"], np.float64)
        x = x + np.asarray(weights["CNN_proj/b_proj"], np.float64)
    return x


def lstm_step(
    x, cell, hidden, w, b, w_projection=None, cell_clip=None, proj_clip=None
):
    """One step for one sentence: vectors [n_in], [units], [n_out].

    Args:
        x: The input.
        cell: The cell state before the step.
        hidden: The output of the step before.
        w: `[n_in + n_out, 4 * units]`, rows of the input first, columns in
            the order input gate, new content, forget gate, output gate.
        b: `[4 * units]`, without the 1 that is added to the forget gate.
        w_projection: `[units, n_out]` or None.
        cell_clip: Bound of the cell state or None.
        proj_clip: Bound of the projected output or None.

    Returns:
        The new cell state and the new output.
    """
    i, j, f, o = np.split(np.concatenate([x, hidden]) @ w + b, 4)
    cell = sigmoid(f + 1.0) * cell + sigmoid(i) * np.tanh(j)
    if cell_clip is not None:
        cell = np.clip(cell, -cell_clip, cell_clip)
    output = sigmoid(o) * np.tanh(cell)
    if w_projection is not None:
        output = output @ w_projection
        if proj_clip is not None:
            output = np.clip(output, -proj_clip, proj_clip)
    return cell, output


def projected_lstm(
    inputs,
    w,
    b,
    w_projection=None,
    cell_clip=None,
    proj_clip=None,
    initial_state=None,
    mask=None,
    backward=False,
):
    """An LSTM over the real steps of each sentence.

    Args:
        inputs: `[batch, time, n_in]`.
        w, b, w_projection, cell_clip, proj_clip: See `lstm_step`.
        initial_state: `(cell [batch, units], hidden [batch, n_out])`, zeros if
            None.
        mask: `[batch, time]` bool, all True if None. A step that is False does
            not exist for the LSTM; its output is zero.
        backward: Whether to run from the last real step to the first.

    Returns:
        Outputs `[batch, time, n_out]` and the final `(cell, hidden)`.
    """
    inputs = np.asarray(inputs, np.float64)
    w = np.asarray(w, np.float64)
    b = np.asarray(b, np.float64)
    batch, time, _ = inputs.shape
    units = b.shape[0] // 4
    n_out = units
    if w_projection is not None:
        w_projection = np.asarray(w_projection, np.float64)
        n_out = w_projection.shape[1]
    if mask is None:
        mask = np.ones((batch, time), bool)
    if initial_state is None:
        initial_state = np.zeros((batch, units)), np.zeros((batch, n_out))
    final_cell = np.array(initial_state[0], np.float64)
    final_hidden = np.array(initial_state[1], np.float64)
    outputs = np.zeros((batch, time, n_out))
    for row in range(batch):
        steps = np.flatnonzero(mask[row])
        for step in reversed(steps) if backward else steps:
            final_cell[row], final_hidden[row] = lstm_step(
                inputs[row, step],
                final_cell[row],
                final_hidden[row],
                w,
                b,
                w_projection,
                cell_clip,
                proj_clip,
            )
            outputs[row, step] = final_hidden[row]
    return outputs, (final_cell, final_hidden)


def lstm_stack(
    inputs, options, weights, direction, initial_state=None, mask=None
):
    """The LSTM layers of one direction with their residual connections.

    Args:
        inputs: `[batch, time, projection_dim]`.
        options: The dict of options.
        weights: The dict of weights.
        direction: 0 (forward) or 1 (backward).
        initial_state: A list with one `(cell, hidden)` a layer or None.
        mask: `[batch, time]` bool or None.

    Returns:
        A list with the outputs `[batch, time, projection_dim]` of each layer,
        and the list of the final states.
    """
    lstm = options["lstm"]
    layers = []
    final_state = []
    x = inputs
    for layer in range(lstm.get("n_layers", 1)):
        cell = f"RNN_{direction}/RNN/MultiRNNCell/Cell{layer}/LSTMCell"
        output, state = projected_lstm(
            x,
            weights[f"{cell}/W_0"],
            weights[f"{cell}/B"],
            weights.get(f"{cell}/W_P_0"),
            lstm.get("cell_clip"),
            lstm.get("proj_clip"),
            None if initial_state is None else initial_state[layer],
            mask,
            backward=direction == 1,
        )
        if lstm["use_skip_connections"] and layer > 0:
            output = output + x
            if mask is not None:
                output = output * mask[..., None]
        layers.append(output)
        final_state.append(state)
        x = output
    return layers, final_state


def token_vectors(ids, options, weights):
    """Character ids [batch, time, characters] or word ids [batch, time].

    Word ids are as at inference: row of the file + 1, 0 for padding.
    """
    if "char_cnn" in options:
        return character_cnn(ids, options, weights)
    table = np.asarray(weights["embedding"], np.float64)
    table = np.concatenate([np.zeros((1, table.shape[1])), table])
    return table[ids]


def bilm(ids, options, weights, initial_state=None, mask=None):
    """The biLM: ids to all layers.

    Args:
        ids: Character ids `[batch, time, characters]`, or word ids
            `[batch, time]` where the options have no `char_cnn`; with the
            sentence boundaries.
        options: The dict of options.
        weights: The dict of weights.
        initial_state: One list a direction of one `(cell, hidden)` a layer.
        mask: `[batch, time]` bool; by default, where an id is above 0.

    Returns:
        A dict with `layers` `[batch, time, n_layers + 1, directions *
        projection_dim]` (layer 0 is the token vector once a direction; all
        layers are 0 at padding), `mask` `[batch, time]` bool, and
        `final_state` in the form of `initial_state`.
    """
    if mask is None:
        mask = (ids > 0).any(axis=-1) if ids.ndim == 3 else ids > 0
    directions = [0, 1] if options.get("bidirectional", True) else [0]
    tokens = token_vectors(ids, options, weights)
    per_direction = []
    final_state = []
    for direction in directions:
        layers, state = lstm_stack(
            tokens,
            options,
            weights,
            direction,
            None if initial_state is None else initial_state[direction],
            mask,
        )
        per_direction.append([tokens * mask[..., None], *layers])
        final_state.append(state)
    # One [batch, time, directions * projection_dim] a layer.
    layers = [
        np.concatenate(layer, axis=-1)
        for layer in zip(*per_direction, strict=True)
    ]
    return {
        "layers": np.stack(layers, axis=2),
        "mask": mask,
        "final_state": final_state,
    }


def remove_sentence_boundaries(layers, mask):
    """Returns, for each sentence, the array [n_tokens, ...] of its tokens."""
    lengths = mask.sum(axis=1)
    return [
        row[1 : length - 1] for row, length in zip(layers, lengths, strict=True)
    ]
