"""The sessions of OpenClaw."""
