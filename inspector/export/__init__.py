"""Answers as JSON, text, HTML and Markdown: one module for each answer. Tokens are rough unless a key says
otherwise."""
