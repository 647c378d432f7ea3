"""Makes the folder of a pre-trained biLM that comes with the package.

    python -m tools.make_pretrained --model_dir=MODEL_DIR \\
        --heldout=heldout.txt --wikitext=wiki.valid.tokens --semcor=semcor3.0 \\
        --output=elmo_tf/pretrained/mini

Exports the weights of the last checkpoint and the LSTM state to start from,
measures perplexities and the sense probe, and writes the figures into
metadata.json and the model card. A folder that is there is replaced. Prints one
line of JSON: the metadata.
"""

from absl import flags

from elmo_tf import command_line
from elmo_tf.text.tokenizer import TOKENIZERS
from tools.pretrained_folder import write_pretrained

FLAGS = flags.FLAGS

flags.DEFINE_string("model_dir", None, "Folder of the pre-training.")
flags.DEFINE_string(
    "heldout", None, "Text like that of the training, one sentence a line."
)
flags.DEFINE_string("wikitext", None, "The file wiki.valid.tokens.")
flags.DEFINE_string("semcor", None, "Folder of SemCor 3.0's archives.")
flags.DEFINE_enum(
    "tokenizer",
    "penn_treebank",
    TOKENIZERS,
    "How the training text was split, and raw sentences will be.",
)
flags.DEFINE_string("output", None, "Folder to write.")


def main(_):
    command_line.print_json(
        write_pretrained(
            FLAGS.output,
            FLAGS.model_dir,
            FLAGS.heldout,
            FLAGS.wikitext,
            FLAGS.semcor,
            FLAGS.tokenizer,
        )
    )


if __name__ == "__main__":
    flags.mark_flags_as_required(
        ["model_dir", "heldout", "wikitext", "semcor", "output"]
    )
    command_line.run(main)
