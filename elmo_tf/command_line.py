"""Runs a binary so that a user's mistake ends in one line, not a traceback."""

import json
import os
import shlex
import signal
import sys

from absl import app
from absl import flags
from absl import logging

from elmo_tf.errors import InputError
from elmo_tf.errors import RunError

USAGE_ERROR_EXIT_CODE = 2


def run(main, arguments=()):
    """Parses the flags, calls `main(argv)` and exits.

    A user's mistake (`InputError`, a missing or unreadable file, a wrong flag,
    a positional argument missing or too many) is printed as one line
    `PROGRAM: error: MESSAGE` on standard error, with exit code 2; a run that
    cannot go on (`RunError`) likewise, with the error's exit code. Any other
    exception is a defect of ours and keeps its traceback.

    Args:
        main: The function to call with the arguments that are not flags; its
            return value, if not None, is the exit code.
        arguments: The names of the positional arguments that it takes.
    """
    app.run(
        lambda argv: _run_guarded(main, argv, arguments),
        flags_parser=_parse_flags,
    )


def command(module):
    """Says how this process was started, for who wants to do it again.

    Args:
        module: The binary's module, as `python -m` takes it.

    Returns:
        The command with its arguments, quoted for a shell.
    """
    return shlex.join(["python", "-m", module, *sys.argv[1:]])


def _parse_flags(argv):
    try:
        return flags.FLAGS(argv)
    except flags.Error as error:
        _print_error(argv, error)
        sys.exit(USAGE_ERROR_EXIT_CODE)


def _run_guarded(main, argv, arguments=()):
    if not flags.FLAGS["verbosity"].present:
        # orbit prints what it logs.
        logging.set_verbosity(logging.WARNING)
    try:
        _check_arguments(argv[1:], arguments)
        return main(argv)
    except KeyboardInterrupt:
        program = os.path.basename(argv[0])
        print(f"\n{program}: interrupted", file=sys.stderr)
        return 128 + signal.SIGINT
    except BrokenPipeError:
        # The reader of our output (head, less) is gone: not an error of ours.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except (InputError, OSError, RunError) as error:
        _print_error(argv, error)
        if isinstance(error, RunError):
            return error.exit_code
        return USAGE_ERROR_EXIT_CODE


def _check_arguments(given, names):
    if len(given) > len(names):
        raise InputError(
            f"unexpected argument {given[len(names)]!r}; every option is a "
            "flag, --help lists them"
        )
    if len(given) < len(names):
        raise InputError(
            f"missing argument {names[len(given)]}; --help tells more"
        )


def _print_error(argv, error):
    message = " ".join(str(error).split())
    program = os.path.basename(argv[0])
    print(f"{program}: error: {message}", file=sys.stderr)


def print_json(values):
    """Prints a result as one line of JSON on standard output.

    Args:
        values: A dictionary of plain Python values.
    """
    print(json.dumps(values), flush=True)
