"""Continuity: whether the open request and the next step are in the list after a compaction."""

from __future__ import annotations

from inspector.core.messages import Message
from inspector.core.scan.words import Stemmer
from inspector.engines.hygiene import TODO_START
from inspector.quality.evidence import is_request
from inspector.quality.measures.measure import Evidence, Measure, MeasuredCompaction, Share, Where
from inspector.summaries.content import content_words
from inspector.summaries.headings import meaning
from inspector.summaries.lineage import OPEN
from inspector.summaries.parse import parse_summary

#: A summary tells of a request by so much of its words, or of the entry's own, and by so many of them; or by so many
#: characters.
TOLD = 0.6
TOLD_WORDS = 3
#: A short entry tells of a long request with so many words of it.
TOLD_SHORT = 4
QUOTED = 60


def last_request(messages: list[Message] | tuple[Message, ...]) -> int | None:
    """The index of the user's last request; None where there is none."""
    return next(
        (
            at
            for at in range(len(messages) - 1, -1, -1)
            if is_request(messages[at]) and messages[at].text.strip()
        ),
        None,
    )


def request_measure(compaction: MeasuredCompaction, stemmer: Stemmer) -> Measure:
    """Whether the user's last request is still there."""
    index = compaction.recorded.index
    at = last_request(list(compaction.before))
    if at is None:
        return Measure("continuity-request", index)
    text = compaction.before[at].text
    said = compaction.place(at)
    copied = _copy(compaction, at)
    summary_at = compaction.recorded.summary_at
    if copied is not None:
        where: Where = compaction.region(copied)
        entry = Evidence(text, True, said, compaction.place_after(copied), "tail" if where == "summary" else where,
                         "the message itself", "user")  # fmt: skip
    elif told := told_in(text, compaction.recorded.summary or "", stemmer):
        found = None if summary_at is None else compaction.place_after(summary_at)
        entry = Evidence(text, True, said, found, "summary", told, "user")
    else:
        entry = Evidence(text, False, said, None, None, "neither kept nor told", "user")
    return Measure("continuity-request", index, Share(int(entry.known), 1), evidence=(entry,))


def _copy(compaction: MeasuredCompaction, at: int) -> int | None:
    """The index in the list after of a message that stayed; None where it was summarized or is not there."""
    recorded = compaction.recorded
    text = compaction.before[at].text.strip()
    if at >= recorded.tail_start:
        copy = recorded.tail_after + at - recorded.tail_start
    elif at < recorded.head_end:
        copy = at
    else:
        # Codex keeps what the user wrote though the rest around it goes.
        return next(
            (
                i
                for i, message in enumerate(compaction.after)
                if message.role == "user" and i != recorded.summary_at and message.text.strip() == text
            ),
            None,
        )
    # A store may number the copies in another way; the message is looked for where it should be, then everywhere.
    order = (
        [copy, *range(len(compaction.after))]
        if copy < len(compaction.after)
        else list(range(len(compaction.after)))
    )
    return next(
        (i for i in order if compaction.after[i].role == "user" and text in compaction.after[i].text), None
    )


def told_in(text: str, summary: str, stemmer: Stemmer) -> str:
    """How a summary tells of a request: quoted, or with how much of its words; an empty string where it does not."""
    folded = " ".join(text.split())
    if folded and folded[:QUOTED].strip() in " ".join(summary.split()):
        return "quoted"
    words = content_words(text, stemmer)
    if len(words) < TOLD_WORDS:
        return ""
    entries = [item for _, item in parse_summary(summary).items()]
    for item in entries:
        entry = content_words(item.text, stemmer)
        there = len(words & entry)
        if there >= TOLD * len(words):
            return f"{there} of its {len(words)} words"
        # A long request is told in short: an entry that has most of its own words from it.
        if there >= TOLD_SHORT and there >= TOLD * len(entry):
            return f"an entry has {there} of its {len(entry)} words from it"
    return ""


def next_measure(compaction: MeasuredCompaction) -> Measure:
    """Whether the list after says what comes next."""
    recorded = compaction.recorded
    evidence: list[Evidence] = []
    if recorded.summary is not None and not recorded.fallback:
        found = None if recorded.summary_at is None else compaction.place_after(recorded.summary_at)
        for section, item in parse_summary(recorded.summary).items():
            if meaning(section.name) in OPEN:
                evidence.append(Evidence(item.text, True, None, found, "summary", section.name, "summary"))
    for at, message in enumerate(compaction.after):
        if at >= recorded.tail_after and message.role == "user" and message.text.startswith(TODO_START):
            evidence.append(
                Evidence(
                    message.text, True, None, compaction.place_after(at), "tail", "the to-do list", "user"
                )
            )
    if 0 <= recorded.tail_start < recorded.before == len(compaction.before):
        copy = recorded.tail_after + recorded.before - 1 - recorded.tail_start
        last = compaction.before[recorded.before - 1]
        if 0 <= copy < len(compaction.after) and compaction.after[copy].role == last.role:
            evidence.append(
                Evidence(
                    last.text,
                    True,
                    compaction.place(recorded.before - 1),
                    compaction.place_after(copy),
                    "tail",
                    "the last message before",
                    last.role,
                )
            )
    return Measure("continuity-next", recorded.index, Share(int(bool(evidence)), 1), evidence=tuple(evidence))
