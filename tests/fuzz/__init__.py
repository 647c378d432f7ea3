"""Fuzzing: readers and APIs get what nobody meant to give them."""
