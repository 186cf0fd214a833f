"""Recorded answers of the real releases, and the comparison with our engines."""
