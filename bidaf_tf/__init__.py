"""Bi-directional attention flow: reading a passage to answer a question."""

import os
import sys

if sys.argv[:1] == ["-m"]:
    # `python -m bidaf_tf.…`: Python has not found the module yet. TensorFlow's
    # start-up notices would bury what a binary says.
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

from bidaf_tf.answer import Answer
from bidaf_tf.question_answerer import QuestionAnswerer

__all__ = ["Answer", "QuestionAnswerer"]
