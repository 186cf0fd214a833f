"""The terminal app: screens, wiring, commands, themes. Widgets show values; work happens in threads."""
