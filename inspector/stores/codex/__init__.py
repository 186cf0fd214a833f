"""The sessions of Codex."""
