"""The training harness: configuration, strategy, orbit loop, checkpoints.

It serves every binary that trains and knows nothing of ELMo or of any task.
"""
