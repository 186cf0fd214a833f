"""Exact token counts: tokenizers, vocabularies, stored counts."""
