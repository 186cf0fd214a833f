"""A summary as sections and items, and the differences between two. Pure; texts stay as they were written."""
