"""Runs pytest on the files given as arguments, as Bazel expects of a test."""

import os
import sys

import pytest


def main():
    """Runs pytest; returns its exit code."""
    options = ["-p", "no:cacheprovider"]
    if "XML_OUTPUT_FILE" in os.environ:
        options.append(f"--junitxml={os.environ['XML_OUTPUT_FILE']}")
    if "TEST_TMPDIR" in os.environ:
        options.append(f"--basetemp={os.environ['TEST_TMPDIR']}/pytest")
    # What `bazel test --test_filter=EXPRESSION` asks for.
    if "TESTBRIDGE_TEST_ONLY" in os.environ:
        options.extend(["-k", os.environ["TESTBRIDGE_TEST_ONLY"]])
    return pytest.main([*options, *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
