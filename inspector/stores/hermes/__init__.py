"""Hermes Agent's state.db, of every schema from 6 on."""
