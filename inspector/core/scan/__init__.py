"""Text taken apart: its words, what it speaks of, and the exact values in it. Whatever compares texts goes by this."""
