"""The screens, each beside its style sheet."""
