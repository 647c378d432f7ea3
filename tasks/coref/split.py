"""Divides documents by their names into training, development and test data.

    python -m tasks.coref.split INPUT OUTPUT

INPUT is a path or glob as in `tasks.coref.convert`. OUTPUT is a new folder that
gets train.jsonlines, dev.jsonlines and test.jsonlines: of the names in
alphabetical order the first 80 %, the next 10 % and the rest. The parts of a
document stay together.

Prints one JSON line: how many documents and so on each has.
"""

import os

from elmo_tf import command_line
from elmo_tf.atomic_file import write_folder
from elmo_tf.errors import InputError
from tasks.coref.data import count_documents
from tasks.coref.data import read_documents
from tasks.coref.json_lines import write_json_lines

# In percent.
_SHARES = {"train": 80, "dev": 10, "test": 10}


def main(argv):
    _, input_path, output = argv
    pieces = split_documents(read_documents(input_path))
    with write_folder(output) as folder:
        for name, documents in pieces.items():
            path = os.path.join(folder, f"{name}.jsonlines")
            write_json_lines(path, documents)
    command_line.print_json(
        {name: count_documents(documents) for name, documents in pieces.items()}
    )


def split_documents(documents):
    """Divides documents by their names.

    Args:
        documents: A list of `CorefDocument`.

    Returns:
        A dict from train, dev and test to a list of `CorefDocument`: of n
        names in alphabetical order, those of the first 0.8 n, rounded down, of
        the names up to 0.9 n, and of the rest. Documents of one name keep their
        order.

    Raises:
        InputError: A piece would be empty.
    """
    by_key = {}
    for document in documents:
        by_key.setdefault(document.key, []).append(document)
    keys = sorted(by_key)
    pieces = {}
    start = percent = 0
    for name, share in _SHARES.items():
        percent += share
        end = len(keys) * percent // 100
        if start == end:
            raise InputError(
                f"found documents of {len(keys)} names, expected so many that "
                f"{share} percent of them, for {name}, are at least one"
            )
        pieces[name] = [
            document for key in keys[start:end] for document in by_key[key]
        ]
        start = end
    return pieces


if __name__ == "__main__":
    command_line.run(main, arguments=["INPUT", "OUTPUT"])
