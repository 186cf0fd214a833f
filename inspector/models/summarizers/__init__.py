"""Summarizers: a command of the user's, or an endpoint with OpenAI's interface."""
