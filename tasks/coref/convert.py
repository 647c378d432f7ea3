"""Converts between CoNLL-2012's format and e2e-coref's JSON lines.

    python -m tasks.coref.convert INPUT OUTPUT

INPUT is a path or glob, or several with commas between them; the format is told
by the content. OUTPUT is a file whose name ends in `conll` for the one format,
in `.jsonl` or `.jsonlines` for the other:

    python -m tasks.coref.convert 'coref/conll/*.conll' litbank.jsonlines

Prints one JSON line: how many documents, sentences, tokens, clusters and
mentions there are.
"""

from elmo_tf import command_line
from elmo_tf.atomic_file import check_output_file
from tasks.coref.data import count_documents
from tasks.coref.data import find_writer
from tasks.coref.data import read_documents


def main(argv):
    _, input_path, output_path = argv
    write = find_writer(output_path)
    documents = read_documents(input_path)
    # A file that is read must not be lost.
    check_output_file(
        output_path,
        [document.place.rpartition(":")[0] for document in documents],
    )
    write(output_path, documents)
    command_line.print_json(count_documents(documents))


if __name__ == "__main__":
    command_line.run(main, arguments=["INPUT", "OUTPUT"])
