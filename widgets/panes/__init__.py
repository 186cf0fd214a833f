"""The panes next to the message list, and their parts."""
