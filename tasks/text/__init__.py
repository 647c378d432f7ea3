"""Text for the task models: annotated sentences from files."""
