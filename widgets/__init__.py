"""The terminal widgets of compaction-inspector: values in, messages out."""
