"""Data sets that can be downloaded, and how that is done."""
