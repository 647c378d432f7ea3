"""Fuzzes one target until the time is over; see `tests.fuzz.run`.

    python -m tests.fuzz.run_target --target=NAME --seconds=60 --seed=0 \
        --corpus_dir=DIR --findings_dir=DIR

An exception is written down and does not end it; what ends the process is left
to the one that started it.
"""

import argparse
import hashlib
import json
import pathlib
import random
import resource
import sys
import time
import traceback

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent.parent
STATISTICS_FILE_NAME = "statistics.json"

# TensorFlow alone takes more than half of this.
_RESIDENT_MEGABYTES = 3_000
_ADDRESS_SPACE = 12 * 2**30
_INPUT_SECONDS = 15
_LONGEST_INPUT = 2**16
# How often our own mutations take the place of libFuzzer's.
_OWN_SHARE = 0.3


def main():
    """Runs libFuzzer, which ends the process."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--target", required=True)
    parser.add_argument("--seconds", type=int, required=True)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--corpus_dir", type=pathlib.Path, required=True)
    parser.add_argument("--findings_dir", type=pathlib.Path, required=True)
    options = parser.parse_args()

    import atheris

    with atheris.instrument_imports(include=["elmo_tf", "bidaf_tf", "tasks"]):
        from tests.fuzz.mutations import mutate
        from tests.fuzz.targets import find_target

    target = find_target(options.target)
    options.corpus_dir.mkdir(parents=True, exist_ok=True)
    options.findings_dir.mkdir(parents=True, exist_ok=True)
    for seed in target.seeds():
        name = hashlib.sha256(seed).hexdigest()[:20]
        (options.corpus_dir / name).write_bytes(seed)
    # The first run loads and traces what the others use.
    target.run(target.seeds()[0])
    resource.setrlimit(resource.RLIMIT_AS, (_ADDRESS_SPACE, _ADDRESS_SPACE))
    recorder = Recorder(target, options.findings_dir)

    def mutated(data, size, seed):
        generator = random.Random(seed)
        if generator.random() > _OWN_SHARE:
            return atheris.Mutate(data, size)
        return mutate(data, target, generator)[:size]

    arguments = [
        sys.argv[0],
        str(options.corpus_dir),
        f"-artifact_prefix={options.findings_dir}/",
        f"-max_total_time={options.seconds}",
        f"-seed={options.seed + 1}",
        f"-timeout={_INPUT_SECONDS}",
        f"-rss_limit_mb={_RESIDENT_MEGABYTES}",
        f"-max_len={_LONGEST_INPUT}",
        "-verbosity=0",
    ]
    if target.tokens:
        dictionary = options.findings_dir / "dictionary.txt"
        dictionary.write_text(
            "".join(f'"{_escaped(token)}"\n' for token in target.tokens)
        )
        arguments.append(f"-dict={dictionary}")
    atheris.Setup(arguments, recorder.run, custom_mutator=mutated)
    atheris.Fuzz()


class Recorder:
    """Runs a target, counts that, and writes down what it raises.

    Args:
        target: The `FuzzTarget`.
        folder: Where to write, a `pathlib.Path`: an input for each place that
            something was raised at, and statistics.
    """

    def __init__(self, target, folder):
        self._target = target
        self._folder = folder
        self._n_runs = 0
        self._last_write = 0.0
        self._found = {}

    def run(self, data):
        """Runs the target with bytes."""
        self._n_runs += 1
        if time.monotonic() - self._last_write > 0.2:
            self._write()
        try:
            self._target.run(data)
        except Exception as error:
            place = _place(error)
            if place not in self._found:
                name = hashlib.sha256(place.encode()).hexdigest()[:12]
                (self._folder / f"raised-{name}").write_bytes(data)
                self._found[place] = f"{type(error).__name__}: {error}"[:300]
                self._write()

    def _write(self):
        (self._folder / STATISTICS_FILE_NAME).write_text(
            json.dumps({"executions": self._n_runs, "raised": self._found})
        )
        self._last_write = time.monotonic()


def _place(error):
    """Where an exception comes from: its type, and the last line of ours."""
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename.startswith(str(REPOSITORY))
    ]
    last = frames[-1]
    path = pathlib.Path(last.filename).relative_to(REPOSITORY)
    return f"{type(error).__name__} at {path}:{last.lineno}"


def _escaped(token):
    return "".join(f"\\x{byte:02x}" for byte in token)


if __name__ == "__main__":
    main()
