"""The trace of a phrase."""
