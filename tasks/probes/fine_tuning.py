r"""Fine-tunes a biLM on the text of tasks, and measures its perplexity.

    python -m tasks.probes.fine_tuning --model_dir=PRETRAINING --output=FOLDER \
        --corpus=wnut17:ner/conll2003:wnut17/train.txt:wnut17/dev.txt \
        --corpus=sst:sst/sst5:sst/train.txt:sst/dev.txt

Section A.1 of the ELMo paper (table 7): for each task the biLM reads the
training data for one epoch, without the labels, and its perplexity on the
validation data is measured before and after, with the vocabulary of the
pre-training.

A --corpus is NAME:EXPERIMENT:TRAIN:VALIDATION. The experiment, one of
tasks.train, says which task's files these are; each text in them counts once.
FOLDER/NAME gets the sentences one a line, train.txt and validation.txt; the
fine-tuning's folder, model, by elmo_tf.train in a process of its own, and what
that prints, model.log; results.json; and the fine-tuned biLM, saved_model, for
task.elmo.saved_model. FOLDER gets results.json and table.md. The same command
goes on where it was interrupted, and leaves alone what has ended. Prints the
table, then one line of JSON.
"""

import datetime
import json
import os
import pathlib
import re
import signal
import sys

from absl import flags

from elmo_tf import command_line
from elmo_tf import experiments  # noqa: F401 (registers the experiments)
from elmo_tf.errors import InputError
from elmo_tf.exporting import export
from elmo_tf.json_file import read_json
from elmo_tf.json_file import write_json
from elmo_tf.machine import describe_machine
from elmo_tf.text.tokenizer import TOKENIZERS
from elmo_tf.training.experiment import experiment_config
from elmo_tf.training.experiment import experiment_names
from elmo_tf.training.overrides import override
from elmo_tf.training.overrides import read_overrides
from elmo_tf.training.overrides import to_dict
from tasks.markdown_table import markdown_table
from tasks.probes.child_process import run_module
from tasks.probes.page import write_page
from tasks.probes.pretraining_source import PretrainingSource
from tasks.probes.task_text import read_task_text
from tasks.probes.task_text import write_text
from tasks.registry import experiment_class
from tasks.results import RESULTS_FILE_NAME
from tasks.results import write_results

FLAGS = flags.FLAGS

_MODULE = "tasks.probes.fine_tuning"

_SPLITS = ("train", "validation")
_SETTINGS_FILE_NAME = "settings.json"
_TAKEN = {
    "task.init_weights": "--model_dir",
    "task.train_data.input_path": "--corpus",
    "task.validation_data.input_path": "--corpus",
    "task.vocab_file": "--model_dir",
}

flags.DEFINE_string(
    "model_dir",
    None,
    "Folder of the pre-training; or an official HDF5 weights file with the "
    "options.json, vocab.txt and softmax.h5 of elmo_tf.export beside it.",
)
flags.DEFINE_multi_string(
    "corpus",
    None,
    "NAME:EXPERIMENT:TRAIN:VALIDATION, a task's files; may be given several "
    "times.",
)
flags.DEFINE_string(
    "output", None, "Folder for the results; made if it does not exist."
)
flags.DEFINE_string(
    "experiment",
    "elmo/mini",
    "Name of the configuration of elmo_tf.train to fine-tune with; the biLM's "
    "shape and vocabulary are those of --model_dir.",
)
flags.DEFINE_string(
    "params_override",
    "",
    "Values that override the experiment's in all fine-tunings: a.b=1,c.d=2.",
)
flags.DEFINE_enum(
    "tokenizer",
    "whitespace",
    TOKENIZERS,
    "How the SavedModels split raw sentences.",
)


def main(_):
    # Else the process that trains would outlive this one.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    output = pathlib.Path(FLAGS.output)
    corpora = _read_corpora()
    source = PretrainingSource(FLAGS.model_dir)
    changes = _read_changes()
    # Before the first of them starts, what is wrong with any.
    settings = {
        name: _settings(source, corpus, output / name, changes)
        for name, corpus in corpora.items()
    }
    found = {
        name: _read_results(output / name, settings[name]) for name in corpora
    }
    texts = {
        name: {
            split: read_task_text(corpus["experiment"], corpus[split])
            for split in _SPLITS
        }
        for name, corpus in corpora.items()
        if found[name] is None
    }
    for name, text in texts.items():
        found[name] = _fine_tune(source, output / name, settings[name], text)
    table = _table(found)
    _write_page(output / "table.md", table)
    results = {
        "probe": "fine_tuning",
        "model_dir": FLAGS.model_dir,
        "command": command_line.command(_MODULE),
        "date": datetime.datetime.now(datetime.UTC).isoformat("T", "seconds"),
        "experiment": FLAGS.experiment,
        "params_override": FLAGS.params_override,
        "corpora": found,
        "machine": describe_machine(),
    }
    write_results(output, results)
    print(table)
    command_line.print_json(results)


def _read_corpora():
    """Each corpus' experiment and files, by its name."""
    corpora = {}
    for text in FLAGS.corpus:
        parts = text.split(":")
        if len(parts) != 4 or not all(parts):
            raise InputError(
                f"--corpus: found {text!r}, expected "
                "NAME:EXPERIMENT:TRAIN:VALIDATION"
            )
        name, *values = parts
        if not re.fullmatch(r"\w[\w.-]*", name):
            raise InputError(
                f"--corpus: found the name {name!r}, expected letters, digits, "
                "dots and hyphens"
            )
        if name in corpora:
            raise InputError(f"--corpus: found {name} twice")
        corpora[name] = dict(zip(("experiment", *_SPLITS), values, strict=True))
        experiment = corpora[name]["experiment"]
        known = [
            known
            for known in experiment_names()
            if experiment_class(known.partition("/")[0])
        ]
        if experiment not in known:
            raise InputError(
                f"--corpus: found the experiment {experiment!r}, expected one "
                f"of {', '.join(known)}"
            )
    return corpora


def _read_changes():
    """The user's changes of the experiment, by dotted names."""
    text = FLAGS.params_override
    if not text:
        return {}
    if "=" not in text.split(":")[0]:
        raise InputError(
            f"--params_override: found {text!r}, expected a.b=1,c.d=2"
        )
    changes = read_overrides(text, "--params_override")
    for name in changes:
        is_shape = (
            name == "task.model" or name.startswith("task.model.")
        ) and name != "task.model.dropout"
        if is_shape or name in _TAKEN:
            reason = "--model_dir" if is_shape else _TAKEN[name]
            raise InputError(
                f"--params_override: found {name}, but {reason} says that"
            )
    return changes


def _settings(source, corpus, folder, changes):
    """All that a fine-tuning depends on."""
    config = override(
        experiment_config(FLAGS.experiment),
        {
            "task.model": {**to_dict(source.config), "n_tokens_vocab": None},
            "task.vocab_file": os.path.abspath(source.vocab_file),
            "task.init_weights": os.path.abspath(source.path),
            "task.train_data.input_path": str(_text_file(folder, "train")),
            "trainer.train_epochs": 1,
        },
        FLAGS.model_dir,
    )
    config = override(config, changes, "--params_override")
    return {
        "corpus": {
            "experiment": corpus["experiment"],
            **{split: os.path.abspath(corpus[split]) for split in _SPLITS},
        },
        "checkpoint": os.path.abspath(source.checkpoint),
        "tokenizer": FLAGS.tokenizer,
        "config": to_dict(config),
    }


def _read_results(folder, settings):
    """What a fine-tuning has found; None if it has not ended.

    Raises InputError if the one in the folder has other settings.
    """
    path = folder / _SETTINGS_FILE_NAME
    if not path.exists():
        return None
    begun = read_json(path, "the settings of a fine-tuning")
    for name, value in settings.items():
        if begun.get(name) != value:
            raise InputError(
                f"{path}: found {name}={begun.get(name)}, expected {value}; "
                "use another --output"
            )
    path = folder / RESULTS_FILE_NAME
    if not path.exists():
        return None
    return read_json(path, "the results of a fine-tuning")


def _fine_tune(source, folder, settings, text):
    """Fine-tunes on one corpus, and returns its figures."""
    folder.mkdir(parents=True, exist_ok=True)
    write_json(folder / _SETTINGS_FILE_NAME, settings)
    for split in _SPLITS:
        write_text(_text_file(folder, split), text[split])
    validation = str(_text_file(folder, "validation"))
    before = source.perplexity(validation)
    _say(folder, "before", before)
    model_dir = str(folder / "model")
    run_module(
        "elmo_tf.train",
        [
            f"--experiment={FLAGS.experiment}",
            f"--model_dir={model_dir}",
            f"--params_override={json.dumps(settings['config'])}",
        ],
        folder.name,
        f"{model_dir}.log",
    )
    tuned = PretrainingSource(model_dir)
    after = tuned.perplexity(validation)
    _say(folder, "after", after)
    saved_model = folder / "saved_model"
    if not saved_model.exists():
        export(
            str(saved_model),
            model_dir=model_dir,
            initial_state="warm",
            tokenizer=FLAGS.tokenizer,
            with_softmax=False,
        )
    results = {
        **settings["corpus"],
        **{
            f"{split}_sentences": len(sentences)
            for split, sentences in text.items()
        },
        **{
            f"{split}_tokens": sum(map(len, sentences))
            for split, sentences in text.items()
        },
        "steps": int(tuned.checkpoint.rpartition("-")[2]),
        "before": before,
        "after": after,
        "saved_model": str(saved_model),
    }
    write_results(folder, results)
    return results


def _text_file(folder, split):
    return folder.absolute() / f"{split}.txt"


def _say(folder, when, perplexity):
    print(
        f"{folder.name}: perplexity {when} fine-tuning "
        f"{perplexity['average_perplexity']:.1f}",
        file=sys.stderr,
        flush=True,
    )


def _table(found):
    return markdown_table(
        [
            "perplexity",
            "before",
            "after",
            "sentences",
            "tokens",
            "steps",
            "validation tokens",
            "unknown",
        ],
        [
            [
                name,
                f"{results['before']['average_perplexity']:.1f}",
                f"{results['after']['average_perplexity']:.1f}",
                f"{results['train_sentences']:,}",
                f"{results['train_tokens']:,}",
                f"{results['steps']:,}",
                f"{results['validation_tokens']:,}",
                _share_of_unknown(results["before"]),
            ]
            for name, results in found.items()
        ],
    )


def _share_of_unknown(perplexity):
    share = perplexity["unknown_tokens"] / perplexity["tokens"]
    return f"{100 * share:.1f} %"


def _write_page(path, table):
    write_page(
        path,
        f"Fine-tuning {FLAGS.model_dir}",
        _MODULE,
        table,
        "Perplexity of the validation data before and after the biLM has read "
        "the training data, without labels: the mean of the two directions', "
        "with the exact softmax over the pre-training's vocabulary. Unknown: "
        "what of the tokens to predict, sentence boundaries among them, is not "
        "in it.",
    )


if __name__ == "__main__":
    flags.mark_flags_as_required(["model_dir", "corpus", "output"])
    command_line.run(main)
