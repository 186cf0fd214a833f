"""The sessions of GitHub Copilot CLI."""
