"""Exact token counts: tokenizers, vocabularies, the counts that are kept."""
