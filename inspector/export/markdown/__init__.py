"""A report as Markdown: the same content without raw HTML, charts as text and tables."""
