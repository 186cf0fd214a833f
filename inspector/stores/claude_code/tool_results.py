"""Large results, which Claude Code stores in files next to the transcript. The model got only their beginning."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_OPENING = "<persisted-output>"
_SAVED = re.compile(r"Full output saved to: *([^\r\n]+)")
_FOLDER = "tool-results"


def file_of(transcript: Path, wire: Mapping[str, Any]) -> str:
    """Return the file with a whole result if it is in the session's folder, else "".

    The path in the text may be of another machine, so no other folder is opened.
    """
    content = wire.get("content")
    if wire.get("role") != "tool" or not isinstance(content, str) or not content.startswith(_OPENING):
        return ""
    saved = _SAVED.search(content, 0, 4_096)
    if saved is None:
        return ""
    name = re.split(r"[/\\]", saved[1].strip())[-1]
    # Transcripts of sub-agents are in a folder of the session: SESSION/subagents/agent-1.jsonl.
    sessions = (transcript.with_suffix(""), transcript.parent.parent)
    paths = (session / _FOLDER / name for session in sessions if name not in ("", ".", ".."))
    return next((str(path) for path in paths if path.is_file()), "")
