"""Part-of-speech tagging with a linear classifier: what the layers know."""
