"""Words, subjects and exact values of texts, for every comparison of texts."""
