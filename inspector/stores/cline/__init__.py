"""Sessions of Cline."""
