"""Benchmarks: `python -m tests.benchmarks`, called by `make bench`. Nothing here is asserted; figures are shown."""
