"""A conversation's report: gathered once as a value, rendered as HTML or Markdown, written in one step."""
