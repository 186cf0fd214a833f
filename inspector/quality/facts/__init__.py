"""What was said that should survive a compaction, found by rules that are data, and what became of it."""
