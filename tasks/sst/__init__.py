"""Sentiment classification: how positive a sentence is."""
