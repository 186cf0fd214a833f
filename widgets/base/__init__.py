"""What several widgets are made from."""
