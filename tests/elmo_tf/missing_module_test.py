import os
import subprocess
import sys

import pytest

from elmo_tf.missing_module import explain_missing_modules


@pytest.fixture
def explained(monkeypatch, capsys):
    """Calls the hook; returns what is printed and what goes to the old one."""
    passed_on = []
    monkeypatch.setattr(sys, "excepthook", lambda *args: passed_on.append(args))
    monkeypatch.setattr(sys, "argv", ["/somewhere/elmo_tf/train.py"])
    explain_missing_modules()

    def call(error):
        sys.excepthook(type(error), error, None)
        return capsys.readouterr().err, passed_on

    return call


def test_a_distribution_that_is_not_installed(explained):
    error = ModuleNotFoundError("No module named 'orbit.x'", name="orbit.x")
    assert explained(error) == (
        "train.py: error: the module orbit is not installed; requirements.txt "
        "names all that the binaries need, requirements-embed.txt what "
        "embedding and serving do\n",
        [],
    )


@pytest.mark.parametrize(
    "error",
    [
        ModuleNotFoundError("No module named 'elmo_tf.x'", name="elmo_tf.x"),
        ModuleNotFoundError("of no name"),
        ImportError("cannot import", name="orbit"),
        ValueError("something else"),
    ],
)
def test_a_defect_of_ours_keeps_its_traceback(explained, error):
    assert explained(error) == ("", [(type(error), error, None)])


def test_a_binary(tmp_path):
    """With a distribution that is there for everybody else."""
    (tmp_path / "orbit.py").write_text(
        "raise ModuleNotFoundError(\"No module named 'orbit'\", name='orbit')"
    )
    result = subprocess.run(
        [sys.executable, "-m", "elmo_tf.train", "--help"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert result.returncode == 1
    assert result.stderr.splitlines()[-1].startswith(
        "train.py: error: the module orbit is not installed; "
    )
    assert "Traceback" not in result.stderr
