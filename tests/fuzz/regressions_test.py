"""What fuzzing has found stays mended, in little memory and time."""

import json
import re
import subprocess
import sys

import pytest

from elmo_tf.errors import InputError
from tests.binaries import program_environment
from tests.fuzz import replay
from tests.fuzz.regressions import regressions
from tests.fuzz.run_target import REPOSITORY
from tests.fuzz.targets import find_target

# Without TensorFlow, which must not run before its devices are set up.
TARGETS = (
    *("predict_json", "rest", "grpc", "squad_answers", "squad", "snli"),
    *("coref_json", "coref_conll", "srl", "word_vectors", "wsd_xml"),
    *("overrides", "task_shape", "options", "hdf5", "hdf5_embeddings"),
    *("semcor", "semcor_archive", "cloze_archive", "corpus", "saved_model"),
    *("checksums", "corpus_plan", "archive"),
)

_MEGABYTES = 200
_SECONDS = 5


@pytest.fixture(scope="module")
def replayed(tmp_path_factory):
    """What became of each, in a process of its own: nothing kills this one."""
    folder = tmp_path_factory.mktemp("inputs")
    arguments = []
    for target, inputs in regressions().items():
        for name, content in inputs.items():
            path = folder / f"{target}-{name}"
            path.write_bytes(content)
            arguments.append(f"{target}={path}")
    process = subprocess.run(
        [sys.executable, "-m", replay.__name__, *arguments],
        env=program_environment(),
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        text=True,
    )
    lines = map(json.loads, process.stdout.splitlines())
    return {
        line["input"].split("=")[1].rpartition("/")[2]: line for line in lines
    }


@pytest.mark.parametrize("target", TARGETS)
def test_regressions(target, replayed):
    for name in regressions()[target]:
        # Absent: this one, or one before it, has killed the process.
        result = replayed[f"{target}-{name}"]
        assert result["error"] is None, name
        assert result["seconds"] < _SECONDS, name
        assert result["megabytes"] < _MEGABYTES, name


def test_no_target_is_left_out():
    assert set(TARGETS) == regressions().keys()


@pytest.mark.parametrize(
    "target, name, words",
    [
        ("hdf5", "external", "lie in another file"),
        ("hdf5", "virtual", "lie in another file"),
        ("hdf5", "link", "found a link"),
        ("hdf5", "soft_link", "found a link"),
        ("hdf5_embeddings", "declares_terabytes", "declares 2,199,023,255,552"),
        ("options", "giant_biLM", "has no dataset|has the shape"),
        ("options", "long_words", "less than or equal to 10000"),
        ("corpus", "bomb", "bytes in .* of gzip"),
        ("corpus", "bomb_of_a_line", "bytes in .* of gzip"),
        ("wsd_xml", "laughs", "the declaration of an entity"),
        ("overrides", "laughs", "alias"),
        ("semcor_archive", "giant_member", "1,099,511,627,776 bytes"),
        ("cloze_archive", "giant_member", "1,099,511,627,776 bytes"),
        ("saved_model", "asset_above", "is no file in the folder"),
        ("saved_model", "asset_absolute", "is no file in the folder"),
        ("checksums", "above", "expected the name of a file in the folder"),
        ("checksums", "device", "expected the name of a file in the folder"),
    ],
)
def test_it_is_refused_for_what_it_is(target, name, words, monkeypatch):
    messages = []
    initialise = InputError.__init__

    def note(error, message=""):
        messages.append(str(message))
        initialise(error, message)

    monkeypatch.setattr(InputError, "__init__", note)
    find_target(target).run(regressions()[target][name])
    assert any(re.search(words, message) for message in messages), messages
