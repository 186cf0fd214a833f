"""Hermes Agent's compressor: one engine, its releases as data.

A compaction has four phases. Phase 1 shortens old tool results and arguments (`pruning.py`). Phase 2 finds the end of
the head and the start of the tail (`boundaries.py`). Phase 3 makes the input of the summary model
(`summary_input.py`). Phase 4 makes the new list of head, summary and tail (`assembly.py`).
"""
