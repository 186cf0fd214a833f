"""Write docs/keys.md from the bindings of the app: python docs/keys.py"""

from __future__ import annotations

from pathlib import Path

from textual.binding import Binding
from textual.keys import format_key

from inspector.app.app import InspectorApp
from inspector.app.screens.conversation import ConversationScreen
from inspector.app.screens.conversations import ConversationsScreen
from inspector.app.screens.search import SearchScreen
from widgets.cache_pane import CachePane
from widgets.compaction_pane import CompactionPane
from widgets.conversation_table import ConversationTable
from widgets.diff_pane import DiffPane
from widgets.knobs import Knobs
from widgets.line_list import LineList
from widgets.message_pane import MessagePane
from widgets.region_bar import RegionBar
from widgets.summary_pane import SummaryPane
from widgets.text_view import TextView
from widgets.timeline import Timeline
from widgets.token_graph import TokenGraph

TARGET = Path(__file__).resolve().parent / "keys.md"
PLACES: tuple[tuple[str, type], ...] = (
    ("Everywhere", InspectorApp),
    ("Conversations", ConversationsScreen),
    ("The table of conversations", ConversationTable),
    ("Search", SearchScreen),
    ("A conversation", ConversationScreen),
    ("Lists", LineList),
    ("Timeline", Timeline),
    ("Regions", RegionBar),
    ("Texts in panes", TextView),
    ("Message pane", MessagePane),
    ("Summary pane", SummaryPane),
    ("Diff pane", DiffPane),
    ("Cache pane", CachePane),
    ("Tune pane", Knobs),
    ("Compaction pane", CompactionPane),
    ("Replay pane", TokenGraph),
)
_INTRODUCTION = """# Keys

Every action has a key and stands in the palette (`ctrl+p`); `?` lists the keys of where you are. Arrows, page keys,
home and end do what they do elsewhere. Digits typed on a knob begin a value; `escape` goes back to the list first.
"""


def keys_of(binding: Binding) -> str:
    """The keys of a binding as a person reads them."""
    shown = binding.key_display or " ".join(f"`{format_key(key)}`" for key in binding.key.split(","))
    return shown if shown.startswith("`") else f"`{shown}`"


def render() -> str:
    """The page."""
    parts = [_INTRODUCTION]
    for title, place in PLACES:
        rows = [b for b in place.__dict__.get("BINDINGS", ()) if isinstance(b, Binding) and b.description]
        if not rows:
            continue
        parts.append(f"## {title}\n\n| key | what it does |\n|---|---|")
        found: dict[str, list[str]] = {}
        for binding in rows:
            found.setdefault(binding.description, []).append(keys_of(binding))
        parts[-1] += "".join(f"\n| {' '.join(keys)} | {text} |" for text, keys in found.items()) + "\n"
    return "\n".join(parts)


if __name__ == "__main__":
    TARGET.write_text(render(), encoding="utf-8")
