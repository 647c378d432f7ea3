"""The corpora of word sense disambiguation."""

import math
import os
import re

from elmo_tf.errors import InputError
from elmo_tf.text import shards
from tasks.wsd.evaluation_framework import is_framework_file
from tasks.wsd.evaluation_framework import read_framework_file
from tasks.wsd.evaluation_framework import set_name
from tasks.wsd.semcor import read_semcor

_EXPECTED = "sense-tagged text"
_ARCHIVE_SUFFIXES = (".tar.gz", ".tgz")


def read_training(path):
    """Reads what senses' vectors are averaged from.

    Args:
        path: SemCor's folder or archives, or files of the evaluation
            framework; of files several, with commas or as a glob.

    Returns:
        A list of `SenseSentence`.

    Raises:
        InputError: Something is missing or not what it should be.
    """
    if os.path.isdir(path):
        return _sentences(read_semcor(path))
    sentences = []
    for file in shards.list_shards(path, _EXPECTED):
        if is_framework_file(file):
            sentences += read_framework_file(file)
        elif file.endswith(_ARCHIVE_SUFFIXES):
            sentences += _sentences(read_semcor(file))
        else:
            raise InputError(
                f"{file}: expected SemCor's folder or *.tar.gz, or a file "
                "NAME.data.xml of the evaluation framework, plain or gzip"
            )
    return sentences


def read_test_sets(path):
    """Reads what is to be disambiguated.

    Args:
        path: Files of the evaluation framework, with commas or as a glob.

    Returns:
        A dictionary from the name of each data set to its list of
        `SenseSentence`, in the order of the numbers at the names' ends, which
        are years or less; without one, as `ALL`, they come last.

    Raises:
        InputError: Something is missing or not what it should be, or two data
            sets have one name.
    """
    sets = {}
    files = shards.list_shards(path, _EXPECTED)
    for file in sorted(files, key=_place):
        name = set_name(file)
        if name in sets:
            raise InputError(f"{file}: found a second data set {name}")
        sets[name] = read_framework_file(file)
    return sets


def _sentences(files):
    return [sentence for file in files.values() for sentence in file]


def _place(file):
    """Sorts senseval2, senseval3, semeval2007 and so on, then ALL."""
    name = set_name(file)
    number = re.search(r"\d+$", name)
    return (math.inf if number is None else int(number[0])), name
