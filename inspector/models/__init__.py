"""Attempts: a summary made again by a model of one's own choice. The one room from which something leaves."""
