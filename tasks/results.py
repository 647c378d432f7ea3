"""What a training reports when it has ended."""

import os

import numpy as np

from elmo_tf.json_file import write_json
from elmo_tf.layers.weighted_layer_sum import WeightedLayerSum

RESULTS_FILE_NAME = "results.json"


def parameter_counts(model):
    """Counts a model's parameters.

    Args:
        model: The `keras.Model`.

    Returns:
        A dictionary of the numbers of trainable and frozen ones.
    """
    return {
        name: int(sum(np.prod(weight.shape) for weight in weights))
        for name, weights in (
            ("trainable", model.trainable_weights),
            ("frozen", model.non_trainable_weights),
        )
    }


def layer_weights(model):
    """Reads the learnt weights of the biLM's layers (eq. 1 of the paper).

    Args:
        model: The `keras.Model`.

    Returns:
        A dictionary from the name of each `WeightedLayerSum` to a dictionary of
        `s`, a list of the layers' shares (not where one layer only is taken),
        and `gamma` (where it is learnt).
    """
    found = {}
    for layer in model.layers:
        if isinstance(layer, WeightedLayerSum):
            found[layer.name] = {}
            if layer.use_gamma:
                found[layer.name]["gamma"] = float(layer.gamma.numpy())
            if layer.only_layer is None:
                found[layer.name]["s"] = (
                    layer.normalized_weights().numpy().tolist()
                )
    return found


def summarize(results):
    """Summarises the trainings with several seeds.

    Args:
        results: A dictionary from seed to the training's results.

    Returns:
        A dictionary of `seeds`, and of `validation` and `test`: for each metric
        mean, standard deviation (of the sample) and all values.
    """
    summary = {"seeds": list(results)}
    for split in ("validation", "test"):
        parts = [result[split] for result in results.values()]
        if None in parts:
            summary[split] = None
            continue
        # A class that one of them has not met is left out.
        names = [
            name for name in parts[0] if all(name in part for part in parts)
        ]
        summary[split] = {
            name: _summary([part[name] for part in parts]) for name in names
        }
    return summary


def percent(summary):
    """Formats a share as `summarize` has it: "41.27 ± 0.35".

    Args:
        summary: A dictionary of `mean` and `standard_deviation`, which may be
            None, between 0 and 1.

    Returns:
        The two in per cent, without the sign.
    """
    text = f"{100 * summary['mean']:.2f}"
    if summary["standard_deviation"] is None:
        return text
    return f"{text} ± {100 * summary['standard_deviation']:.2f}"


def write_results(model_dir, results):
    """Writes results.json into a run's folder."""
    path = os.path.join(model_dir, RESULTS_FILE_NAME)
    write_json(path, results)


def _summary(values):
    return {
        "mean": float(np.mean(values)),
        "standard_deviation": float(np.std(values, ddof=1))
        if len(values) > 1
        else None,
        "values": values,
    }
