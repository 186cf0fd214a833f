"""Benchmarks: `python -m tests.benchmarks`, called by `make bench`. They print figures and assert nothing."""
