"""Releases from 0.20.0 on, whose plans need the texts of a list: what they compute, over the messages themselves."""
