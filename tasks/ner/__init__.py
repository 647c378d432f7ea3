"""Named entity recognition: which words are names, and of what class."""
