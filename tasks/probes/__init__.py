"""What a frozen biLM knows, and what it is worth to a task."""
