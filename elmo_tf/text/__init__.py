"""Text: tokens, their characters, their vocabulary and the corpus."""
