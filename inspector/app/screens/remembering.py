"""The place in a conversation between runs: the settings that were changed, and the message under the cursor."""

from __future__ import annotations

from typing import Any

from inspector.answers.inspection import budgets_of
from inspector.app.screens.base import ConversationBase
from inspector.app.screens.telling import TellingActions
from inspector.config.settings import ResolvedSettings
from inspector.core.errors import InspectorError
from inspector.engines.base import SETTING_NAMES
from widgets.lists.message_list import MessageList

_RATIOS = ("threshold", "target_ratio")
_OPTIONAL = ("max_tokens", "summary_context")


class RememberingActions(TellingActions, ConversationBase):
    """Taking up what was remembered, and remembering."""

    def take_remembered_settings(self, resolved: ResolvedSettings) -> None:
        """The settings that the user changed last time, as far as they are still ones; flags come before them."""
        self.settings = resolved.settings
        kept = self.place.settings.get(self.root, {})
        changes = {
            name: kept[name]
            for name in SETTING_NAMES
            if name in kept and self.flags.get(name) is None and _fits(name, kept[name])
        }
        try:
            known = resolved.settings.with_(**changes)
            budgets_of(known)
        except InspectorError:
            # Kept by another version, or for an engine that is not installed any more: those in force hold.
            return
        if known != self.settings:
            self.undone.append(self.settings)
            self.settings = known

    def remembered_place(self) -> tuple[int, int | None]:
        """The generation and row to begin with: the message that is wanted, else the one of last time, else the end."""
        generations = self.inspection.conversation.generations if self.inspection is not None else ()
        wanted, self.wanted_message = self.wanted_message, None
        if wanted is None:
            wanted = self.place.messages.get(self.root)
        for generation in reversed(generations):
            if wanted is not None and wanted in generation.ids:
                return generation.number, list(generation.ids).index(wanted) + self.offset_of(
                    generation.number
                )
        return len(generations), None

    def remember(self) -> None:
        """Keep the place; the end of the live list is where one begins anyhow."""
        rows = self.rows
        if rows is None or self.inspection is None:
            return
        self.place.conversation = self.inspection.conversation.id
        self.place.remember_settings(self.root, self.changed_settings())
        index = rows.index(self.query_one("#messages", MessageList).cursor)
        at_end = rows.generation.live and index == len(rows.generation) - 1
        if at_end or not 0 <= index < len(rows.generation):
            self.place.messages.pop(self.root, None)
        else:
            self.place.remember_message(self.root, rows.generation.ids[index])


def _fits(name: str, value: Any) -> bool:
    """Whether a remembered value is of the kind that the setting needs."""
    if name == "profile":
        return isinstance(value, str)
    if value is None:
        return name in _OPTIONAL
    return isinstance(value, (int, float) if name in _RATIOS else int) and not isinstance(value, bool)
