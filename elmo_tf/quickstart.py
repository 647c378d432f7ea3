"""The main job on a small scale: from text to contextual vectors.

    python -m elmo_tf.quickstart --output_dir=quickstart

trains a small biLM on the documentation that comes with Python, measures its
perplexity on held-out text before and after, exports a SavedModel, and compares
the vectors of one word in two uses; then it looks at words with two senses in
the biLM that comes with the package. The same command goes on with an
interrupted run.
"""

import os
import shutil

from absl import flags

from elmo_tf import command_line
from elmo_tf import quickstart_pictures as pictures
from elmo_tf import quickstart_report as report
from elmo_tf import quickstart_senses as senses
from elmo_tf import quickstart_vectors as vectors
from elmo_tf.embedder import Elmo
from elmo_tf.errors import InputError
from elmo_tf.exporting import export
from elmo_tf.json_file import read_json
from elmo_tf.json_file import unexpected
from elmo_tf.json_file import write_json
from elmo_tf.pretraining import pretrain
from elmo_tf.quickstart_text import write_corpus
from elmo_tf.quickstart_training import training_config
from elmo_tf.quickstart_training import untrained_perplexity
from elmo_tf.text.shards import read_sentences
from elmo_tf.text.vocabulary_builder import build_vocabulary

FLAGS = flags.FLAGS

_RESULTS = "the results of a quickstart"

flags.DEFINE_string("output_dir", "quickstart", "Folder for all that is made.")
flags.DEFINE_integer(
    "train_steps", 1600, "Number of training steps.", lower_bound=1
)


def main(_):
    folder = FLAGS.output_dir
    os.makedirs(folder, exist_ok=True)
    results_path = os.path.join(folder, "results.json")
    results = _read_results(results_path, folder)
    if results is None:
        results = _run(folder, FLAGS.train_steps)
        write_json(results_path, results)
    else:
        print(f"{folder}: all is done already; remove it to start anew.")
    report.print_results(results, folder)


def _read_results(path, folder):
    """The results of a run that has ended; None if there is still to do."""
    if not os.path.exists(path):
        return None
    results = read_json(path, _RESULTS)
    if not isinstance(results.get("train_steps"), int):
        raise unexpected(path, _RESULTS, "no number of train_steps")
    if results["train_steps"] > FLAGS.train_steps:
        raise InputError(
            f"--train_steps={FLAGS.train_steps}: the model in {folder} has "
            f"{results['train_steps']} steps already; use another --output_dir"
        )
    is_complete = (
        results["train_steps"] == FLAGS.train_steps and "senses" in results
    )
    return results if is_complete else None


def _run(folder, train_steps):
    model_dir = os.path.join(folder, "model")
    vocabulary_path = os.path.join(folder, "vocab.txt")

    report.print_heading(1, "Text: the documentation that comes with Python")
    train_path, heldout_path = write_corpus(folder)

    report.print_heading(2, "Vocabulary: the words that occur twice or more")
    vocabulary, counts = build_vocabulary(train_path, min_count=2)
    vocabulary.save(vocabulary_path)
    print(
        f"{len(vocabulary):,} words cover {counts.coverage:.1%} of the "
        f"training text's {counts.tokens:,} tokens"
    )

    report.print_heading(3, f"Training: {train_steps:,} steps")
    config = training_config(
        vocabulary_path, train_path, heldout_path, train_steps
    )
    before = untrained_perplexity(config)
    after = pretrain(config, "train_and_eval", model_dir)

    report.print_heading(4, "SavedModel")
    saved_model = os.path.join(folder, "saved_model")
    shutil.rmtree(saved_model, ignore_errors=True)
    export(
        saved_model,
        model_dir=model_dir,
        initial_state="warm",
        tokenizer="penn_treebank",
    )

    report.print_heading(5, f"Vectors of “{vectors.WORD}” in two uses")
    elmo = Elmo(saved_model)
    similarities = vectors.occurrence_similarities(elmo)
    text = [
        [token.decode("utf-8") for token in sentence]
        for sentence in read_sentences(train_path)
    ]
    nearest = vectors.nearest_occurrences(elmo, text)

    report.print_heading(
        6, f"{senses.NAME}, trained on novels: words with two senses"
    )
    sense_results, sense_maps = senses.compare_senses(Elmo(senses.NAME))

    report.print_heading(7, "Pictures")
    heldout = pictures.read_scalars(
        os.path.join(model_dir, "validation"), "average_perplexity"
    )
    pictures.draw_training_curve(
        os.path.join(folder, report.TRAINING_CURVE),
        pictures.read_scalars(os.path.join(model_dir, "train"), "perplexity"),
        pictures.with_start(heldout, before["average_perplexity"]),
    )
    pictures.draw_layer_similarities(
        os.path.join(folder, report.LAYER_SIMILARITIES),
        similarities,
        vectors.WORD,
        vectors.SENTENCES,
    )
    pictures.draw_senses(
        os.path.join(folder, report.SENSES), sense_maps, senses.WORD
    )
    return {
        "train_steps": train_steps,
        "before": before,
        "after": after,
        "cosines": vectors.mean_similarities(similarities),
        "nearest": nearest,
        "senses": sense_results,
    }


if __name__ == "__main__":
    command_line.run(main)
