"""What the app and the commands both ask, one module a question."""
