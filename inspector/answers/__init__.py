"""The questions of the app and the commands, one module each."""
