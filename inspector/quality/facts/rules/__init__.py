"""What gives a fact away, as data: a file a language, and what they are once compiled."""
