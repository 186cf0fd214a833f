"""Recorded results of the real releases, and their comparison with our engines."""
