"""The binary that makes the report of runs."""

import html
import json
import shutil

import pytest

from tests import binaries
from tests.tasks.reporting.html_tables import read_tables


@pytest.mark.slow
def test_a_report_of_a_real_training(training, tmp_path):
    runs = tmp_path / "runs"
    shutil.copytree(training.model_dir, runs / "ner")
    result = binaries.run(
        "tasks.report", f"--runs={runs}", f"--output={tmp_path}/report.html"
    )
    assert result.returncode == 0, result.stderr
    summary = json.loads(result.stdout.splitlines()[-1])
    assert (summary["runs"], summary["left_out"]) == (1, 0)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    results = json.loads((runs / "ner" / "results.json").read_text())
    f1 = f"{100 * results['validation']['f1']:.2f}"
    assert f'<a href="#run-1">{f1}</a> <small>1 seed</small>' in page
    assert html.escape(results["command"]) in page
    assert f"{training.folder}/train.txt: 4 examples" in page
    assert f"{training.elmo}: 2 LSTM layers" in page
    shares = [f"{share:.2f}" for share in results["elmo"]["elmo_input"]["s"]]
    assert any(
        row[1:4] == shares for table in read_tables(page) for row in table
    )
    assert "<polyline" in page


def test_mistakes(tmp_path):
    def check(message, *arguments):
        binaries.check_mistake(
            binaries.run("tasks.report", *arguments), "report", message
        )

    output = f"--output={tmp_path}/report.html"
    check(f"{tmp_path}/none: no such folder", f"--runs={tmp_path}/none", output)
    check(f"{tmp_path}: no finished run in it", f"--runs={tmp_path}", output)
    check(
        f"--output={tmp_path}: expected a file in an existing folder",
        f"--runs={tmp_path}",
        f"--output={tmp_path}",
    )
