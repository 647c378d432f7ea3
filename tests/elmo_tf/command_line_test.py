import json
import signal
import subprocess
import sys
import textwrap

import pytest
from absl import flags

from elmo_tf import command_line
from elmo_tf.errors import InputError
from elmo_tf.errors import RunError
from tests import binaries


@pytest.fixture(autouse=True)
def parsed_flags():
    if not flags.FLAGS.is_parsed():
        flags.FLAGS(["test"])


def run_guarded(main, *given, arguments=()):
    argv = ["/some/where/tool.py", *given]
    return command_line._run_guarded(main, argv, arguments)


def failing(error):
    def main(_):
        raise error

    return main


@pytest.mark.parametrize(
    "error, message",
    [
        (InputError("a.txt:3: bad"), "a.txt:3: bad"),
        (InputError("one\n  two"), "one two"),
        (
            FileNotFoundError(2, "No such file or directory", "a.txt"),
            "[Errno 2] No such file or directory: 'a.txt'",
        ),
        (
            PermissionError(13, "Permission denied", "a.txt"),
            "[Errno 13] Permission denied: 'a.txt'",
        ),
    ],
)
def test_a_mistake_is_one_line(capsys, error, message):
    assert run_guarded(failing(error)) == 2
    captured = capsys.readouterr()
    assert captured.err == f"tool.py: error: {message}\n"
    assert captured.out == ""


def test_a_run_that_cannot_go_on(capsys):
    assert run_guarded(failing(RunError("step 5:\nno"))) == 1
    assert capsys.readouterr().err == "tool.py: error: step 5: no\n"


def test_a_positional_argument(capsys):
    assert run_guarded(failing(AssertionError), "file.txt") == 2
    assert capsys.readouterr().err == (
        "tool.py: error: unexpected argument 'file.txt'; every option is a "
        "flag, --help lists them\n"
    )


def test_positional_arguments_that_a_binary_takes(capsys):
    def main(argv):
        return argv[1:]

    names = ["FILE", "OTHER"]
    assert run_guarded(main, "a", "b", arguments=names) == ["a", "b"]
    assert capsys.readouterr().err == ""
    assert run_guarded(main, "a", arguments=names) == 2
    assert run_guarded(main, "a", "b", "c", arguments=names) == 2
    assert capsys.readouterr().err == (
        "tool.py: error: missing argument OTHER; --help tells more\n"
        "tool.py: error: unexpected argument 'c'; every option is a flag, "
        "--help lists them\n"
    )


def test_our_own_defects_keep_their_traceback():
    with pytest.raises(ZeroDivisionError):
        run_guarded(failing(ZeroDivisionError()))


def test_interrupted(capsys):
    assert run_guarded(failing(KeyboardInterrupt())) == 128 + signal.SIGINT
    assert capsys.readouterr().err == "\ntool.py: interrupted\n"


def test_exit_code_of_main():
    assert run_guarded(lambda _: None) is None
    assert run_guarded(lambda _: 3) == 3


def test_command(monkeypatch):
    monkeypatch.setattr("sys.argv", ["x.py", "--a=1", "two words"])
    expected = "python -m tasks.x --a=1 'two words'"
    assert command_line.command("tasks.x") == expected


def test_print_json(capsys):
    command_line.print_json({"a": 1.5, "b": None})
    line = capsys.readouterr().out
    assert line.endswith("\n") and line.count("\n") == 1
    assert json.loads(line) == {"a": 1.5, "b": None}


def test_the_reader_of_the_output_goes_away(tmp_path):
    """As with `| head -1`: no traceback."""
    program = tmp_path / "tool.py"
    program.write_text(
        textwrap.dedent(
            """
            from elmo_tf import command_line

            def main(_):
                for number in range(10**6):
                    command_line.print_json({"number": number})

            command_line.run(main)
            """
        )
    )
    process = subprocess.Popen(
        [sys.executable, str(program)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=binaries.program_environment(),
    )
    assert process.stdout.readline() == '{"number": 0}\n'
    process.stdout.close()
    assert process.stderr.read() == ""
    process.stderr.close()
    assert process.wait() == 128 + signal.SIGPIPE
