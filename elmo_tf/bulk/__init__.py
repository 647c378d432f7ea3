"""Embeds a corpus in shards, by one process or by many, and restarts."""
