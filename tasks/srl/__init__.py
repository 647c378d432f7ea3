"""Semantic role labelling: who did what to whom."""
