"""Write docs/keys.md from the bindings of every screen and widget: python docs/keys.py"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

from textual.binding import Binding
from textual.keys import format_key

import widgets
from inspector import app

TARGET = Path(__file__).resolve().parent / "keys.md"
#: What each place is called, in the order of the page; places without a title follow under their own names.
TITLES = {
    "InspectorApp": "Everywhere",
    "ConversationsScreen": "Conversations",
    "ConversationTable": "The table of conversations",
    "LossesScreen": "Losses of the whole store",
    "SearchScreen": "Search",
    "ConversationScreen": "A conversation",
    "LineList": "Lists",
    "Timeline": "Timeline",
    "RegionBar": "Regions",
    "TextView": "Texts in panes",
    "ViewsPane": "Panes with views",
    "MessagePane": "Message pane",
    "CompactionPane": "Compaction pane",
    "SummaryText": "Summary pane, text",
    "SummaryChanges": "Summary pane, changes",
    "SummaryLife": "Summary pane, life",
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
    "Prompt": "Lines to type into",
    "FilterPrompt": "The filter of the list of conversations",
    "FindPrompt": "Finding in a conversation",
    "WordsPrompt": "The words of a search",
    "ProfilePrompt": "The list of profiles",
    "ReportPrompt": "Writing a report",
    "AttemptPrompt": "Another summary",
    "SweepScreen": "Sweep",
    "HeatMap": "The map of a sweep",
    "HelpScreen": "Help",
}
_INTRODUCTION = """# Keys

Every action has a key and stands in the palette (`ctrl+p`); `?` lists the keys of where you are. Arrows, page keys,
home and end do what they do elsewhere. Digits choose a pane, wherever you are; `escape` goes back to the list first.
"""


def places() -> Iterator[tuple[str, list[Binding]]]:
    """Every class of the app and of the widgets that has bindings of its own, by name."""
    for package in (app, widgets):
        for module in walk_packages(package.__path__, f"{package.__name__}."):
            for name, value in vars(import_module(module.name)).items():
                if isinstance(value, type) and value.__module__ == module.name:
                    bindings = [b for b in value.__dict__.get("BINDINGS", ()) if isinstance(b, Binding)]
                    if bindings:
                        yield name, bindings


def keys_of(binding: Binding) -> str:
    """The keys of a binding as a person reads them."""
    shown = binding.key_display or " ".join(f"`{format_key(key)}`" for key in binding.key.split(","))
    return shown if shown.startswith("`") else f"`{shown}`"


def render() -> str:
    """The page."""
    order = list(TITLES)
    found = sorted(places(), key=lambda place: order.index(place[0]) if place[0] in TITLES else len(order))
    parts = [_INTRODUCTION]
    for name, bindings in found:
        lines: dict[str, list[str]] = {}
        for binding in bindings:
            lines.setdefault(binding.description or binding.action, []).append(keys_of(binding))
        part = f"## {TITLES.get(name, name)}\n\n| key | what it does |\n|---|---|"
        parts.append(
            part + "".join(f"\n| {' '.join(keys)} | {text} |" for text, keys in lines.items()) + "\n"
        )
    return "\n".join(parts)


if __name__ == "__main__":
    TARGET.write_text(render(), encoding="utf-8")
