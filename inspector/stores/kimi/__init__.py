"""The sessions of Kimi CLI."""
