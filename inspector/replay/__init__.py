"""A conversation step by step: what was recorded, and what other settings would have done with it."""
