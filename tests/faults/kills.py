"""Kills the binaries at random moments, and looks whether anything is lost.

    python -m tests.faults.kills --kills=500 --seed=0 --workdir=kills

A trial starts a binary, kills it with SIGKILL, looks at what is there, starts
it again, kills it again, and so on; the last time it runs to its end, and all
that it has made must be what an undisturbed run has made: weights, optimizer,
history, results, outputs, byte for byte where there is no time of day in it.
A moment is any time between start and end; up to 50 ms after something happened
to a file of the output; or just before a call of Python that opens a file to
write, renames or removes one.

Trials that are done stand in WORKDIR/trials.jsonl. The same command goes on
where it was interrupted. The last line is one of JSON.
"""

import argparse
import collections
import dataclasses
import json
import pathlib
import shutil
import sys
import time

import numpy as np

import elmo_tf  # noqa: F401 (forks shall have it)
from tests.faults import contents
from tests.faults import killed_run
from tests.faults.killed_run import Plan
from tests.faults.subjects import BILM
from tests.faults.subjects import Subjects
from tests.faults.subjects import place_of

# The binaries with their shares of the kills: fewer of those that take long.
_SHARES = {
    "elmo_tf.train": 6,
    "tasks.train": 2,
    "elmo_tf.embed": 6,
    "tasks.predict": 4,
    "elmo_tf.export": 4,
    "tasks.export": 1,
}
BINARIES = tuple(_SHARES)
BEFORE, DURING, BETWEEN = (
    "before the first write",
    "during a write",
    "between writes",
)
# How often each moment is chosen, and a process in place of a fork.
_MOMENTS = {
    killed_run.AT_A_TIME: 0.3,
    killed_run.AFTER_AN_EVENT: 0.45,
    killed_run.BEFORE_A_CALL: 0.25,
}
_PROCESSES = 0.08
_IMPORT_SECONDS = 5.0
# TensorFlow removes these at its exit only.
_TENSORFLOWS = "__autograph_generated_file"


@dataclasses.dataclass(frozen=True)
class Reference:
    """An undisturbed run.

    Attributes:
        subject: The `Subject`.
        contents: What it made, see `read_contents`.
        checkpoints: The digests of all its checkpoints on the way.
        models: Those of their models alone.
        outcome: The `Outcome`.
    """

    subject: object
    contents: dict
    checkpoints: tuple
    models: tuple
    outcome: object


class Kills:
    """Makes trials.

    Args:
        workdir: A `pathlib.Path`, made if it does not exist.
        seed: Determines when who is killed.
        most_kills: How often to kill in a trial, at most.
    """

    def __init__(self, workdir, seed, most_kills):
        self._workdir = workdir
        self._seed = seed
        self._most_kills = most_kills
        workdir.mkdir(parents=True, exist_ok=True)
        for name in ("work", "trials"):
            shutil.rmtree(workdir / name, ignore_errors=True)
        self._work = workdir / "work"
        self._subjects = Subjects(self._work)
        self._references = {}
        # How long an undisturbed run takes, at the machine's present load.
        self._seconds = {}

    def done(self):
        """Reads the trials that are done, a list of dictionaries."""
        path = self._workdir / "trials.jsonl"
        if not path.exists():
            return []
        trials = []
        for line in path.read_text(encoding="utf-8").splitlines():
            try:
                trial = json.loads(line)
            except ValueError:
                # We were killed ourselves.
                continue
            if trial["seed"] == self._seed:
                trials.append(trial)
        return trials

    def trial(self, binary, number):
        """Makes a trial and notes it down.

        Args:
            binary: One of the binaries.
            number: The trial's number.

        Returns:
            A dictionary.
        """
        generator = np.random.default_rng(
            [self._seed, BINARIES.index(binary), number]
        )
        subjects = self._subjects.by_binary[binary]
        reference = self._reference(subjects[number % len(subjects)].name)
        folder = self._workdir / "trials" / f"{binary}-{number}"
        killed_run.make_folders(folder)
        trial = {
            "seed": self._seed,
            "binary": binary,
            "number": number,
            "subject": reference.subject.name,
            "kills": [],
            "finished_first": 0,
            "losses": [],
        }
        wanted = int(
            generator.integers(min(2, self._most_kills), self._most_kills + 1)
        )
        for _ in range(wanted):
            plan = _make_plan(
                generator,
                reference.outcome,
                self._seconds[reference.subject.name],
            )
            outcome = self._run(reference.subject, folder, plan)
            if not outcome.was_killed:
                if outcome.returncode:
                    trial["losses"].append(_describe(outcome))
                    break
                trial["finished_first"] += 1
            else:
                trial["kills"].append(
                    {
                        **dataclasses.asdict(plan),
                        "phase": _phase(folder, outcome),
                    }
                )
            trial["losses"] += self._look(reference, folder)
            if trial["losses"]:
                break
        if not trial["losses"]:
            outcome = self._run(reference.subject, folder, Plan())
            if outcome.returncode:
                trial["losses"].append(_describe(outcome))
            else:
                self._seconds[reference.subject.name] = outcome.seconds
                trial["losses"] += self._compare(reference, folder)
        if not trial["losses"]:
            shutil.rmtree(folder)
        with open(
            self._workdir / "trials.jsonl", "a", encoding="utf-8"
        ) as file:
            file.write(json.dumps(trial) + "\n")
        return trial

    def _reference(self, name):
        if name == BILM and name not in self._references:
            killed_run.in_child(self._subjects.make_bilm)
            self._references[BILM] = None
        elif name not in self._references:
            (subject,) = (
                subject
                for subjects in self._subjects.by_binary.values()
                for subject in subjects
                if subject.name == name
            )
            for needed in subject.needs:
                self._reference(needed)
            self._references[name] = self._make_reference(subject)
        return self._references[name]

    def _make_reference(self, subject):
        folder = self._work / place_of(subject.name)
        killed_run.make_folders(folder)
        outcome = self._run(subject, folder, Plan())
        if outcome.returncode:
            raise RuntimeError(f"{subject.name}: {outcome.output}")
        self._seconds[subject.name] = outcome.seconds
        made = killed_run.in_child(contents.read_contents, folder / "run")
        checkpoints = models = ()
        if subject.everything is not None:
            every = folder.with_name(f"{folder.name}_every")
            killed_run.make_folders(every)
            result = killed_run.run(
                every, subject.module, subject.everything, Plan()
            )
            if result.returncode:
                raise RuntimeError(f"{subject.name}: {result.output}")
            checkpoints, models = killed_run.in_child(
                contents.checkpoint_digests, every / "run" / "model"
            )
        print(
            f"{subject.name}: {outcome.seconds:.1f} s, {outcome.n_events} "
            f"events, {outcome.n_calls} calls",
            flush=True,
        )
        return Reference(subject, made, checkpoints, models, outcome)

    def _run(self, subject, folder, plan):
        return killed_run.run(folder, subject.module, subject.arguments, plan)

    def _look(self, reference, folder):
        """Checks what a killed run left; returns what is lost."""
        run = folder / "run"
        try:
            found = killed_run.in_child(contents.read_contents, run)
        except RuntimeError as error:
            return [f"cannot be read: {error}"]
        losses = []
        for path, digest in found.items():
            if path.endswith("best/checkpoint"):
                is_good = digest in reference.models
            elif path.endswith("/checkpoint"):
                is_good = digest in reference.checkpoints
            else:
                is_good = contents.is_same(digest, reference.contents.get(path))
            if not is_good:
                losses.append(f"{path} is none of the undisturbed run's")
        for whole in reference.subject.wholes:
            if (run / whole).exists():
                losses += [
                    f"{whole} is there without {path}"
                    for path in reference.contents
                    if path.startswith(f"{whole}/") and path not in found
                ]
                if not losses and reference.subject.is_made_once:
                    shutil.rmtree(run / whole)
        return losses

    def _compare(self, reference, folder):
        """Checks what a run that was not killed made in the end."""
        found = killed_run.in_child(contents.read_contents, folder / "run")
        expected = reference.contents
        losses = [
            f"{path} differs from the undisturbed run's"
            for path in sorted(found.keys() | expected.keys())
            if not contents.is_same(found.get(path), expected.get(path))
        ]
        leftovers = killed_run.in_child(contents.find_leftovers, folder / "run")
        leftovers += [
            str(path)
            for path in (folder / "tmp").iterdir()
            if not path.name.startswith(_TENSORFLOWS)
        ]
        return losses + [f"left over: {path}" for path in leftovers]


def _make_plan(generator, outcome, seconds):
    moment = generator.choice(list(_MOMENTS), p=list(_MOMENTS.values()))
    fork = generator.random() >= _PROCESSES
    if moment == killed_run.BEFORE_A_CALL:
        fork = True
    seconds += 0 if fork else _IMPORT_SECONDS
    number = 0
    if moment == killed_run.AT_A_TIME:
        seconds *= generator.random()
    else:
        n = (
            outcome.n_events
            if moment == killed_run.AFTER_AN_EVENT
            else outcome.n_calls
        )
        number = int(generator.integers(1, max(n, 1) + 1))
        # Half of them at once.
        seconds = max(0.0, generator.uniform(-0.05, 0.05))
    return Plan(
        str(moment),
        float(seconds),
        number,
        bool(generator.random() < 0.5),
        fork,
    )


def _phase(folder, outcome):
    if not outcome.n_events:
        return BEFORE
    leftovers = killed_run.in_child(contents.find_leftovers, folder / "run")
    return DURING if leftovers else BETWEEN


def _describe(outcome):
    lines = outcome.output.strip().splitlines()[-3:]
    return f"exit code {outcome.returncode}: {' | '.join(lines)}"


def summarize(trials):
    """Counts what the trials brought.

    Args:
        trials: A list of what `Kills.trial` returns.

    Returns:
        A dictionary from binaries to dictionaries of numbers.
    """
    summary = {}
    for trial in trials:
        row = summary.setdefault(trial["binary"], collections.Counter())
        row["trials"] += 1
        row["kills"] += len(trial["kills"])
        row["losses"] += bool(trial["losses"])
        row["finished_first"] += trial["finished_first"]
        for kill in trial["kills"]:
            row[kill["phase"]] += 1
            row[kill["moment"]] += 1
            row["python -m"] += not kill["fork"]
    return {binary: dict(row) for binary, row in summary.items()}


def table(summary):
    """Writes a summary as Markdown."""
    columns = ("kills", BEFORE, DURING, BETWEEN, "trials", "losses")
    lines = [
        f"| binary | {' | '.join(columns)} |",
        f"|---|{'---:|' * len(columns)}",
    ]
    total = collections.Counter()
    for row in summary.values():
        total.update(row)
    for name, row in (*summary.items(), ("all", total)):
        cells = " | ".join(str(row.get(column, 0)) for column in columns)
        lines.append(f"| {name} | {cells} |")
    return "\n".join(lines)


def main(arguments):
    parser = argparse.ArgumentParser(
        prog="python -m tests.faults.kills",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--binary",
        default="all",
        help=f"all, or some of {', '.join(BINARIES)}, with commas between them",
    )
    parser.add_argument("--kills", type=int, default=500, help="in all")
    parser.add_argument(
        "--most_kills", type=int, default=5, help="in a trial, at most"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workdir", type=pathlib.Path, required=True)
    options = parser.parse_args(arguments)
    binaries = BINARIES
    if options.binary != "all":
        binaries = tuple(options.binary.split(","))
        if not set(binaries) <= set(BINARIES):
            parser.error(f"--binary={options.binary}: unknown")
    started = time.monotonic()
    kills = Kills(options.workdir.absolute(), options.seed, options.most_kills)
    trials = [trial for trial in kills.done() if trial["binary"] in binaries]
    numbers = collections.Counter(trial["binary"] for trial in trials)
    n_kills = collections.Counter()
    for trial in trials:
        n_kills[trial["binary"]] += len(trial["kills"])
    while n_kills.total() < options.kills:
        binary = min(binaries, key=lambda name: n_kills[name] / _SHARES[name])
        trial = kills.trial(binary, numbers[binary])
        trials.append(trial)
        numbers[binary] += 1
        n_kills[binary] += len(trial["kills"])
        print(
            f"{time.monotonic() - started:.0f} s, {n_kills.total()}/"
            f"{options.kills} kills: {trial['subject']} {trial['number']}: "
            f"{len(trial['kills'])} kills, "
            f"{'; '.join(trial['losses']) or 'nothing lost'}",
            flush=True,
        )
    summary = summarize(trials)
    print(table(summary))
    print(json.dumps(summary), flush=True)
    return int(any(trial["losses"] for trial in trials))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
