"""Hermes Agent's compressor: one engine, its releases as data."""
