"""Writes the SavedModel of a tiny biLM, in a process of its own.

python -m tests.faults.make_bilm FOLDER
"""

import sys

from tests.tasks import tiny_elmo

if __name__ == "__main__":
    tiny_elmo.export(sys.argv[1])
