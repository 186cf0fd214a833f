"""Measures of what a compaction kept, each with its definition, number and evidence."""
