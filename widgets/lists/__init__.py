"""Lists and tables drawn line by line."""
