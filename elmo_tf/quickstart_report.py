"""What the quickstart prints."""

import os
import sys

from elmo_tf import quickstart_senses
from elmo_tf.quickstart_vectors import SENTENCES
from elmo_tf.quickstart_vectors import WORD

TRAINING_CURVE = "training_curve.png"
LAYER_SIMILARITIES = "layer_similarities.png"
SENSES = "senses.png"

_N_STEPS = 7


def print_heading(number, text):
    """Prints the heading of a step.

    Args:
        number: The step's number.
        text: What it does.
    """
    print(f"\n[{number}/{_N_STEPS}] {text}", flush=True)


def print_results(results, folder):
    """Prints the results as tables, where things lie, and what to try next.

    Args:
        results: The dictionary of the results.
        folder: The folder of the quickstart.
    """
    _print_perplexities(results["before"], results["after"])
    _print_cosines(results["cosines"])
    for use, occurrences in results["nearest"].items():
        print(f'\nNearest in the training text to "{SENTENCES[use][0]}"')
        for similarity, excerpt in occurrences:
            print(f"  {similarity:.2f}  {excerpt}")
    _print_senses(results["senses"])
    _print_files(folder)
    _print_next(folder)


def _print_perplexities(before, after):
    print(f"\n{'Held-out perplexity':30}{'untrained':>12}{'trained':>12}")
    for name in ("forward", "backward", "average"):
        key = f"{name}_perplexity"
        print(f"  {name:28}{before[key]:12,.1f}{after[key]:12,.1f}")
    ratio = before["average_perplexity"] / after["average_perplexity"]
    print(
        f"  {ratio:.0f} times lower; {after['unknown_tokens']:,} of the "
        f"{after['tokens']:,} tokens are not in the vocabulary"
    )


def _print_cosines(cosines):
    n_layers = len(next(iter(cosines.values())))
    columns = "".join(f"{name:>8}" for name in _layer_names(n_layers))
    print(f"\n{f'Mean cosine of “{WORD}” as':30}{columns}")
    for pair, values in cosines.items():
        numbers = "".join(f"{value:8.2f}" for value in values)
        print(f"  {pair:28}{numbers}")


def _print_senses(senses):
    word = quickstart_senses.WORD
    for sense, found in senses["neighbours"].items():
        names = _layer_names(len(found["layers"]))
        print(f"\n“{word}” ({sense}) in {quickstart_senses.NAME}, nearest to")
        print(f"  {found['sentence']}")
        for name, layer in zip(names, found["layers"], strict=True):
            print(f"  {name:8}{', '.join(layer['words'])}")
            for similarity, neighbour_sense, text in layer["occurrences"]:
                print(f"    {similarity:.2f}  {text}  ({neighbour_sense})")
    accuracies = senses["accuracies"]
    n_layers = len(next(iter(accuracies.values()))["layers"])
    columns = "".join(f"{name:>8}" for name in _layer_names(n_layers))
    print(f"\n{'Nearest in the same sense':30}{columns}")
    for word, accuracy in accuracies.items():
        numbers = "".join(f"{value:8.0%}" for value in accuracy["layers"])
        print(f"  {word:28}{numbers}")


def _layer_names(n_layers):
    return ["token", *(f"LSTM {layer}" for layer in range(1, n_layers))]


def _print_files(folder):
    print("\nWhere things lie")
    for name, content in (
        (TRAINING_CURVE, "perplexity while training"),
        (LAYER_SIMILARITIES, "the cosines of all occurrences, by layer"),
        (SENSES, f"“{quickstart_senses.WORD}” in two senses, by layer"),
        ("saved_model/", "takes strings, gives vectors"),
        ("model/", "checkpoints, options.json, TensorBoard's files"),
        ("vocab.txt", "the vocabulary"),
        ("train.txt, heldout.txt", "one tokenised sentence a line"),
    ):
        print(f"  {os.path.join(folder, name):40}{content}")


def _print_next(folder):
    python = os.path.relpath(sys.executable)
    if python.startswith(os.pardir):
        python = "python"
    saved_model = os.path.join(folder, "saved_model")
    print(
        f"""
Next
  {python} -m elmo_tf.embed --saved_model={saved_model} \\
      --input={folder}/heldout.txt --output={folder}/heldout.hdf5 --layers=all
  {python} -m elmo_tf.evaluate --model_dir={folder}/model \\
      --input_path={folder}/heldout.txt
  {python} -c "import elmo_tf
elmo = elmo_tf.Elmo('{saved_model}')
for word in elmo.substitutes('It returns a new object.', 4)['combined']:
    print(word)"
README.md goes on from here."""
    )
