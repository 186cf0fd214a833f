"""Words, topics and exact values of texts. All comparisons of texts use this package."""
