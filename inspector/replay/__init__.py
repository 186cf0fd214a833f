"""A conversation step by step, as recorded and under other settings."""
