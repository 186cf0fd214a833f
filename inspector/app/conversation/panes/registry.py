"""The panes in the order of their tabs and of the keys 1, 2, ... Another pane is another module, named here."""

from __future__ import annotations

from inspector.app.conversation.panes.base import Tab

PANES: tuple[Tab, ...] = tuple(
    Tab(name, short, f"{__package__}.{name.replace('-', '_')}")
    for name, short in (
        ("message", "msg"),
        ("compaction", "comp"),
        ("summary", "sum"),
        ("losses", ""),
        ("cache", ""),
        ("what-if", "what"),
        ("findings", "finds"),
        ("tokens", ""),
    )
)
