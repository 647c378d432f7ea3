"""Bi-directional attention flow: reading a passage to answer a question."""
