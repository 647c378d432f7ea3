"""Requests to the models of `tiny_exports`."""

from elmo_tf.serving import warm_up


def bilm_rows(max_characters):
    """Makes requests for all signatures of the biLM.

    Args:
        max_characters: The width of the character ids.

    Returns:
        A list of dictionaries from names to values, `[1]` or `[1, n]`.
    """
    texts = [*warm_up.SENTENCES, ("the",)]
    inputs = warm_up.text_inputs(texts)
    inputs["position"] = [3, 1, 0]
    inputs["n"] = [2, 4, 3]
    ids = warm_up.character_ids(inputs["tokens"], max_characters).numpy()
    rows = [_cut(inputs, row, len(text)) for row, text in enumerate(texts)]
    for row, text in enumerate(texts):
        rows[row]["character_ids"] = ids[row : row + 1, : len(text)]
    return rows


def task_rows(name, task):
    """As `bilm_rows`, for a task.

    Args:
        name: One of `tiny_exports.TASKS`.
        task: The `Task` of its model.
    """
    texts = [*task.warm_up_texts()]
    texts.append([field[-2:] for field in texts[1]])
    inputs = {}
    for place, prefix in enumerate(task.field_prefixes):
        field = task.text_fields[place]
        inputs[field] = warm_up.text_inputs(
            [text[place] for text in texts],
            prefix,
            "strings" if prefix == "" else field,
        )
    rows = []
    for row, text in enumerate(texts):
        values = dict(task.warm_up_extra([text]))
        for place, field in enumerate(task.text_fields):
            values |= _cut(inputs[field], row, len(text[place]))
        rows.append(values)
    if name == "coref":
        rows[0]["sentence_lengths"] = [[4, 5, 1]]
        rows[0]["speakers"] = [[*"AABBAABBAB"]]
        rows[0]["genre"] = ["nw"]
    if name == "srl":
        rows[0]["predicate"] = [4]
        rows[2]["predicate"] = [-1]
    return rows


def _cut(inputs, row, length):
    """One row of a batch, without padding."""
    return {
        name: [value[row][:length]]
        if isinstance(value[row], list)
        else [value[row]]
        for name, value in inputs.items()
    }
