"""The panes beside the message list, and their parts."""
