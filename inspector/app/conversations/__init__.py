"""The list of conversations."""
