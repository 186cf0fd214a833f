"""What is wrong with a conversation, or worth knowing about it: rules over frozen values."""
