"""Sweeps over two settings."""
