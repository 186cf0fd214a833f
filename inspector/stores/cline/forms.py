"""Messages of Cline, which have the shape of Anthropic's API, as messages."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from inspector.stores.entries import Wire
from inspector.stores.message_logs.forms import anthropic_wires

_INPUT = re.compile(r'<user_input mode="\w*">(.*)</user_input>\s*', re.DOTALL)


def wires_of(lines: Sequence[Mapping[str, Any]]) -> list[Wire]:
    """Return the messages in a record: an answer, or results of tools and words of the user."""
    wires = [wire for line in lines for wire in anthropic_wires(line)]
    for wire in wires:
        content = wire["content"]
        if wire["role"] == "user" and isinstance(content, str) and (said := _INPUT.fullmatch(content)):
            wire["content"] = said[1]
        elif (
            wire["role"] == "tool"
            and isinstance(content, list)
            and not any("type" in part for part in content)
        ):
            # Cline sends the results of commands and files, which have no type, as JSON.
            wire["content"] = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    return wires
