"""The answers as text for people. Documents come in, lines go to standard output."""
