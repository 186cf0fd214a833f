"""Open a conversation, restore the place of the user, and follow new messages."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from inspector.answers.answers import about
from inspector.app.conversation.navigation import Navigation, chosen_with, end_of
from inspector.app.conversation.player import same_moment
from inspector.app.conversation.reading import Opening, open_conversation
from inspector.app.conversation.resources import COMPACTIONS, RECORDING
from inspector.app.conversation.state import Loaded, Opened
from inspector.app.saved_state import store_last
from inspector.config.dismissals import Dismissals
from inspector.config.folders import with_urls
from inspector.core.errors import InspectorError
from inspector.engines.registry import budgets_of
from inspector.engines.settings import SETTING_NAMES, SETTINGS, Settings, difference
from widgets.bars.notes_bar import NotesBar
from widgets.base import human

if TYPE_CHECKING:
    from inspector.app.conversation.host import Host
    from inspector.core.conversations import Compaction

_JOB = "opening"
#: Numbers of a sentence, and the words that change with them.
_NUMBERS = re.compile(r"\d[\d,]*|s\b|\b(?:is|are|was|were|has|have)\b")


def notes_now(opened: Opened, before: Opened, shown: Sequence[str]) -> list[str]:
    """Return the notes of a conversation, except notes that the user has dismissed.

    `shown` are the sentences on screen. A note with another number is the same.
    """
    away = {_NUMBERS.sub("", note) for note, text in _notes(before).items() if text not in shown}
    return [text for note, text in _notes(opened).items() if _NUMBERS.sub("", note) not in away]


def _notes(opened: Opened) -> dict[str, str]:
    """Return the notes of a conversation and of its settings, each with the sentence on screen."""
    conversation = opened.inspection.conversation
    notes = {note: with_urls(about(conversation.row, note)) for note in conversation.notes}
    return notes | {note: with_urls(note) for note in opened.resolved.notes}


class Opener:
    """Reads the conversation, sets the first state, and remembers the last one.

    `message` is the store's row to begin with, `find` a text to mark, `compaction` the compaction to choose.
    """

    def __init__(
        self,
        host: Host,
        navigation: Navigation,
        name: str,
        message: int | None,
        find: str,
        compaction: int | None,
    ) -> None:
        self._host = host
        self._navigation = navigation
        self._name = name
        self._message = message
        self._find = find
        self._compaction = compaction
        #: Whether the store changed while the conversation was being opened.
        self._missed = False

    @property
    def first_pane(self) -> str:
        """The pane to begin with, for a chosen compaction or message; "" if none is chosen."""
        if self._compaction is not None:
            return "compaction"
        return "" if self._message is None else "message"

    def begin(self) -> None:
        """Open it, while the screen is put together."""
        host = self._host
        host.jobs.run(
            _JOB,
            (host.store, self._name, None, host.flags, host.config),
            open_conversation,
            self._opened,
            failed=lambda sentence: host.app.leave_with(host, sentence),
        )

    def mounted(self) -> None:
        """Show in the first frame what was read before mounting."""
        self._host.show_progress(_JOB, "opening")
        self._host.jobs.take_early(_JOB)

    def again(self) -> None:
        """Read new data after a change of the store. A running read ends first, so a live writer cannot starve it."""
        host, opened = self._host, self._host.loaded.opened
        self._missed = opened is None or _JOB in host.jobs.busy()
        if opened is not None and not self._missed:
            host.jobs.cancel(_JOB)
            values = (host.store, self._name, opened.inspection, host.flags, host.config)
            host.jobs.run(_JOB, values, open_conversation, self._read_again, failed=self._unread)

    def _opened(self, opening: Opening) -> None:
        host, opened = self._host, opening.opened
        host.show_progress(_JOB, "")
        host.messages.open(opened, opening.lines)
        host.begin_with(Loaded(opened))
        generation, row = self._first_place(opened)
        compaction = chosen_with(opened, generation)
        if self._compaction is not None and 0 < self._compaction < len(opened.generations):
            compaction = self._compaction
            generation, row = compaction + 1, end_of(opened, compaction + 1)
        force = opened.resolved.settings
        conversation = opened.inspection.conversation
        root, dismissals = conversation.row.root, Dismissals.load()
        settings = first_settings(force, host.saved.settings.get(root, {}), host.flags)
        host.change(
            generation=generation,
            row=row,
            compaction=compaction,
            settings=settings,
            undo=() if settings == force else ((force, None),),
            find=self._find,
            kept=host.saved.kept.get(root),
            dismissed_facts=dismissals.facts_of(root),
            dismissed_findings=dismissals.findings_of(root),
        )
        host.show_notes(*_notes(opened).values())
        if self._missed:
            self.again()

    def _read_again(self, opening: Opening) -> None:
        self._host.show_failure(_JOB)
        self._grown(opening)
        if self._missed:
            self.again()

    def _unread(self, sentence: str) -> None:
        self._host.show_failure(_JOB, sentence)
        if self._missed:
            self.again()

    def _grown(self, opening: Opening) -> None:
        """Take the added messages or generations, and keep the place of the user."""
        host, state = self._host, self._host.state
        opened, before = opening.opened, self._host.loaded.opened
        assert before is not None
        shown = host.query_one(NotesBar).sentences
        host.replace_notes(_notes(before).values(), notes_now(opened, before, shown))
        settings = followed(state.settings, before.resolved.settings, opened.resolved.settings)
        generations, old = opened.generations, before.generations
        if len(generations) < len(old):
            self._shrunk(opening)
            host.change(settings=settings)
            return
        host.messages.open(opened, opening.lines)
        host.loaded = Loaded(opened, host.loaded.values)
        if len(generations) > len(old):
            host.when(COMPACTIONS, self._compacted)
        host.change(settings=settings)
        listed = old[state.generation - 1]
        same = generations[state.generation - 1] if state.generation <= len(generations) else None
        if state.moment is not None:
            at = state.moment
            host.when(RECORDING, lambda recording: host.change(moment=same_moment(at, recording)))
        elif same is None or tuple(same.ids[: len(listed)]) != tuple(listed.ids):
            self._navigation.show_generation(min(state.generation, len(generations)))
        elif not state.compaction and len(generations) > 1:
            host.change(compaction=1)

    def _compacted(self, compactions: tuple[Compaction, ...]) -> None:
        """Report the last compaction. The live list may have got messages after it already."""
        done = compactions[-1]
        before = f"{done.before:,}" if done.before else "unknown"
        counts = f"{before} → {done.bound}{human.plural(done.after, 'message')}"
        self._host.app.notify(f"Compacted: {counts}. Press ] to see the new list.", timeout=5)

    def _shrunk(self, opening: Opening) -> None:
        """Compactions are gone: the session was rewound or the file replaced. Loaded data is dropped."""
        host, opened = self._host, opening.opened
        last = len(opened.generations)
        host.change(
            generation=last, row=end_of(opened, last), compaction=chosen_with(opened, last), moment=None
        )
        host.messages.open(opened, opening.lines)
        host.loaded = Loaded(opened)
        host.app.notify("The conversation has fewer compactions than before; this is its end now.", timeout=5)

    # Row and generation to begin with.

    def _first_place(self, opened: Opened) -> tuple[int, int]:
        """Generation and row to begin with: the wanted message, else the last place, else the end."""
        wanted = self._message
        if wanted is None:
            wanted = self._host.saved.messages.get(opened.inspection.conversation.row.root)
        for generation in reversed(opened.generations):
            if wanted is not None and wanted in generation.ids:
                row = list(generation.ids).index(wanted) + opened.offset(generation.number)
                return generation.number, row
        last = len(opened.generations)
        return last, end_of(opened, last)

    def remember(self) -> None:
        """Save the place. The end of the live list is the default, so it is not saved."""
        host, opened, rows = self._host, self._host.loaded.opened, self._host.messages.rows
        if opened is None or rows is None:
            return
        conversation, saved = opened.inspection.conversation, host.saved
        saved.conversation, root = conversation.id, conversation.row.root
        changed = difference(host.state.settings, opened.resolved.settings)
        store_last(saved.settings, root, dict(changed) or None)
        store_last(saved.kept, root, host.state.kept)
        index, generation = rows.index(host.state.row), rows.generation
        last = len(generation) - 1
        at_end = generation.live and index == last
        store_last(saved.messages, root, None if at_end or not 0 <= index <= last else generation.ids[index])


def first_settings(force: Settings, kept: Mapping[str, Any], flags: Mapping[str, Any]) -> Settings:
    """Settings that the user changed last time (`kept`), as far as they are still valid; flags take precedence."""
    changes = {
        name: kept[name]
        for name in SETTING_NAMES
        if name in kept and flags.get(name) is None and _fits(name, kept[name])
    }
    try:
        settings = force.with_(**changes)
        budgets_of(settings)
    except InspectorError:
        # Saved by another version, or for an engine that is no longer installed: use the settings in force.
        return force
    return settings


def followed(settings: Settings, before: Settings, force: Settings) -> Settings:
    """Return the settings on screen after those in force changed from `before`: the changes of the user stay."""
    return settings if force == before else first_settings(force, dict(difference(settings, before)), {})


def _fits(name: str, value: Any) -> bool:
    """Whether a remembered value is of the kind that the setting needs."""
    row = SETTINGS[name]
    if value is None:
        return row.optional
    kinds = {"choice": str, "share": int | float}.get(row.kind, int)
    return isinstance(value, kinds) and not isinstance(value, bool)
