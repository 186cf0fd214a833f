"""Rules over frozen values that find problems of a conversation, and facts worth knowing."""
