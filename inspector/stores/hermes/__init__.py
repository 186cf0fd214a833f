"""Hermes Agent's state.db, of every schema from 6 on."""

from inspector.stores.hermes.store import HermesStore

__all__ = ["HermesStore"]
