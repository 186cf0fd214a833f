"""What the conversation screen says about itself: its title, the work that goes on, sentences for the user."""

from __future__ import annotations

from typing import Any

from textual import on

from inspector.app.progress import Progress
from inspector.app.screens.base import ConversationBase
from inspector.app.work import Failed
from inspector.core.text import safe_line
from inspector.engines.base import SETTING_NAMES
from widgets.bars.notes_bar import NotesBar
from widgets.bars.title_bar import TitleBar, TitlePart
from widgets.base import human
from widgets.panes.knob_values import KNOBS, show

_KNOBS = {kind.name: kind for kind in KNOBS}


class TellingActions(ConversationBase):
    """Header and notes."""

    #: What is going on by kind of work.
    _going_on: dict[str, str] | None = None

    def findings_told(self) -> str:
        """How many findings there are, in words; the screen's part for findings knows."""
        raise NotImplementedError

    def show_header(self) -> None:
        """What is open, which list of it, and whether the settings are those in force."""
        inspection = self.inspection
        if inspection is None:
            return
        row = inspection.conversation.row
        generation = inspection.generation(self.number)
        profile = self.settings.profile
        if self.resolved is not None and profile == self.resolved.settings.profile:
            profile += f" ({self.resolved.sources['profile']})"
        live = "live" if generation.live else "compacted"
        if self.moment is not None:
            live = "live then"
        number = f"generation {self.number} of {len(inspection.conversation.generations)}, {live}"
        length = len(generation) if self.moment is None else self.moment.length
        changed = self.changed_settings()
        self.query_one(TitleBar).set_parts(
            (
                TitlePart(safe_line(row.title or row.id, 60), 9),
                TitlePart(self.findings_told(), 7, "changed"),
                TitlePart(changed_text(changed), 8, "changed"),
                TitlePart(safe_line(row.model, 40), 3),
                TitlePart(f"{self.settings.context_length:,} tokens", 2),
                TitlePart(profile, 6),
                TitlePart(number, 4),
                TitlePart(human.plural(length, "message"), 1),
            )
        )

    def changed_settings(self) -> dict[str, Any]:
        """The settings on screen that are not those in force."""
        if self.resolved is None:
            return {}
        force = self.resolved.settings
        return {
            name: getattr(self.settings, name)
            for name in SETTING_NAMES
            if getattr(self.settings, name) != getattr(force, name)
        }

    @on(Progress)
    def _progress(self, event: Progress) -> None:
        self.going_on(event.kind, event.text)

    def going_on(self, kind: str, text: str) -> None:
        """Some kind of work is that far; "" when it ended."""
        known = {other: what for other, what in (self._going_on or {}).items() if other != kind}
        if text:
            known[kind] = text
        self._going_on = known
        self.query_one(TitleBar).set_state("  ".join(f"{what} …" for what in known.values()))

    @on(Failed)
    def _failed(self, event: Failed) -> None:
        if event.fatal:
            self.app.leave_with(event.sentence)
        else:
            self.tell(event.sentence)

    def tell(self, *sentences: str) -> None:
        """Show sentences beside those that are shown, unless they were put away before."""
        bar = self.query_one(NotesBar)
        bar.show([text for text in (*bar.sentences, *sentences) if text not in self.app.put_away])

    @on(NotesBar.Dismissed)
    def _dismissed(self, event: NotesBar.Dismissed) -> None:
        self.app.put_away.update(event.sentences)


def changed_text(changed: dict[str, Any]) -> str:
    """The changed settings in a few words, "" where there are none."""
    if not changed:
        return ""
    if len(changed) > 2:
        return f"≠ {len(changed)} settings changed"
    told = [f"{name} {show(_KNOBS[name], value)}" for name, value in changed.items() if name in _KNOBS]
    return "≠ " + ", ".join(told) if told else "≠ settings changed"
