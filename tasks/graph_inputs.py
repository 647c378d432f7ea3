"""From tokens to a task model's inputs, in the graph."""


def graph_inputs(task, features, texts, extra):
    """Makes the inputs of a task model, as `ModelInputs` names them.

    All but the biLM's layers. Training, prediction and the exported SavedModel
    use the same.

    Args:
        task: The `Task`.
        features: The `TextFeatures`.
        texts: For each text field a tuple of tokens, string `[batch, time]`,
            and their numbers, int32 `[batch]`.
        extra: A dictionary of tensors, as the task's `extra_inputs` say.

    Returns:
        A dictionary of tensors `[batch, …]`.
    """
    inputs = {}
    for field, text in zip(task.text_fields, texts, strict=True):
        for name, value in features(*text).items():
            inputs[f"{field}_{name}"] = value
    return {**inputs, **task.make_model_inputs(texts, extra)}
