"""Headings with the same meaning in different releases, as data. Unknown headings mean themselves."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

#: Meaning → headings, as documents, releases and models write them.
MEANINGS: Mapping[str, tuple[str, ...]] = {
    "task": ("Active Task", "Historical Task Snapshot", "Task Snapshot", "Current Task"),
    "goal": ("Goal", "Goals", "Objective", "Overall Goal", "Primary Request and Intent"),
    "constraints": ("Constraints & Preferences", "Constraints", "Preferences", "User Preferences"),
    "done": ("Progress / Done", "Completed Actions", "Historical Completed Actions", "Done", "Completed"),
    "state": ("Active State", "Historical Active State", "Current State"),
    "doing": (
        "Progress / In Progress",
        "In Progress",
        "Historical In-Progress State",
        "In-Progress State",
        "Current Work",
    ),
    "blocked": ("Progress / Blocked", "Blocked", "Blockers", "Historical Blocked"),
    "decisions": ("Key Decisions", "Decisions"),
    "answered": ("Resolved Questions", "Answered Questions"),
    "asked": ("Pending User Asks", "Historical Pending User Asks", "Open Questions", "Pending Tasks"),
    "files": ("Relevant Files", "Files", "Files and Code Sections"),
    "next": ("Next Steps", "Remaining Work", "Historical Remaining Work", "Optional Next Step"),
    "dropped": ("Last Dropped Turns",),
    "context": ("Critical Context",),
}

_WORDS = re.compile(r"\w+")


def plain(name: str) -> str:
    """Return a section's name in small letters, without punctuation; `&` becomes "and"."""
    parts = name.replace("&", " and ").casefold().split(" / ")
    return " / ".join(" ".join(_WORDS.findall(part)) for part in parts)


_REMARK = re.compile(r"\([^()]*\)$")
_BY_NAME: Mapping[str, str] = {plain(name): key for key, names in MEANINGS.items() for name in names}


@lru_cache(maxsize=1024)
def meaning(name: str) -> str:
    """Return a section's meaning: a key of MEANINGS, or the plain name of an unknown heading."""
    bare = plain(name)
    # A remark may follow: "Pending Tasks (from the plan)".
    return _BY_NAME.get(bare) or _BY_NAME.get(plain(_REMARK.sub("", name)), bare)


def is_common(name: str) -> bool:
    """Return whether a section has a heading of MEANINGS, rather than one of the model's own."""
    return plain(name) in _BY_NAME or plain(_REMARK.sub("", name)) in _BY_NAME
