"""What `tools.make_pretrained` does."""

import dataclasses
import glob
import json
import os
import pathlib
import shutil
import tempfile

import numpy as np
import yaml

from benchmarks import sense_probe
from elmo_tf import pretrained
from elmo_tf.checksums import remove_checksums
from elmo_tf.checksums import write_checksums
from elmo_tf.embedder import Elmo
from elmo_tf.errors import InputError
from elmo_tf.exporting import export
from elmo_tf.initial_state_file import INITIAL_STATE_FILE_NAME
from elmo_tf.initial_state_file import write_initial_state
from elmo_tf.language_model_batch import LanguageModelEncoder
from elmo_tf.model_dir import OPTIONS_FILE_NAME
from elmo_tf.model_dir import VOCABULARY_FILE_NAME
from elmo_tf.model_dir import load_language_model
from elmo_tf.model_dir import load_typical_state
from elmo_tf.perplexity import PerplexityMeter
from elmo_tf.quickstart_pictures import read_scalars
from elmo_tf.text.corpus_statistics import scan
from elmo_tf.text.shards import read_sentences
from elmo_tf.training.checkpoints import latest_checkpoint
from tools.model_card import render_model_card
from tools.training_history import training_hours

_CARDS = pathlib.Path(__file__).parent / "model_cards"

# Sentences over which the state is carried, as `elmo_tf.evaluate` does.
_BLOCK = 64


def write_pretrained(output, model_dir, heldout, wikitext, semcor, tokenizer):
    """Writes the folder of a pre-trained biLM; the arguments are the flags.

    Args:
        output: The folder to write, replaced if it is there. Its name is the
            biLM's, of which there must be a card in `tools/model_cards`.
        model_dir: The pre-training's folder.
        heldout: Held-out text, one tokenised sentence a line.
        wikitext: WikiText-2's validation text.
        semcor: As of `tasks.wsd.semcor.read_semcor`.
        tokenizer: How raw sentences are split.

    Returns:
        What metadata.json holds.

    Raises:
        InputError: Something is missing, or damaged.
    """
    output = os.path.abspath(output)
    name = os.path.basename(output)
    template = _CARDS / f"{name}.md"
    if not template.exists():
        raise InputError(
            f"--output={output}: there is no card {template} for this name"
        )
    if os.path.exists(output) and not os.path.exists(
        os.path.join(output, pretrained.METADATA_FILE_NAME)
    ):
        raise InputError(
            f"--output={output}: is there and no pre-trained biLM's folder"
        )
    with (
        tempfile.TemporaryDirectory() as snapshot,
        tempfile.TemporaryDirectory(dir=os.path.dirname(output)) as parent,
    ):
        # A training may go on meanwhile.
        _copy_last_checkpoint(model_dir, snapshot)
        model_dir = snapshot
        metadata = {
            "tokenizer": tokenizer,
            **_training(model_dir),
            "senses": _senses(model_dir, tokenizer, semcor),
            "perplexity": _perplexities(model_dir, heldout, wikitext),
        }
        made = os.path.join(parent, name)
        export(made, "hdf5", model_dir=model_dir, with_softmax=False)
        model, _ = load_language_model(model_dir)
        write_initial_state(
            os.path.join(made, INITIAL_STATE_FILE_NAME),
            load_typical_state(model_dir, model),
        )
        metadata["parameters"] = model.bilm.count_params()
        for file_name, text in (
            (pretrained.METADATA_FILE_NAME, json.dumps(metadata, indent=2)),
            (
                pretrained.MODEL_CARD_FILE_NAME,
                render_model_card(
                    template.read_text(encoding="utf-8"),
                    model.config,
                    metadata,
                ),
            ),
        ):
            path = pathlib.Path(made, file_name)
            path.write_text(text.rstrip() + "\n", encoding="utf-8")
        remove_checksums(made)
        write_checksums(made)
        if os.path.exists(output):
            os.rename(output, os.path.join(parent, "old"))
        os.rename(made, output)
    return metadata


def _copy_last_checkpoint(model_dir, folder):
    """Copies a pre-training's folder, of its checkpoints the last one."""
    checkpoint = latest_checkpoint(model_dir)
    for path in glob.glob(f"{glob.escape(checkpoint)}.*"):
        shutil.copy2(path, folder)
    pathlib.Path(folder, "checkpoint").write_text(
        f'model_checkpoint_path: "{os.path.basename(checkpoint)}"\n',
        encoding="utf-8",
    )
    for name in (OPTIONS_FILE_NAME, VOCABULARY_FILE_NAME, "params.yaml"):
        shutil.copy2(os.path.join(model_dir, name), folder)
    for name in ("train", "validation"):
        if os.path.isdir(os.path.join(model_dir, name)):
            shutil.copytree(
                os.path.join(model_dir, name), os.path.join(folder, name)
            )


def _training(model_dir):
    """How the biLM was trained."""
    path = os.path.join(model_dir, "params.yaml")
    with open(path, encoding="utf-8") as file:
        params = yaml.safe_load(file)
    data = params["task"]["train_data"]
    tokens_a_step = data["global_batch_size"] * data["unroll_steps"]
    steps = int(latest_checkpoint(model_dir).rpartition("-")[2])
    corpus = scan(data["input_path"])
    all_steps, all_hours = training_hours(model_dir)
    curve_steps, averages = read_scalars(
        os.path.join(model_dir, "validation"), "average_perplexity"
    )
    directions = {
        name: read_scalars(
            os.path.join(model_dir, "validation"), f"{name}_perplexity"
        )[1]
        for name in ("forward", "backward")
    }
    return {
        "steps": steps,
        "tokens_a_step": tokens_a_step,
        "tokens_seen": steps * tokens_a_step,
        "hours": float(np.interp(steps, all_steps, all_hours)),
        "precision": params["runtime"]["mixed_precision"],
        "corpus": {"tokens": corpus.tokens, "sentences": corpus.sentences},
        "passes": steps * tokens_a_step / corpus.targets,
        "validation": {
            "sentences": scan(
                params["task"]["validation_data"]["input_path"]
            ).sentences,
            "curve": [
                {
                    "steps": int(step),
                    "hours": float(np.interp(step, all_steps, all_hours)),
                    "forward": float(forward),
                    "backward": float(backward),
                    "average": float(average),
                }
                for step, forward, backward, average in zip(
                    curve_steps,
                    directions["forward"],
                    directions["backward"],
                    averages,
                    strict=True,
                )
                if step <= steps
            ],
        },
    }


def _perplexities(model_dir, heldout, wikitext):
    """The perplexities of the texts, and how many sentences they have."""
    model, vocabulary = load_language_model(model_dir)
    encoder = LanguageModelEncoder(model.config, vocabulary)
    typical = load_typical_state(model_dir, model)
    figures = {}
    for name, path, block_sentences, state in (
        ("heldout", heldout, _BLOCK, typical),
        ("heldout_by_sentence", heldout, 1, typical),
        ("heldout_by_sentence_from_zero", heldout, 1, None),
        ("wikitext2_valid", wikitext, _BLOCK, typical),
    ):
        sentences = [tokens for tokens in read_sentences(path) if tokens]
        meter = PerplexityMeter(model, encoder, block_sentences=block_sentences)
        figures[name] = {
            "sentences": len(sentences),
            **dataclasses.asdict(meter.measure(sentences, state)),
        }
    return figures


def _senses(model_dir, tokenizer, semcor):
    """The figures of the sense probe."""
    with tempfile.TemporaryDirectory() as folder:
        saved_model = os.path.join(folder, "saved_model")
        export(
            saved_model,
            model_dir=model_dir,
            initial_state="warm",
            tokenizer=tokenizer,
            with_softmax=False,
        )
        trained = Elmo(saved_model)
        untrained = sense_probe.untrained(saved_model)
        return {
            "examples": sense_probe.probe_examples(trained),
            "semcor": sense_probe.probe_semcor(trained, semcor),
            "untrained": {
                "examples": sense_probe.probe_examples(untrained),
                "semcor": sense_probe.probe_semcor(untrained, semcor),
            },
        }
