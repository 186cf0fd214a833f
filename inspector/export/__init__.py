"""Answers as JSON, text, HTML and Markdown: one module an answer. Tokens are rough unless a key says otherwise."""
