"""compaction-inspector: see what an LLM agent's context compaction kept, changed and lost."""

__version__ = "0.1.0"
