"""Coreference resolution: which spans of a document mean the same."""
