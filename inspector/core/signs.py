"""The signs that stand beside words on screen, in text and in reports, so that colour is never the only sign.

One sign for one meaning within a table; `~` means a rough count and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

ROUGH = "~"
SEVERITY_SIGNS: Mapping[str, str] = MappingProxyType({"error": "✗", "warning": "!", "info": "·"})
#: What became of a fact, the worst first; "at risk" is what the next compaction would take.
FATE_SIGNS: Mapping[str, str] = MappingProxyType(
    {
        "lost": "✗", "value lost": "?", "weakened": "↓", "uncertain": "±", "unknown": "·", "at risk": "→",
        "paraphrased": "≈", "verbatim": "=",
    }
)  # fmt: skip
#: What became of an item from one summary to the next.
CHANGE_SIGNS: Mapping[str, str] = MappingProxyType(
    {"added": "+", "removed": "−", "reworded": "≈", "moved": "→", "kept": "="}
)
#: What an item of a summary is in the life of all summaries.
STATE_SIGNS: Mapping[str, str] = MappingProxyType(
    {
        "new": "+", "kept": "=", "renumbered": "#", "reworded": "≈", "split": "÷", "merged": "&", "moved": "→",
        "done": "✓", "dropped": "−", "back": "↺",
    }
)  # fmt: skip


#: What each cause of a cache miss means, in words.
CAUSE_WORDS: Mapping[str, str] = MappingProxyType(
    {
        "first": "the first request",
        "compaction": "first after a compaction",
        "microcompaction": "after old results were cleared",
        "model": "another model",
        "ttl": "idle longer than the cache lives",
        "prefix": "the prompt differs from the one before",
        "unknown": "for no reason that can be seen",
    }
)
