"""Widgets of one or a few lines around the lists."""
