"""The sessions of pi."""
