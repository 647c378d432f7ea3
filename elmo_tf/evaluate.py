"""Measures the perplexity of a pre-trained biLM on a text.

    python -m elmo_tf.evaluate --model_dir=MODEL_DIR --input_path=heldout.txt

prints one JSON line.
"""

import dataclasses
import sys

from absl import flags

from elmo_tf import command_line
from elmo_tf.language_model_batch import LanguageModelEncoder
from elmo_tf.model_dir import load_language_model
from elmo_tf.model_dir import load_typical_state
from elmo_tf.perplexity import PerplexityMeter
from elmo_tf.text.corpus_statistics import scan
from elmo_tf.training.progress import Progress

FLAGS = flags.FLAGS

flags.DEFINE_string("model_dir", None, "Folder of the pre-training.")
flags.DEFINE_string(
    "input_path",
    None,
    "Files of one tokenised sentence a line, plain or gzip: a glob, or several "
    "with commas between them.",
)
flags.DEFINE_integer(
    "batch_size",
    32,
    "Number of blocks to run at once; without influence on the result.",
    lower_bound=1,
)
flags.DEFINE_integer(
    "block_sentences",
    64,
    "Number of sentences in a block, within which the LSTM state is carried; "
    "1: each sentence by itself.",
    lower_bound=1,
)
flags.DEFINE_enum(
    "initial_state",
    "warm",
    ["warm", "zero"],
    "Where a block starts: warm, from the mean of the states that the training "
    "carried; zero, as bilm-tf does at the beginning of a file.",
)


def main(_):
    model, vocabulary = load_language_model(FLAGS.model_dir)
    statistics = scan(FLAGS.input_path)
    initial_state = None
    if FLAGS.initial_state == "warm":
        initial_state = load_typical_state(FLAGS.model_dir, model)
    meter = PerplexityMeter(
        model,
        LanguageModelEncoder(model.config, vocabulary),
        FLAGS.batch_size,
        FLAGS.block_sentences,
    )
    progress = Progress(statistics.targets, step_name="token", file=sys.stderr)
    perplexity = meter.measure_files(
        FLAGS.input_path,
        initial_state,
        lambda done, new: progress.update(done, new, {}),
    )
    command_line.print_json(dataclasses.asdict(perplexity))


if __name__ == "__main__":
    flags.mark_flags_as_required(["model_dir", "input_path"])
    command_line.run(main)
