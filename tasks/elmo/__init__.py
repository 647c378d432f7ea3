"""The frozen biLM's layers of a task's data, live or from disk."""
