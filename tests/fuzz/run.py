"""Fuzzes what reads the files and requests of strangers.

    python -m tests.fuzz.run --target=all --minutes=1 --seed=0

Each target (`--target` names one, or several with commas; `--list` lists them)
runs in processes of its own, guided by coverage (atheris), from the samples in
the tests and what earlier runs have left in `--corpus_dir`. A process that
ends before its time, by a signal, too much memory or an input that takes too
long, is started again. What is found lies in `--findings_dir`, a file each;
`python -m tests.fuzz.replay` runs it again. One line of JSON for each target
and a table come out; the exit code is 1 where something was found.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import time

from elmo_tf.errors import InputError
from tests.fuzz.run_target import REPOSITORY
from tests.fuzz.run_target import STATISTICS_FILE_NAME

_START_SECONDS = 120
_ARTIFACTS = ("crash-", "oom-", "timeout-", "leak-")


def main(arguments=None):
    """Runs the targets; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--target", default="all")
    parser.add_argument("--minutes", type=float, default=1.0, help="for each")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--corpus_dir", type=pathlib.Path, default="fuzz/corpus"
    )
    parser.add_argument(
        "--findings_dir", type=pathlib.Path, default="fuzz/findings"
    )
    parser.add_argument("--list", action="store_true", help="list the targets")
    options = parser.parse_args(arguments)

    # Importing TensorFlow takes longer than --help should.
    from tests.fuzz.targets import find_target
    from tests.fuzz.targets import target_names

    names = target_names()
    if options.list:
        print("\n".join(names))
        return 0
    if options.target != "all":
        names = options.target.split(",")
        for name in names:
            try:
                find_target(name)
            except InputError as error:
                parser.error(str(error))
    results = []
    for name in names:
        results.append(_run(name, options))
        print(json.dumps(results[-1]), flush=True)
    print("\n| target | executions | minutes | findings |\n|---|--:|--:|--:|")
    for result in results:
        print(
            f"| {result['target']} | {result['executions']:,} | "
            f"{result['minutes']:.1f} | {len(result['findings'])} |"
        )
    return int(any(result["findings"] for result in results))


def _run(name, options):
    """Fuzzes a target; returns a dictionary."""
    folder = options.findings_dir / name
    folder.mkdir(parents=True, exist_ok=True)
    before = set(folder.iterdir())
    n_executions = 0
    raised = {}
    ends = []
    start = time.monotonic()
    end = start + 60 * options.minutes
    seed = options.seed
    while (seconds := round(end - time.monotonic())) > 0:
        (folder / STATISTICS_FILE_NAME).unlink(missing_ok=True)
        with open(folder / "log.txt", "ab") as log:
            process = subprocess.Popen(
                [
                    *(sys.executable, "-m", "tests.fuzz.run_target"),
                    f"--target={name}",
                    f"--seconds={seconds}",
                    f"--seed={seed}",
                    f"--corpus_dir={options.corpus_dir / name}",
                    f"--findings_dir={folder}",
                ],
                cwd=REPOSITORY,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
            try:
                code = process.wait(seconds + _START_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                code = "hang"
        if (folder / STATISTICS_FILE_NAME).exists():
            statistics = json.loads((folder / STATISTICS_FILE_NAME).read_text())
            n_executions += statistics["executions"]
            raised.update(statistics["raised"])
        if code:
            ends.append(code)
            if not (folder / STATISTICS_FILE_NAME).exists():
                # It does not even start.
                break
        seed += 1
    findings = [f"{place}: {text}" for place, text in raised.items()]
    findings += [
        path.name
        for path in sorted(set(folder.iterdir()) - before)
        if path.name.startswith(_ARTIFACTS)
    ]
    if len(ends) > sum(not text.count(": ") for text in findings):
        findings += [f"ended with {end}" for end in ends]
    return {
        "target": name,
        "executions": n_executions,
        "minutes": round((time.monotonic() - start) / 60, 2),
        "findings": findings,
    }


if __name__ == "__main__":
    sys.exit(main())
