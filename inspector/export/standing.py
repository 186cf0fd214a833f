"""Rule files as text."""

from __future__ import annotations

from collections.abc import Sequence

from inspector.answers.standing import StandingFile
from inspector.core.shares import plural
from inspector.core.text import safe_title
from inspector.export.console import StyledLines
from inspector.quality.grouping import ranges_of

#: Maximum number of printed lines of a file.
_SHOWN = 12


def print_rules(files: Sequence[StandingFile]) -> None:
    """Print each file under its conversation, with its origin and the lists that have it."""
    lines = StyledLines()
    if not files:
        lines.add(("No rule file was recorded.", ""))
        return
    conversation = None
    for file in files:
        if file.conversation != conversation:
            conversation = file.conversation
            lines.add((safe_title(file.title or conversation, 200), "bold"))
        lists, agent, cut = file.in_lists, file.sent_by, file.cut
        state, style = "in the live list", "green"
        if not file.in_context:
            state = "not in the recorded live list" + (f" since compaction {lists[-1]}" if lists else "")
            style = "red"
        if agent and not file.in_context:
            state, style = f"{state}, but {agent} sends this file of its workspace with each request", ""
        where = ", ".join(file.how)
        where += f"; in generation {ranges_of(lists)} of {file.generations}" if lists else ""
        lines.add((file.path, ""), (f"  {file.kind}, {where}; ", "dim"), (state, style), indent=2)
        if cut:
            sent = f"{agent} cut it: {cut.sent:,} of its {cut.characters:,} characters were sent"
            lines.add((sent, "red"), indent=6)
        texts = [line for line in file.text.splitlines() if line.strip()]
        for line_text in texts[:_SHOWN]:
            lines.add((safe_title(line_text, 200), "dim"), indent=6)
        if len(texts) > _SHOWN:
            lines.add((f"and {plural(len(texts) - _SHOWN, 'more line')}", "dim"), indent=6)
