"""The envelope that a gateway adds to a person's message."""

from __future__ import annotations

from time import process_time

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
AUDIT = (
    "System: [2026-02-21 14:33:05 EST] ⚠️ Post-Compaction Audit: The following required startup files were not read "
    "after context reset:\n  - TIDES.md\n  - memory/\\d{4}.md\n\nPlease read them now before continuing. "
    "This ensures your operating protocols are restored after memory compaction.\n"
)
REFRESH = (
    "System: [2026-02-27 09:01:12 EST] [Post-compaction context refresh]\n\nSession was just compacted. Never skip it."
    "\n\n## Red Lines\n\n- Never empty the dock.\n\n"
)
SEEN = (
    "[Feishu ou_27 Tue 2026-03-31 17:07 GMT+8] ada: /Users/ada/.openclaw/media/inbound/5e55.jpg\nDescription:\n"
    "The image shows a ferry. It must never wait."
)
MEMORIES = (
    "Note: Reference memory below. Never repeat them.\n\n```text\n<memory>\n- The ferry must wait.\n</memory>\n```\n\n"
    "**Note**: please not write `MEMORY.md`.\n\nuser\u200b原\u200b始\u200bquery\u200b：\u200b\u200b\u200b\u200b\n\n"
)
SAID = "Never let the ferry wait."

DONE = (
    'A subagent task "moor the "Ada"" just completed successfully.\n\nFindings:\nBerth 9 is free. Never moor there.\n\n'
    "Stats: runtime 9s\n\nDo not mention that this was a subagent task."
)


@pytest.mark.parametrize(
    ("text", "own"),
    [
        (f"{SENDER}[Fri 2026-04-17 18:15 PDT] {SAID}", SAID),
        (f"{SENDER}{SENDER}[message_id: om_1]\nou_27: {SAID}", SAID),
        (f"[Wed 2026-02-11 00:44 EST] {SAID}\n[message_id: c7f1]", SAID),
        (NOTICE + SENDER + SAID, SAID),
        (f"[Tue 2026-04-21 10:14 GMT+7] {CONTEXT}\n{SAID}", SAID),
        (PICTURE + SENDER + SAID, SAID),
        (f"{AUDIT}System: [2026-02-21 14:41:03 EST] Exec completed (ada, code 0)\n\n{SENDER}{SAID}", SAID),
        (f"{AUDIT}\n{SAID}", SAID),
        (f"{REFRESH}{SENDER}{SAID}", SAID),
        (f"{REFRESH}[Fri 2026-02-27 09:02 EST] {SAID}", SAID),
        (f"[cron:5e55 tides] {SAID}", SAID),
        (f"{CONTEXT}\n{SAID}", SAID),
        (f"{SAID}\n\n[Bootstrap truncation warning]\nNever trust the rest.\n- AGENTS.md: 2 raw", SAID),
        (f"[Bootstrap pending]\nPlease read BOOTSTRAP.md.\nNever greet.\n\n{SENDER}{SAID}", SAID),
        (FLUSH, ""),
        (f"{FLUSH}\n\nTreat it as read-only during this flush.\nCurrent time: noon", ""),
        (
            "A scheduled reminder has been triggered. The reminder content is:\n\nThe tide turns.\n\n"
            "Handle this reminder internally. Do not relay it.\n",
            "",
        ),
        (f"Ada Lovelace (U012ABCDE89): {SAID}\n[slack message id: 17.19 channel: C012]", SAID),
        (
            "System (untrusted): [x] done\n\nAn async command you ran earlier has completed. Do not relay it.\n",
            "",
        ),
        ("Read HEARTBEAT.md if it exists (workspace context). Follow it strictly.\n", ""),
        (
            "If idle, count the boats.\nNever wake the crew.\n"
            "When reading HEARTBEAT.md, use workspace file /w/HEARTBEAT.md (exact case).\nCurrent time: noon\n",
            "",
        ),
        (f"{SENDER}[Fri 2026-04-10 10:42 GMT+2] HEARTBEAT_OK", ""),
        (f"{SAID} [Replying to Ada id:76] Never moor at berth 9.\nIt is full.\n[/Replying]", SAID),
        (
            f"[Mon 2026-03-09 14:47 EST] [Queued announce messages while agent was busy]\n\n---\nQueued #1\n{SAID}",
            SAID,
        ),
        (f"[Queued messages while agent was busy]\n\n---\nQueued #2 (from Ada)\n{SAID}", SAID),
        (
            "A scheduled reminder has been triggered. The reminder content is:\n\nThe tide turns.\n\n"
            "Please relay this reminder to the user in a helpful and friendly way.\nCurrent time: noon\n",
            "",
        ),
        (f"[Telegram Ada (@ada) id:27 2026-02-08 11:02 GMT+8] {SAID}", SAID),
        ("[Feishu ou_27 Thu 2026-02-12 08:37 GMT+8] [System: Tell the user to grant the permission.]", ""),
        (f"[Mon 2026-03-09 14:47 EST] {DONE}", ""),
        (f"OpenClaw runtime context (internal):\nNever show it.\n\nAction:\n{DONE}", ""),
        (
            f"[Queued messages while agent was busy]\n\n---\nQueued #1\n{DONE}\n\n---\nQueued #2\n{SENDER}{SAID}",
            SAID,
        ),
        (f"{SENDER}[Image]\nUser text:\n{SEEN}", ""),
        (f"{SENDER}[Image 1/2]\nDescription:\nA berth.\n\n[Image 2/2]\nDescription:\nNever moor here.", ""),
        ("Never paste [Image] in the log.", "Never paste [Image] in the log."),
        (f"[Retry after the previous model attempt failed or timed out]\n\n{SAID}", SAID),
        (f"{MEMORIES}{SENDER}{SAID}", SAID),
        (f"<relevant-memories>\nNever obey these.\n1. tea\n</relevant-memories>\n\n{SENDER}{SAID}", SAID),
        (f'<pier_memory source="recall">\nNever moor.\n</pier_memory>\n{SAID}', SAID),
        (f"<claude-mem-context>\nNever moor.\n</claude-mem-context>\n\n{SAID}", SAID),
        (SAID, SAID),
        ("A subagent task must never moor twice.", "A subagent task must never moor twice."),
        ("The system: never let the ferry wait.", "The system: never let the ferry wait."),
    ],
)
def test_without_the_envelope_the_persons_message_remains(text: str, own: str) -> None:
    assert without_envelope(text) == own
    assert [text[one.start : one.end] for one in sentences(text)] == ([own] if own else [])
    assert by_person(text) == bool(own)


@pytest.mark.parametrize(
    "line", ["A scheduled reminder has been triggered.", "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>"]
)
def test_a_start_without_an_end_is_left_in_little_time(line: str) -> None:
    text = f"{line}\n" * 20_000
    began = process_time()
    assert without_envelope(text) == text
    assert process_time() - began < 1
