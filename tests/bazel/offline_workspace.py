"""Builds and tests a temporary copy of this checkout with Bazel, offline.

    python -m tests.bazel.offline_workspace build //...
    python -m tests.bazel.offline_workspace test //:tests/import_arrows_test

Today's Bazel reads MODULE.bazel and downloads rules_python, a Python and the
pinned distributions. Where nothing may be downloaded, and with the Bazel 4.2.3
that Debian and Ubuntu package as `bazel-bootstrap`, this does instead: the
copy's rules_python and the other repositories that Bazel asks for are local
stubs whose rules are the ones that come with Bazel, and Python with its
distributions is the one that runs this program.
"""

import contextlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from tools import source_tree
from tools import update_build

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent.parent

_REPOSITORY_RULE = 'local_repository(name = "{name}", path = "{path}")\n'

_NATIVE_CC_RULES = (
    "cc_binary",
    "cc_import",
    "cc_library",
    "cc_test",
    "cc_toolchain",
    "cc_toolchain_suite",
)
_NATIVE_JAVA_RULES = (
    "java_binary",
    "java_import",
    "java_library",
    "java_runtime",
    "java_test",
    "java_toolchain",
)
_NATIVE_PYTHON_RULES = ("py_binary", "py_library", "py_test")

_PUBLIC = 'package(default_visibility = ["//visibility:public"])\n'


class OfflineWorkspace:
    """A copy of the checkout in which an old Bazel runs without network.

    Use it as a context manager: leaving it stops Bazel's server.
    """

    def __init__(self, folder):
        """Makes the copy.

        Args:
            folder: An empty folder for the copy, the stubs and Bazel's output.
        """
        self._workspace = pathlib.Path(folder) / "checkout"
        self._stubs = pathlib.Path(folder) / "stubs"
        self._output = pathlib.Path(folder) / "output"
        self._copy_checkout()
        self._write_stubs()

    def __enter__(self):
        return self

    def __exit__(self, *unused_exception):
        self._bazel("shutdown", check=True)
        # Bazel writes its outputs read-only; the owner of the folder may wish
        # to remove it.
        for parent, _, _ in os.walk(self._output):
            os.chmod(parent, 0o755)

    def run(self, command, *arguments):
        """Runs one Bazel command and waits for it.

        Args:
            command: `build` or `test`, or another that takes build options.
            *arguments: Targets and further options.

        Returns:
            A `subprocess.CompletedProcess`; its `stdout` has both streams.
        """
        return self._bazel(
            command,
            "--action_env=PATH",
            "--test_env=PATH",
            "--test_output=errors",
            "--color=no",
            "--curses=no",
            "--noshow_progress",
            *arguments,
        )

    def _bazel(self, *arguments, check=False):
        python_folder = os.path.dirname(sys.executable)
        return subprocess.run(
            [
                "bazel",
                f"--output_user_root={self._output}",
                # What the user sets for today's Bazel is not for this one.
                "--nohome_rc",
                # Should this process be killed, its server goes by itself.
                "--max_idle_secs=60",
                *arguments,
            ],
            cwd=self._workspace,
            env={
                **os.environ,
                "PATH": f"{python_folder}{os.pathsep}{os.environ['PATH']}",
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=check,
        )

    def _copy_checkout(self):
        self._workspace.mkdir()
        for path in source_tree.list_files(REPOSITORY):
            target = self._workspace / path
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(REPOSITORY / path, target)
        for path in REPOSITORY.iterdir():
            # .bazelversion asks for a Bazel that is not here.
            if path.is_file() and path.name != ".bazelversion":
                shutil.copy2(path, self._workspace)
        shutil.copytree(REPOSITORY / ".ci", self._workspace / ".ci")

    def _write_stubs(self):
        rules = "".join(
            _REPOSITORY_RULE.format(name=name, path=self._stubs / name)
            for name in (
                "pypi",
                "remote_coverage_tools",
                "rules_cc",
                "rules_java",
                "rules_python",
            )
        )
        (self._workspace / "WORKSPACE").write_text(rules)
        self._write_rules("rules_cc/cc", _NATIVE_CC_RULES)
        self._write_rules("rules_java/java", _NATIVE_JAVA_RULES)
        self._write_rules("rules_python/python", _NATIVE_PYTHON_RULES)
        self._write_stub(
            "remote_coverage_tools/BUILD",
            _PUBLIC
            + 'filegroup(name = "coverage_report_generator")\n'
            + 'filegroup(name = "lcov_merger")\n',
        )
        for name in update_build.requirements(
            REPOSITORY / "requirements-dev-lock.txt"
        ):
            self._write_stub(
                f"pypi/{name}/BUILD", _PUBLIC + f'py_library(name = "{name}")\n'
            )

    def _write_rules(self, package, rules):
        self._write_stub(f"{package}/BUILD", "")
        self._write_stub(
            f"{package}/defs.bzl",
            "".join(f"{rule} = native.{rule}\n" for rule in rules),
        )

    def _write_stub(self, path, text):
        file = self._stubs / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        (self._stubs / path.split("/")[0] / "WORKSPACE").touch()


def main():
    """Runs the Bazel command given as arguments; returns its exit code."""
    if len(sys.argv) < 3:
        print(__doc__)
        return 2
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        workspace = stack.enter_context(OfflineWorkspace(folder))
        result = workspace.run(*sys.argv[1:])
    print(result.stdout, end="")
    return result.returncode


if __name__ == "__main__":
    sys.exit(main())
