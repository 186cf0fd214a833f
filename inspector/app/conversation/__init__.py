"""One conversation: its screen, state, derived values, panes and player."""
