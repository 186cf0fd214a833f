"""Copy texts to the clipboard, or to a file if they are too long, and open messages in a pager or an editor."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from textual.app import SuspendNotSupported

from inspector.app.conversation.resources import COMPACTIONS
from inspector.app.conversation.state import recorded
from inspector.core.errors import StoreError
from inspector.core.messages import Message
from inspector.export.config import settings_written

if TYPE_CHECKING:
    from inspector.app.conversation.host import Host
    from inspector.quality.facts.fact import Fact

#: Terminals drop longer OSC 52 sequences; longer texts go to the file only.
CLIPBOARD_LIMIT = 100_000
_FALLBACKS = {"PAGER": "less", "EDITOR": "vi"}


class Clipboard:
    """Copies texts, and opens a message in another program. Writes nothing next to the database."""

    def __init__(self, host: Host) -> None:
        self._host = host

    def copy(self, what: str) -> None:
        """Copy the message, the summary or the settings."""
        texts = {"message": self._message, "summary": self._summary, "settings": self._settings}
        text = texts[what]()
        if text:
            self.copy_text(text, what)
        else:
            self._host.app.notify(f"There is no {what} to copy here.", severity="warning")

    def copy_text(self, text: str, what: str) -> None:
        """Copy a text to a file, and to the clipboard if it is short enough."""
        path = self._host.saved.write_copy(text)
        if len(text) <= CLIPBOARD_LIMIT:
            self._host.app.copy_to_clipboard(text)
            where = "to the clipboard" + (f" and {path}" if path else "")
        else:
            where = f"to {path} (too long for a terminal's clipboard)" if path else "nowhere: it is too long"
        self._host.app.notify(f"Copied the {what} {where}.", timeout=3, markup=False)

    def copy_facts(self, facts: Sequence[Fact], at_risk: bool) -> None:
        """Copy facts as a checklist for the agent."""
        from inspector.export.facts import AT_RISK_LEAD, LOST_LEAD
        from inspector.quality.facts.carry import checklist

        self.copy_text(checklist(facts, AT_RISK_LEAD if at_risk else LOST_LEAD), "checklist")

    def open_outside(self, variable: str) -> None:
        """Open the message in $PAGER or $EDITOR, as a copy."""
        app, text = self._host.app, self._message()
        if not text:
            app.notify("There is no message to open here.", severity="warning")
            return
        command = os.environ.get(variable) or _FALLBACKS[variable]
        try:
            program = shlex.split(command)
        except ValueError as error:
            app.notify(f"${variable} is {command!r}: {error}.", severity="error", markup=False)
            return
        if not program or shutil.which(program[0]) is None:
            message = f"There is no program {command!r}. Set ${variable} to another one."
            app.notify(message, severity="error", markup=False)
            return
        with tempfile.TemporaryDirectory(prefix="compaction-inspector-") as folder:
            path = Path(folder) / "message.txt"
            path.write_text(text, encoding="utf-8", errors="replace")
            try:
                with app.suspend():
                    subprocess.run([*program, str(path)], check=False)
            except SuspendNotSupported:
                refusal = "Another program cannot take over this terminal; y copies the message."
                app.notify(refusal, severity="error", markup=False)
        app.refresh()

    def current(self) -> Message | None:
        """The message under the cursor, read from the store; None on the system prompt, or if it cannot be read."""
        rows = self._host.messages.rows
        if rows is None or not len(rows):
            return None
        generation, index = rows.place(self._host.state.row)
        try:
            messages = self._host.store.messages(generation, index, index + 1) if index >= 0 else ()
        except StoreError as error:
            self._host.answer(str(error))
            return None
        return messages[0] if messages else None

    def _message(self) -> str:
        rows = self._host.messages.rows
        if rows is not None and rows.place(self._host.state.row)[1] < 0:
            return rows.system_prompt
        message = self.current()
        if message is None:
            return ""
        calls = [f"{call.name}({call.arguments})" for call in message.tool_calls]
        return "\n".join(part for part in (message.text, *calls) if part)

    def _summary(self) -> str:
        state = self._host.state
        made = recorded(self._host.loaded.latest(COMPACTIONS), state.compaction, state.moment)
        return made.summary or "" if made is not None else ""

    def _settings(self) -> str:
        opened = self._host.loaded.opened
        force = None if opened is None else opened.resolved.settings
        return settings_written(self._host.state.settings, force).text
