"""Full-text search over every message of the store."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from rich.style import Style
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.strip import Strip
from textual.widgets import Input

from inspector.answers.searching import HitPlace, hit_places, without_copies
from inspector.app.job_screen import JobScreen
from inspector.core.conversations import Hit
from inspector.core.shares import plural
from inspector.core.text import distinct_titles, safe_line
from inspector.core.watching import Watch
from inspector.stores.base import Store
from widgets.bars.key_line import KeyLine
from widgets.bars.title_bar import TitleBar, TitlePart
from widgets.base.prompt import Prompt, WordsPrompt
from widgets.base.strips import find_spans, fit
from widgets.lists.entry_list import EntryList

if TYPE_CHECKING:
    from inspector.answers.tracing import TraceStep
    from inspector.core.conversations import ConversationRow

_LIMIT = 500
_BATCH = 25


class HitList(EntryList[Hit]):
    """The hits of a search, newest first."""

    TOOLTIP = "The newest message is first. Enter opens the conversation at the message."

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.titles: Mapping[str, str] = {}
        self.places: Mapping[Hit, HitPlace | None] = {}
        self.query_text = ""

    def key(self, entry: Hit) -> object:
        """The message, which the list may show in place of its copy."""
        place = self.places.get(entry)
        return (entry.conversation, entry.message if place is None else place.message)

    def draw_line(self, line: int, width: int) -> Strip:
        """Title, role and the text around the match."""
        hit = self.entries[line]
        muted = self.ink("quiet")
        title_width = 28 if width >= 100 else 16
        row = self.begin(line)
        row.add(
            fit(safe_line(self.titles.get(hit.conversation, hit.conversation), 200), title_width) + "  ",
            Style(),
        )
        row.add(fit(safe_line(hit.role, 20), 9) + "  ", muted)
        row.add(fit(place_words(self.places.get(hit), width >= 100), 16 if width >= 100 else 4) + "  ", muted)
        text = fit(excerpt(hit, self.query_text, width - row.width), max(0, width - row.width))
        spans = tuple(span for word in self.query_text.split() for span in find_spans(text, word.strip('"')))
        row.marked(text, Style(), tuple(sorted(spans)), self.ink("found"))
        return self.end(row, line, width)


def place_words(place: HitPlace | None, wide: bool) -> str:
    """The first list of a message, and the compaction that removed it: "gen 1, left c2", in few cells "c2"."""
    if place is None:
        return ""
    left = f"c{place.left_with}" if place.left_with else ""
    return f"gen {place.generation}, {'left ' + left if left else 'live'}" if wide else left


def excerpt(hit: Hit, query: str, room: int) -> str:
    """The excerpt on one line, cut so that the first hit is within `width` cells."""
    text = safe_line(hit.excerpt, 1_000)
    places = [start for word in query.split() for start, _ in find_spans(text, word.strip('"'))]
    first = min(places, default=0)
    if first <= room * 2 // 3:
        return text
    return "…" + text[first - room // 3 :]


def marked_word(query: str) -> str:
    """The part of a query to mark in a hit: a quoted phrase, else the longest word; "" for none."""
    phrases = [phrase for phrase in query.split('"')[1::2] if phrase.strip()]
    return max(phrases or [_bare(word) for word in query.split()], key=len, default="")


def _bare(word: str) -> str:
    return word.strip('*"()')


def search_store(store: Store, query: str, watch: Watch) -> tuple[Hit, ...]:
    """Search messages, newest first; hand over titles by conversation and hits as they come, then places by hit.

    Returns the last hits. Raises StoreErrors.
    """
    watch.some(
        ("titles", distinct_titles({row.id: safe_line(row.title, 200) for row in store.conversations()}))
    )
    hits: list[Hit] = []
    shown = 0
    for hit in store.search(query, limit=_LIMIT):
        hits.append(hit)
        if len(hits) - shown >= _BATCH:
            watch.some(("hits", tuple(hits[shown:])))
            shown = len(hits)
    watch.some(("hits", tuple(hits[shown:])))
    found: list[tuple[Hit, HitPlace | None]] = []
    for pair in hit_places(store, hits):
        watch.check()
        found.append(pair)
    watch.some(("places", dict(found)))
    return ()


class SearchScreen(JobScreen):
    """Searches for words; a new search cancels the previous one."""

    CSS_PATH = "search.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "app.pop_screen", "Back", id="search.back"),
        Binding("slash", "focus_words", "Search again", id="search.words", key_display="/"),
        Binding(
            "T",
            "trace",
            "Trace",
            id="search.trace",
            tooltip="Trace the words in the conversation of the message",
        ),
    ]
    HELP_TITLE = "Search"
    HELP: ClassVar[str] = (
        "Searches the text and the tool calls of every message. A hit contains every word, also inside a longer word; "
        "double quotes ask for the exact phrase. Each message is listed once, with its first generation; c2 means that "
        "compaction 2 removed it. T traces the words through the compactions of the conversation, as `trace` does. If "
        "they follow each other in no message, it traces the statement with the most of them."
    )

    def __init__(self, store: Store) -> None:
        super().__init__()
        self.store = store
        self._hits: tuple[Hit, ...] = ()
        #: Number of hits, with copies of messages.
        self._found = 0
        self._query = ""

    def compose(self) -> ComposeResult:
        """Words, hits, keys."""
        yield TitleBar(id="state")
        yield WordsPrompt(placeholder="words to search for, then enter", id="words", compact=True)
        yield HitList(id="hits")
        yield KeyLine()

    def on_mount(self) -> None:
        """Ask for the words."""
        self.query_one(TitleBar).parts = (TitlePart("Search all messages"),)
        self.query_one("#words").focus()

    def action_focus_words(self) -> None:
        """Type other words."""
        self.query_one("#words").focus()

    @on(Prompt.Left)
    def _left(self) -> None:
        self.app.pop_screen()

    @on(Input.Submitted, "#words")
    def _submitted(self, event: Input.Submitted) -> None:
        self._query = event.value.strip()
        self._hits, self._found = (), 0
        hits = self.query_one(HitList)
        hits.query_text = self._query
        hits.set_entries(())
        self.refresh_bindings()
        self.jobs.cancel("search")
        if self._query:
            self._say("searching …")
            self.query_one(HitList).focus()
            self.jobs.run(
                "search", (self.store, self._query), search_store, self._hits_came, some=self._named
            )
        else:
            self._say("")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable tracing without hits and words."""
        return action != "trace" or bool(self._hits and marked_word(self._query))

    def action_trace(self) -> None:
        """Trace the words of the search, or the statement with them, in the conversation of the hit."""
        from inspector.app.trace.screen import TraceScreen

        hit, text = self.query_one(HitList).entry, marked_word(self._query)
        words = () if '"' in self._query else tuple(word for word in map(_bare, self._query.split()) if word)
        if hit is not None and text:
            conversation = hit.conversation

            def go(row: ConversationRow, step: TraceStep) -> None:
                self.app.open_conversation(row.id, step.message, text, step.compaction)

            found = (hit.message, words) if words else None
            self.app.push_screen(TraceScreen((self.store, conversation), text, go, found=found))

    def _named(self, part: tuple[str, Any]) -> None:
        hits = self.query_one(HitList)
        match part:
            case ("hits", new_hits):
                self._hits_came(new_hits, complete=False)
            case ("titles", titles):
                hits.titles = titles
            case ("places", places):
                hits.places = places
                self._hits = tuple(without_copies(places.items()))
                hits.set_entries(self._hits)
                hits.refresh()

    def _hits_came(self, hits: tuple[Hit, ...], complete: bool = True) -> None:
        self._hits += hits
        self._found += len(hits)
        self.query_one(HitList).set_entries(self._hits)
        self.refresh_bindings()
        count = len(self._hits)
        if self._found >= _LIMIT:
            self._say(f"the first {plural(count, 'message')}; more words find fewer")
        else:
            lacking = "; a part of the sessions cannot be read" if self.store.notes else ""
            self._say(plural(count, "message") + (lacking if complete else " so far …"))

    def show_notes(self, *sentences: str) -> None:
        """Show a problem in place of the number of hits."""
        self._say(" ".join(sentences))

    def _say(self, text: str) -> None:
        parts = (TitlePart(safe_line(text, 300)),) if text else ()
        self.query_one(TitleBar).parts = (TitlePart("Search all messages"), *parts)

    @on(HitList.Opened)
    def _opened(self, event: HitList.Opened) -> None:
        hit = self._hits[event.row]
        self.app.open_conversation(hit.conversation, hit.message, marked_word(self._query))
