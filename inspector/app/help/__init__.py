"""Help for the pane that has the focus."""
