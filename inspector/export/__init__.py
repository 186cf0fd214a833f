"""Answers as JSON, text, HTML and Markdown."""
