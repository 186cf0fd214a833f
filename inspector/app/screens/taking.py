"""Carrying things off: to the clipboard, to a file where that is too small, to a pager or an editor."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

from textual import on

from inspector.app.screens.base import ConversationBase
from inspector.core.messages import Message
from widgets.lists.message_list import MessageList
from widgets.panes.text_view import TextView

#: Terminals drop longer OSC 52 sequences; what is longer goes to the file alone.
CLIPBOARD_LIMIT = 100_000
_FALLBACKS = {"PAGER": "less", "EDITOR": "vi"}


class TakingActions(ConversationBase):
    """Copying, and opening a message in another program. Nothing is written beside the database."""

    def action_copy(self, what: str) -> None:
        """Copy the message, the summary or the settings."""
        text = {
            "message": self._message_text,
            "summary": self._summary_text,
            "settings": self._settings_text,
        }[what]()
        if not text:
            self.app.notify(f"There is no {what} to copy here.", severity="warning")
            return
        self.copy_text(text, what)

    @on(TextView.CopyRequested)
    def _pane_copied(self, event: TextView.CopyRequested) -> None:
        self.copy_text(event.text, "text of the pane")

    def copy_text(self, text: str, what: str) -> None:
        """To the clipboard where it is short enough, and to a file."""
        path = self.place.write_copy(text)
        if len(text) <= CLIPBOARD_LIMIT:
            self.app.copy_to_clipboard(text)
            where = "to the clipboard" + (f" and {path}" if path else "")
        else:
            where = f"to {path} (too long for a terminal's clipboard)" if path else "nowhere: it is too long"
        self.app.notify(f"Copied the {what} {where}.", timeout=3, markup=False)

    def action_outside(self, variable: str) -> None:
        """Open the message in $PAGER or $EDITOR, as a copy."""
        text = self._message_text()
        command = os.environ.get(variable) or _FALLBACKS[variable]
        program = shlex.split(command)
        if not program or shutil.which(program[0]) is None:
            self.app.notify(f"{command!r} is not there; set ${variable}.", severity="error", markup=False)
            return
        with tempfile.TemporaryDirectory(prefix="compaction-inspector-") as folder:
            path = Path(folder) / "message.txt"
            path.write_text(text, encoding="utf-8", errors="replace")
            with self.app.suspend():
                subprocess.run([*program, str(path)], check=False)
        self.refresh()

    def current_message(self) -> Message | None:
        """The message under the cursor, read from the store; None on the system prompt."""
        if self.rows is None:
            return None
        generation, index = self.rows.place(self.query_one(MessageList).cursor)
        if index < 0:
            return None
        found = self.store.messages(generation, index, index + 1)
        return found[0] if found else None

    def _message_text(self) -> str:
        message = self.current_message()
        if message is None:
            return self.rows.system_prompt if self.rows is not None else ""
        calls = [f"{call.name}({call.arguments})" for call in message.tool_calls]
        return "\n".join(part for part in (message.text, *calls) if part)

    def _summary_text(self) -> str:
        made = self.recorded(self.number - 1) or self.recorded(self.number)
        return made.summary or "" if made is not None else ""

    def _settings_text(self) -> str:
        from inspector.export.config import compression_yaml

        return compression_yaml(self.settings)
