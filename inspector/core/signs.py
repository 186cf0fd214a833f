"""Signs and words that the screen, text and reports share. Signs stand next to words, so that colour is never the
only sign.

Within a table each sign has one meaning; `~` always means a rough count.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

ROUGH = "~"
SEVERITY_SIGNS: Mapping[str, str] = MappingProxyType({"error": "✗", "warning": "!", "info": "·"})
#: Fates of a fact, the worst first; "at risk" is a fact that the next compaction would remove.
FATE_SIGNS: Mapping[str, str] = MappingProxyType(
    {
        "lost": "∅", "contradicted": "⇄", "value lost": "□", "weakened": "↓", "uncertain": "±", "unknown": "?",
        "at risk": "→", "paraphrased": "≈", "verbatim": "=",
    }
)  # fmt: skip
#: How the list after a compaction has a fact, before the excerpt that shows it.
EXCERPT_WORDS: Mapping[str, str] = MappingProxyType(
    {
        "contradicted": "now", "value lost": "still mentioned", "weakened": "now", "uncertain": "words of it",
        "lost": "words of it", "paraphrased": "survives", "verbatim": "survives",
    }
)  # fmt: skip
#: Speakers in a sentence, and in four cells.
ROLE_WORDS: Mapping[str, str] = MappingProxyType({"user": "user", "assistant": "agent", "tool": "tool"})
SHORT_ROLES: Mapping[str, str] = MappingProxyType({"assistant": "asst", "system": "sys"})
#: Changes of an item from one summary to the next.
CHANGE_SIGNS: Mapping[str, str] = MappingProxyType(
    {"added": "+", "removed": "−", "reworded": "≈", "moved": "→", "kept": "="}
)
#: States of an item in the lineage of all summaries.
STATE_SIGNS: Mapping[str, str] = MappingProxyType(
    {
        "new": "+", "kept": "=", "renumbered": "#", "reworded": "≈", "split": "÷", "merged": "&", "moved": "→",
        "done": "✓", "dropped": "−", "back": "↺",
    }
)  # fmt: skip


#: Causes of a cache miss, in words.
CAUSE_WORDS: Mapping[str, str] = MappingProxyType(
    {
        "first": "the first request",
        "compaction": "after a compaction",
        "microcompaction": "after old results were cleared",
        "model": "another model",
        "ttl": "expired in a pause (ttl)",
        "prefix": "the prompt changed (prefix)",
        "unknown": "unknown cause",
    }
)
