"""`?`: the pane with the focus, the signs on screen, and the keys."""

from __future__ import annotations

from typing import Any, ClassVar

from msgspec import Struct
from rich.table import Table
from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from inspector.app.conversation.panes.host import Panes
from widgets.bars.key_line import KeyLine
from widgets.base.signs import signs_on
from widgets.lists.conversation_table import ConversationTable
from widgets.lists.message_list import MessageList

Rows = tuple[tuple[str, str], ...]

_WORDS: Rows = (
    ("conversation", "sessions linked by compactions, first to last"),
    ("generation", "the list of messages between two compactions"),
    ("live list", "the list that the agent holds now"),
    ("profile", "the compaction rules of one release of an agent"),
    ("recorded", "read from the store"),
    ("planned", "decided by the profile under the settings"),
    ("in force", "settings from flags, config.yaml, the store and the model"),
    ("fact", "a statement that should survive compactions"),
    ("constraint", "a fact that is a rule or a limit of the user"),
    ("fate", "the state of a fact after a compaction, such as lost"),
)


class HelpPage(Struct, frozen=True):
    """A title, a few sentences, the signs on screen, and the keys by place."""

    title: str
    about: tuple[str, ...]
    signs: Rows
    keys: tuple[tuple[str, Rows], ...]


class HelpScreen(ModalScreen[None]):
    """A page of help. Escape, q and ? close it."""

    CSS_PATH = "help.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark", "dismiss", "Close", id="help.close"),
        Binding("j", "scroll(1)", "Down", show=False, id="help.down"),
        Binding("k", "scroll(-1)", "Up", show=False, id="help.up"),
        Binding("g", "edge(0)", "Top", show=False, id="help.top"),
        Binding("G", "edge(1)", "Bottom", show=False, id="help.bottom"),
    ]

    def __init__(self, page: HelpPage) -> None:
        super().__init__()
        self.page = page

    def compose(self) -> ComposeResult:
        """Yield title, pane, signs, keys and words, and the keys of this page."""
        with VerticalScroll(id="page", classes="dialog"):
            yield Static(Text(self.page.title, style="bold"))
            yield Static(Text("\n\n".join(self.page.about)), classes="about")
            for heading, rows in (
                ("Signs on this screen", self.page.signs),
                *self.page.keys,
                ("Words", _WORDS),
            ):
                if not rows:
                    continue
                yield Static(Text(heading, style="bold"), classes="heading")
                yield Static(_table(rows))
            yield Static(
                Text("escape closes this page; ctrl+p finds every action by name."), classes="about last"
            )
        yield KeyLine()

    def action_scroll(self, lines: int) -> None:
        """Scroll the page."""
        self.query_one(VerticalScroll).scroll_relative(y=lines, animate=False)

    def action_edge(self, share: int) -> None:
        """Go to the top (0) or the bottom (1) of the page."""
        page = self.query_one(VerticalScroll)
        page.scroll_to(y=share * page.max_scroll_y, animate=False)


def _table(rows: Rows) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(justify="right", no_wrap=True, style="bold", min_width=14)
    table.add_column()
    for key, text in rows:
        table.add_row(Text(key), Text(text))
    return table


def help_for(app: App[Any]) -> HelpPage:
    """Return the page for the focused widget and its screen."""
    focused, screen = app.focused, app.screen
    panes = next((node for node in (focused or screen).ancestors_with_self if isinstance(node, Panes)), None)
    tab = None if panes is None else panes.tabs[panes.current]
    about = [tab.help()] if tab is not None else []
    if isinstance(focused, MessageList) and tab is None:
        title = "Messages"
    elif isinstance(focused, ConversationTable):
        title = "Conversations"
    else:
        named = getattr(screen, "HELP_TITLE", "") or _words(type(focused or screen).__name__)
        title = named if tab is None else f"The {tab.name} pane"
        text = "" if tab is not None or focused is None else getattr(focused, "TOOLTIP", "")
        about += [text] if text else []
    screen_text = getattr(screen, "HELP", "")
    about += [screen_text] if screen_text else []
    keys_here: dict[str, str] = {}
    around: dict[str, str] = {}
    everywhere: dict[str, str] = {}
    # Keys that move in every list and every text come last.
    for active in sorted(screen.active_bindings.values(), key=lambda active: _moves(active.binding)):
        binding = active.binding
        # Bindings of the program have an id with a dot; Textual's need no explanation.
        if not binding.description or "." not in (binding.id or ""):
            continue
        rows = around if active.node is screen else everywhere if active.node is app else keys_here
        text = binding.tooltip or binding.description
        shown = app.get_key_display(binding)
        rows[text] = f"{rows[text]} {shown}" if text in rows else shown
    everywhere |= {"Next field": "tab", "Previous field": "shift+tab"}
    return HelpPage(
        title,
        tuple(about),
        signs_on(screen),
        tuple(
            (heading, tuple((key, text) for text, key in rows.items()))
            for heading, rows in (
                ("Keys here", keys_here),
                ("Keys on this screen", around),
                ("Everywhere", everywhere),
            )
            if rows
        ),
    )


def _moves(binding: Binding) -> bool:
    return not binding.show and (binding.id or "").startswith(("list.", "text."))


def _words(name: str) -> str:
    return (
        "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in name).strip().capitalize()
    )
