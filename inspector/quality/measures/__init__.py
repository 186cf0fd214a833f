"""What a compaction kept, measured kind by kind: each measure with its definition, its number and its evidence."""
