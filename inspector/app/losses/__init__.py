"""The losses of the whole store."""
