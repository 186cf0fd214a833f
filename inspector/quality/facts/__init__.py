"""Facts: statements that should survive a compaction. Rules find them and judge their fates."""
