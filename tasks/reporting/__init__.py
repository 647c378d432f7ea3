"""The report of runs: the papers' tables and figures, theirs beside ours."""
