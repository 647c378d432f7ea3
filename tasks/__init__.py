"""Task models that read the layers of a frozen biLM."""

import os
import sys

if sys.argv[:1] == ["-m"]:
    # `python -m tasks.…`: Python has not found the module yet. TensorFlow's
    # start-up notices would bury what a binary says.
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
