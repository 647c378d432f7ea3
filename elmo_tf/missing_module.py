"""What a binary says of a module that is not installed."""

import os
import sys


def explain_missing_modules():
    """Has this process end in one line where a distribution is not installed.

    As where a binary that trains is started beside what embedding needs only.
    A module that is missing in this package is a defect of ours, and keeps its
    traceback, as does every other exception.
    """
    before = sys.excepthook

    def hook(kind, error, traceback):
        top = (getattr(error, "name", None) or "").partition(".")[0]
        if kind is not ModuleNotFoundError or top in ("", "elmo_tf"):
            before(kind, error, traceback)
            return
        program = os.path.basename(sys.argv[0])
        print(
            f"{program}: error: the module {top} is not installed; "
            "requirements.txt names all that the binaries need, "
            "requirements-embed.txt what embedding and serving do",
            file=sys.stderr,
        )

    sys.excepthook = hook
