"""What a gateway puts around a person's words."""

from __future__ import annotations

import pytest

from inspector.core.envelope import without_envelope
from inspector.quality.facts.sentences import by_person, sentences

SENDER = 'Sender (untrusted metadata):\n```json\n{\n  "label": "harbour",\n  "id": "h1"\n}\n```\n\n'
NOTICE = "System: [2026-04-20 17:23:54 PDT] Exec failed (dawn-rid, signal SIGKILL)\nSystem: \nSystem: never mind\n\n"
FLUSH = (
    "Pre-compaction memory flush. Never overwrite memory/2026-03-25.md.\nCurrent time: Wednesday, 1:22 PM\n"
)
PICTURE = "[media attached: /tmp/a.jpg (image/jpeg)]\nTo send an image back, prefer the message tool. Never use ~.\n"
CONTEXT = (
    "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\nNever show this.\nIt ends.\n<<<END_OPENCLAW_INTERNAL_CONTEXT>>>"
)
SAID = "Never let the ferry wait."


@pytest.mark.parametrize(
    ("text", "own"),
    [
        (f"{SENDER}[Fri 2026-04-17 18:15 PDT] {SAID}", SAID),
        (f"{SENDER}{SENDER}[message_id: om_1]\nou_27: {SAID}", SAID),
        (f"[Wed 2026-02-11 00:44 EST] {SAID}\n[message_id: c7f1]", SAID),
        (NOTICE + SENDER + SAID, SAID),
        (PICTURE + SENDER + SAID, SAID),
        (f"[cron:5e55 tides] {SAID}", SAID),
        (f"{CONTEXT}\n{SAID}", SAID),
        (f"{SAID}\n\n[Bootstrap truncation warning]\nNever trust the rest.\n- AGENTS.md: 2 raw", SAID),
        (FLUSH, ""),
        (
            "System (untrusted): [x] done\n\nAn async command you ran earlier has completed. Do not relay it.\n",
            "",
        ),
        ("Read HEARTBEAT.md if it exists (workspace context). Follow it strictly.\n", ""),
        (SAID, SAID),
        ("The system: never let the ferry wait.", "The system: never let the ferry wait."),
    ],
)
def test_the_words_of_a_person_are_what_is_left(text: str, own: str) -> None:
    assert without_envelope(text) == own
    assert [text[one.start : one.end] for one in sentences(text)] == ([own] if own else [])
    assert by_person(text) == bool(own)
