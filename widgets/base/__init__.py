"""Parts of several widgets."""
