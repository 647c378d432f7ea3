r"""Turns files with semantic roles into each other.

    python -m tasks.srl.convert test.gold_conll --layout=props \
        --output=test.props
    python -m tasks.srl.convert test.props --words=test.words \
        --layout=conll2012 --output=test.gold_conll
    python -m tasks.srl.convert fi_tdt-up-test.conllup \
        --words=fi_tdt-ud-test.conllu --layout=universal_propbank \
        --output=test.conllup

`tasks.srl.file_layout` describes the layouts; that of the input is told from
its columns. Prints one JSON line: how many sentences, tokens, propositions and
arguments were written. Scripts that score `props` compare the predicates'
lemmas too: convert gold data and predictions alike.
"""

from absl import flags

from elmo_tf import command_line
from elmo_tf.atomic_file import check_output_file
from elmo_tf.atomic_file import write_file
from tasks.srl.data import read_sentences
from tasks.srl.data import write_sentences
from tasks.srl.file_layout import LAYOUTS
from tasks.srl.predicates import with_verbs_as_predicates


def main(argv):
    options = flags.FLAGS
    inputs = [argv[1], *([options.words] if options.words else [])]
    check_output_file(options.output, inputs, "--output=")
    sentences = read_sentences(argv[1], options.input_layout, options.words)
    if options.predicates == "verbs":
        sentences = list(map(with_verbs_as_predicates, sentences))
    with (
        write_file(options.output) as partial,
        open(partial, "w", encoding="utf-8") as file,
    ):
        write_sentences(sentences, file, options.layout)
    propositions = [
        proposition
        for sentence in sentences
        for proposition in sentence.propositions
    ]
    command_line.print_json(
        {
            "sentences": len(sentences),
            "tokens": sum(map(len, sentences)),
            "propositions": len(propositions),
            "arguments": sum(
                span.label != "V"
                for proposition in propositions
                for span in proposition.arguments
            ),
        }
    )


if __name__ == "__main__":
    # Not above: whoever imports this module has flags of their own.
    flags.DEFINE_enum("layout", None, list(LAYOUTS), "Layout to write.")
    flags.DEFINE_string("output", None, "File to write.")
    flags.DEFINE_enum(
        "input_layout",
        None,
        list(LAYOUTS),
        "Layout of the input; default: told from its columns.",
    )
    flags.DEFINE_string(
        "words",
        None,
        "File with the words, for an input without: one a line, blank lines "
        "between sentences; for Universal PropBank the treebank's CoNLL-U "
        "file.",
    )
    flags.DEFINE_enum(
        "predicates",
        "given",
        ["given", "verbs"],
        "Which predicates to write: those of the input, or all words with a "
        "verb's part of speech (Penn Treebank or Universal Dependencies), "
        "without arguments.",
    )
    flags.mark_flags_as_required(["layout", "output"])
    command_line.run(main, arguments=["INPUT"])
