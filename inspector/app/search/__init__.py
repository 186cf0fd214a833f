"""Searching every message."""
