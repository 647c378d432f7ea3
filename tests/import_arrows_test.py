"""Imports run down the architecture's arrows, and the checker sees if not."""

import pathlib

import pytest

from tools import import_arrows
from tools import source_tree

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent


def write_tree(root, files):
    for path, text in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def test_every_import_runs_down_the_arrows():
    assert import_arrows.find_violations(REPOSITORY) == []


def test_the_checkout_was_really_read():
    modules = source_tree.read_modules(REPOSITORY, source_tree.PACKAGES)
    assert {"elmo_tf.errors", "bidaf_tf", "tasks"} <= modules.keys()
    assert "elmo_tf.errors" in {
        found.target for found in modules["elmo_tf.command_line"].imports
    }


def test_imports_down_the_arrows_are_welcome(tmp_path):
    write_tree(
        tmp_path,
        {
            "elmo_tf/__init__.py": "from elmo_tf.bilm import BiLM\n",
            "elmo_tf/_codes.py": "",
            "elmo_tf/bilm.py": "import numpy\nfrom elmo_tf import _codes\n",
            "elmo_tf/errors.py": "",
            "elmo_tf/training/__init__.py": "",
            "elmo_tf/training/seeds.py": "from elmo_tf import errors\n",
            "elmo_tf/training/loop.py": "from . import seeds\n",
            "bidaf_tf/__init__.py": "import elmo_tf\n",
            "tasks/__init__.py": "import bidaf_tf\nfrom elmo_tf import bilm\n",
            "tasks/late.py": "def f():\n    import json\n",
        },
    )
    assert import_arrows.find_violations(tmp_path) == []


@pytest.mark.parametrize(
    "path, text, word",
    [
        (
            "elmo_tf/a.py",
            "import os\nimport bidaf_tf.squad\n",
            "elmo_tf/a.py:2: elmo_tf must not import bidaf_tf.squad",
        ),
        (
            "elmo_tf/text/a.py",
            "from tasks import squad\n",
            "elmo_tf/text/a.py:1: elmo_tf must not import tasks.squad",
        ),
        (
            "elmo_tf/a.py",
            "try:\n    import tasks\nexcept ImportError:\n    pass\n",
            "elmo_tf/a.py:2: elmo_tf must not import tasks",
        ),
        (
            "bidaf_tf/a.py",
            "from tasks.squad import data\n",
            "bidaf_tf/a.py:1: bidaf_tf must not import tasks.squad.data",
        ),
        (
            "bidaf_tf/a.py",
            "import importlib\nimportlib.import_module('tasks.squad')\n",
            "bidaf_tf/a.py:2: bidaf_tf must not import tasks.squad",
        ),
        (
            "tasks/a.py",
            "from tests import reference\n",
            "tasks/a.py:1: tasks must not import tests",
        ),
        (
            "tasks/a.py",
            "class A:\n    def f(self):\n        from elmo_tf import errors\n",
            "tasks/a.py:3: elmo_tf.errors is imported inside a function",
        ),
        (
            "elmo_tf/training/a.py",
            "from elmo_tf.text import corpus\n",
            "elmo_tf/training/a.py:1: elmo_tf.training must not import "
            "elmo_tf.text.corpus",
        ),
        (
            "elmo_tf/training/a.py",
            "from ..text.corpus import read\n",
            "elmo_tf/training/a.py:1: elmo_tf.training must not import "
            "elmo_tf.text.corpus",
        ),
        (
            "elmo_tf/training/a.py",
            "import elmo_tf\n",
            "elmo_tf/training/a.py:1: elmo_tf.training must not import elmo_tf",
        ),
        (
            "tasks/a.py",
            "from elmo_tf.text import _bytes\n",
            "tasks/a.py:1: elmo_tf.text._bytes is private to elmo_tf.text",
        ),
        (
            "elmo_tf/a.py",
            "from elmo_tf.errors import _line\n",
            "elmo_tf/a.py:1: elmo_tf.errors._line is private to elmo_tf.errors",
        ),
    ],
)
def test_an_import_against_the_arrows_is_reported(tmp_path, path, text, word):
    write_tree(
        tmp_path,
        {
            "elmo_tf/errors.py": "",
            "elmo_tf/text/__init__.py": "",
            "elmo_tf/text/corpus.py": "",
            "elmo_tf/text/_bytes.py": "",
            "tasks/squad/__init__.py": "",
            "tasks/squad/data.py": "",
            path: text,
        },
    )
    assert import_arrows.find_violations(tmp_path) == [word]


def test_a_cycle_is_reported(tmp_path):
    write_tree(
        tmp_path,
        {
            "elmo_tf/a.py": "from elmo_tf import b\n",
            "elmo_tf/b.py": "from elmo_tf.c import f\n",
            "elmo_tf/c.py": "import elmo_tf.a\n",
        },
    )
    assert import_arrows.find_violations(tmp_path) == [
        "import cycle: elmo_tf.a -> elmo_tf.b -> elmo_tf.c -> elmo_tf.a"
    ]


def test_a_module_that_imports_its_own_public_package_is_a_cycle(tmp_path):
    write_tree(
        tmp_path,
        {
            "elmo_tf/__init__.py": "from elmo_tf.embedder import Elmo\n",
            "elmo_tf/embedder.py": "import elmo_tf\n",
        },
    )
    assert import_arrows.find_violations(tmp_path) == [
        "import cycle: elmo_tf -> elmo_tf.embedder -> elmo_tf"
    ]
