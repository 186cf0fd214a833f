"""A summary as sections and items, and the differences between two summaries. Pure; texts stay unchanged."""
