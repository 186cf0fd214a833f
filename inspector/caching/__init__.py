"""Prompt-cache breakpoints, and what of the cache survives a compaction. Pure."""
