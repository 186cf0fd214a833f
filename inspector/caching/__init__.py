"""Prompt-cache breakpoints, cache misses and costs. Pure."""
