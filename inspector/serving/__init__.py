"""The app in a browser: an optional room, on top of textual-serve."""
