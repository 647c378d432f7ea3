"""Tests of the cloze test as a task."""
