"""Releases from 0.20.0 on, whose plans need the texts of a list."""
