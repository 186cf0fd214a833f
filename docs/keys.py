"""Write docs/keys.md from the bindings of every screen and widget: python docs/keys.py"""

from __future__ import annotations

from pathlib import Path

from textual.binding import Binding
from textual.keys import format_key

from inspector.app.own_files import bindings

TARGET = Path(__file__).resolve().parent / "keys.md"
#: Titles of the classes with keys, in the order of the page. Classes without a title follow under their names.
TITLES = {
    "InspectorApp": "Everywhere",
    "ConversationsScreen": "Conversations",
    "ConversationTable": "Table of conversations",
    "LossesScreen": "Losses of all conversations",
    "SearchScreen": "Search",
    "TraceScreen": "Trace of a phrase",
    "ConversationScreen": "A conversation",
    "LineList": "Lists",
    "Timeline": "Timeline",
    "RegionBar": "Regions",
    "TextView": "Texts in panes",
    "ViewsPane": "Panes with views",
    "MessagePane": "Message pane",
    "CompactionPane": "Compaction pane",
    "SummaryPane": "Summary pane, changes and side by side",
    "SummaryText": "Summary pane, text",
    "SummaryChanges": "Summary pane, changes",
    "SummaryLineage": "Summary pane, lineage",
    "SummaryAttempts": "Summary pane, attempts",
    "LossesPane": "Losses pane",
    "LossesFacts": "Losses pane, facts",
    "LossesAttempts": "Losses pane, attempts",
    "NextRequest": "Cache pane, next request",
    "RequestsPart": "Cache pane, requests",
    "WhatIfPane": "What-if pane",
    "Knobs": "What-if pane, knobs",
    "TokenGraph": "What-if pane, curve",
    "FindingsPane": "Findings pane",
    "TokensPane": "Tokens pane",
    "Prompt": "Input lines",
    "FilterPrompt": "Filter of conversations",
    "FindPrompt": "Find in a conversation",
    "WordsPrompt": "Search words",
    "ProfilePrompt": "Profiles",
    "ModelPrompt": "Question to a model",
    "SweepScreen": "Sweep",
    "HeatMap": "Sweep, map",
    "StatementPrompt": "Choice of a statement",
    "HelpScreen": "Help",
    "Jump": "Letters on parts",
}
_INTRODUCTION = """# Keys

Every action has a key and an entry in the palette (`ctrl+p`). `?` lists the keys of the current screen. Arrows, page
keys, home and end work as usual. Digits always choose a pane. `escape` goes back, first to the list.
"""


def keys_of(binding: Binding) -> str:
    """Return the keys of a binding in readable form."""
    shown = binding.key_display or " ".join(f"`{format_key(key)}`" for key in binding.key.split(","))
    return shown if shown.startswith("`") else f"`{shown}`"


def render() -> str:
    """Return the page."""
    order = list(TITLES)
    sections = sorted(bindings(), key=lambda place: order.index(place[0]))
    parts = [_INTRODUCTION]
    for name, found in sections:
        lines: dict[str, list[str]] = {}
        for binding in found:
            lines.setdefault(binding.description or binding.action, []).append(keys_of(binding))
        part = f"## {TITLES[name]}\n\n| key | what it does |\n|---|---|"
        parts.append(
            part + "".join(f"\n| {' '.join(keys)} | {text} |" for text, keys in lines.items()) + "\n"
        )
    return "\n".join(parts)


if __name__ == "__main__":
    TARGET.write_text(render(), encoding="utf-8")
