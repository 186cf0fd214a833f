"""Plain values and arithmetic: messages, conversations, text safety, rough tokens. Standard library only."""
