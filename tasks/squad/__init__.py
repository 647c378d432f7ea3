"""Question answering on SQuAD: BiDAF, and BiDAF with self-attention."""
