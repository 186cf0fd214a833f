"""Find what a chat gateway puts around a person's words in a user message: sender, time, media, notices, heartbeats.

Forms of OpenClaw 2026.2 to 2026.9 (also as Moltbot) and of Hermes' gateway.
"""

from __future__ import annotations

import re

from inspector.core.patterns import late_pattern

#: The channel, the sender and the time before a person's words: all three, or the time alone.
_MARK = r"\[[A-Z]\w{2,20} (?:[^\]\n]{1,200} )?\d{4}-\d\d-\d\d \d\d:\d\d [^\]\n]{1,20}\][ ]?"
_CONTEXT = "_OPENCLAW_INTERNAL_CONTEXT>>>"
_REMINDER = r"A scheduled reminder has been triggered\."
_REMINDER_ENDS = r"(?:Handle this reminder internally|Please relay this reminder to the user)\b"
#: Up to the next queued message.
_REST = r"(?:(?!^---\nQueued #).)*"
#: The rest of a note in brackets, which may quote other brackets.
_NOTE_ENDS = r"[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*\]"
_BESIDE = "The user has provided the following instruction alongside the skill invocation: "
#: A part that needs an end stops at the next start of its kind, so the time is linear.
ENVELOPE = late_pattern(
    r"^(?:"
    # Data about the chat and its sender, as JSON.
    r"(?:[A-Z][\w ]{1,60} \(untrusted[^()\n]{0,80}\)|Conversation info|Sender|Reply target of current user message|"
    r"Thread starter|Replied message|Forwarded message context):[ \t]*\n```json\n(?:[^`\n][^\n]*\n|\n)*?```[ \t]*\n?"
    # Messages of a chat, a paragraph, and untrusted text between its marks.
    r"|[A-Z][\w ]{1,60} \(untrusted[^()\n]{0,80}\):[ \t]*\n(?=[\[#])[^\n]+\n(?:[^\n]+(?:\n|\Z))*"
    r"|Untrusted context \(metadata, [^()\n]{1,60}\):\s+(?:<(?P<memory>\w{1,40})>(?:(?!^Untrusted).)*?</(?P=memory)>|"
    r"<<<EXTERNAL_UNTRUSTED_CONTENT(?:(?!^Untrusted context ).)*?<<<END_EXTERNAL_UNTRUSTED_CONTENT[^<>\n]*>>>)"
    # A context of the gateway's own.
    rf"|(?:{_MARK})?<<<BEGIN{_CONTEXT}[^<]*(?:<(?!<<(?:BEGIN|END){_CONTEXT})[^<]*)*<<<END{_CONTEXT}"
    # The result of a task and the request to store memories, up to the next queued message.
    rf"|(?:{_MARK})?(?:A (?:subagent task|background task|cron job) \"|OpenClaw runtime context \(internal\):|"
    r"Pre-compaction memory flush\.|\[System(?: Message)?\] |\[Inter-session message\] |"
    r"\[Subagent Context\] (?!You are running as)|Continue the OpenClaw runtime event\.$)"
    rf"{_REST}"
    # A request to store memories in the words of the settings.
    rf"|(?:(?!---$)[^\n]{{0,2000}}\n){{1,20}}(?=Store durable memories only in memory/){_REST}"
    # The notes of the last days in a new session.
    r"|\[Startup context loaded by runtime\]\n(?:(?!^\[Startup context ).)*^END_QUOTED_NOTES$"
    r"(?:\n\.\.\.\[[^\]\n]{1,60}\]\.\.\.)?"
    # Whom a sub-agent serves, before its task.
    rf"|(?:{_MARK})?\[Subagent Context\] [^\n]*|\[Subagent Task\]:?[ ]?"
    rf"|{_REMINDER}[^\n]*(?:\n(?!{_REMINDER}|{_REMINDER_ENDS})[^\n]*)*\n{_REMINDER_ENDS}[^\n]*"
    rf"|(?:{_MARK})?\[Queued (?:announce )?messages while agent was busy\]"
    r"|---\nQueued #\d{1,4}(?: \(from [^)\n]{1,80}\))?$"
    r"|\[Bootstrap (?:truncation warning|pending)\](?:\n[^\n]+){1,40}"
    # Notices after a compaction: an audit, and sections of AGENTS.md up to the next mark. Answers to hooks and jobs.
    r"|System: \[[^\]\n]{1,60}\] [^\w\n]{0,4}Post-Compaction Audit: (?:(?!\nSystem: \[).){0,4000}?"
    r"after memory compaction\."
    r"|System: \[[^\]\n]{1,60}\] (?:\[Post-compaction context refresh\]|(?:Hook [^\n]{1,60}?|Cron): [^\n]*)"
    r"\n(?!System:)(?:(?!^System: \[).){0,6000}?"
    rf"(?=^(?:System: \[|[A-Z][\w ]{{1,60}} \(untrusted|{_MARK}|Read HEARTBEAT\.md))"
    # The prompt of a heartbeat in the words of the settings, and its answer.
    r"|(?:(?!System[ :(])[^\n]{1,2000}\n){1,20}(?=When reading HEARTBEAT\.md, )"
    rf"|(?:{_MARK})?HEARTBEAT_OK$"
    # Notices, and prompts that the gateway sends by itself.
    rf"|(?:{_MARK})?(?:\[System: (?:{_NOTE_ENDS}|[^\n]*)|<media:[a-z]{{4,12}}>(?:[ ]\([^\n]+\)$)?)"
    r"|(?:System(?: \(untrusted\))?:[ \n]|Current time: |When reading HEARTBEAT\.md, |Read HEARTBEAT\.md if it exists|"
    r"A new session was started via |\[OpenClaw heartbeat poll\]|\[media(?: attached|_path: |_type: )|"
    r"An async command (?:you ran|the user)|To send an image back, prefer the message tool|"
    r"Run: (?:openclaw|clawdbot|moltbot) (?:[^\n]* )?doctor --non-interactive$|"
    r"Note: The previous agent run was aborted by the user\.|"
    r"Delivery: (?:to send a message, use|Final assistant text is not))[^\n]*\n?"
    # Hermes: reports of processes and of sub-agents, and the prompts of its reviews.
    r"|\[(?:IMPORTANT|SYSTEM): (?:Background process |\d{1,4} background processes ).*|\[ASYNC DELEGATION .*"
    r"|Review the conversation above and (?:consider saving to memory|update (?:the skill library|two things)).*"
    # A skill, up to the words beside it, and the output of a script before them.
    rf"|(?:\[(?:IMPORTANT|SYSTEM): The user has invoked the .*?(?:{_BESIDE}|\Z)|{_BESIDE})"
    rf"(?:\[(?:IMPORTANT|SYSTEM): You are running as {_NOTE_ENDS})?"
    r"|## (?:Script (?:Output|Error)|Output from job '[^'\n]{1,80}')\n"
    r"The (?:following |data-collection script failed)[^\n]*\n\n```\n(?:(?!^## (?:Script|Output from job) ).)*?^```$"
    # Notes, and messages of others, before or behind the words; words in a voice message.
    r"|\[(?:System note: |Runtime note: |Note: model was just switched |(?:IMPORTANT|SYSTEM): (?:You are running as |"
    r"The following skill|MCP servers have been reloaded)|Script ran successfully|"
    r"STILL IN PROGRESS |OUT-OF-BAND USER MESSAGE |User sent (?:an? )?(?:image|audio|video|file): |"
    rf"The user sent an? (?!(?:voice message|image)~ Here)|If you need a closer look, use vision_analyze ){_NOTE_ENDS}"
    r"|\[/OUT-OF-BAND USER MESSAGE\]"
    r"|\[Assistant Rules - (?:(?!^\[Assistant Rules - ).)*?^\[User Request\]\n"
    r"|\[Recent channel messages\]\n(?:(?!^\[Recent channel ).)*?^\[New message\]\n"
    r"|\[Thread context — (?:(?!^\[Thread context ).)*?^\[End of thread context\]"
    r"|\[The user sent an image~ Here's what I can see:\n(?:(?!^\[The user sent ).)*?\](?=\s*(?:\[If you need|\Z))"
    r"|\[The user sent a voice message~ Here's what they said: \"(?P<said>(?:(?!^\[The user sent ).)*?)\"\]"
    # A picture or a video that another model described, if the user wrote nothing with it.
    rf"|\[(?:Image|Video)(?: \d+/\d+)?\]\n(?:User text:\n(?:{_MARK})?[^\n]{{0,80}}?/media/inbound/[^\s/]{{1,100}}\n)?"
    r"Description:\n.{0,20000}?(?=^\[(?:Image|Video|Audio)(?: \d+/\d+)?\]\n|\Z)"
    # Marks before the words: a job, an id and the sender, a time.
    r"|\[cron:[^\]\n]{1,200}\][ ]?|\[(?:message_id|slack message id): [^\]\n]{1,100}\][ ]?(?:\n[\w@.-]{1,80}: )?"
    r"|[^\W\d][\w .'-]{1,60} \([UW][A-Z\d]{8,12}\): |\(self\): "
    rf"|{_MARK}|\[Retry after the previous [^\]\n]{{1,100}}\]"
    # The message that the user replies to, behind the words.
    r")|\[Replying to [^\]\n]{1,200}\]\s(?:(?!\[Replying to ).){0,20000}?\[/Replying\]|\[Replying to: \".{0,600}?\"\]",
    re.MULTILINE | re.DOTALL,
)
#: Text of memory plugins before the user's message: blocks with their own tags, and the mark of MemOS at the end.
_MEMORIES = late_pattern(
    r"(?:\s*<(?P<tag>[\w-]{0,40}(?:memor|mem[a-z]{0,20}[-_]context)[\w-]{0,20})(?:\s[^<>\n]{0,400})?>.{0,60000}?</(?P=tag)>"
    r"\s*){1,8}",
    re.DOTALL,
)
_TIMED = late_pattern(r"\ASystem(?: \(untrusted\))?: \[[^\]\n]{1,60}\] ")
_QUERY = late_pattern("user\u200b?原\u200b?始\u200b?query\u200b?：\u200b*")


def after_memories(text: str, start: int, end: int) -> int:
    """Return the start of the user's message in text[start:end], behind the memories that a plugin put before it."""
    block = _MEMORIES.match(text, start, end)
    start = block.end() if block is not None else start
    return max((mark.end() for mark in _QUERY.finditer(text, start, end)), default=start)


def without_envelope(text: str) -> str:
    """Return the text without what a gateway put around it, "" if nothing else is left."""
    text = text[after_memories(text, 0, len(text)) :]
    return ENVELOPE.sub(r"\g<said>", text).strip() if ENVELOPE.search(text) else text


def notice(text: str) -> str:
    """Return the text of a gateway without the time before it."""
    return _TIMED.sub("", text, count=1)


def words_first(role: str, text: str) -> str:
    """Return a user's text without its envelope. A text without words of a person, and any other text, is unchanged."""
    return (without_envelope(text) if role == "user" else "") or text
