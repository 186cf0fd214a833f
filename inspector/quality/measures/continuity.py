"""Continuity: whether the list after a compaction has the open request and the next step."""

from __future__ import annotations

from inspector.core.messages import Message
from inspector.core.scan.words import Stemmer
from inspector.engines.hygiene import TODO_START
from inspector.quality.evidence import is_request
from inspector.quality.facts.fact import Where
from inspector.quality.measures.measure import Evidence, Measure, MeasuredCompaction, Share
from inspector.summaries.content import content_words
from inspector.summaries.headings import meaning
from inspector.summaries.lineage import OPEN
from inspector.summaries.parse import parse_summary

#: Minimum share of words that a request and an entry of the summary share, and minimum content words of a request.
MIN_WORD_OVERLAP = 0.6
MIN_WORDS = 3
#: Minimum number of shared words if the entry is shorter than the request.
MIN_SHARED_WORDS = 4
#: Characters of a request that identify a quote.
QUOTED = 60


def last_request(messages: list[Message] | tuple[Message, ...]) -> int | None:
    """Return the index of the user's last request, or None."""
    return next(
        (
            at
            for at in range(len(messages) - 1, -1, -1)
            if is_request(messages[at]) and messages[at].text.strip()
        ),
        None,
    )


def request_measure(compaction: MeasuredCompaction, stemmer: Stemmer) -> Measure:
    """Measure whether the list after has the user's last request."""
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
    elif quote := mention_of(text, compaction.recorded.summary or "", stemmer):
        found = None if summary_at is None else compaction.place_after(summary_at)
        entry = Evidence(text, True, said, found, "summary", quote, "user")
    else:
        entry = Evidence(text, False, said, None, None, "neither kept nor in the summary", "user")
    return Measure("continuity-request", index, Share(int(entry.known), 1), evidence=(entry,))


def _copy(compaction: MeasuredCompaction, at: int) -> int | None:
    """Return the index of a kept message in the list after; None if it was summarized or is missing."""
    recorded = compaction.recorded
    text = compaction.before[at].text.strip()
    if at >= recorded.tail_start:
        copy = recorded.tail_after + at - recorded.tail_start
    elif at < recorded.head_end:
        copy = at
    else:
        # Codex keeps the messages of the user and removes the others.
        return next(
            (
                i
                for i, message in enumerate(compaction.after)
                if message.role == "user" and i != recorded.summary_at and message.text.strip() == text
            ),
            None,
        )
    # A store may number the copies differently: try the expected index first, then all messages.
    order = (
        [copy, *range(len(compaction.after))]
        if copy < len(compaction.after)
        else list(range(len(compaction.after)))
    )
    return next(
        (i for i in order if compaction.after[i].role == "user" and text in compaction.after[i].text), None
    )


def mention_of(text: str, summary: str, stemmer: Stemmer) -> str:
    """Return how a summary mentions a request: quoted, or by shared words; "" if it does not."""
    folded = " ".join(text.split())
    if folded and folded[:QUOTED].strip() in " ".join(summary.split()):
        return "quoted"
    words = content_words(text, stemmer)
    if len(words) < MIN_WORDS:
        return ""
    entries = [item for _, item in parse_summary(summary).items()]
    for item in entries:
        entry = content_words(item.text, stemmer)
        there = len(words & entry)
        if there >= MIN_WORD_OVERLAP * len(words):
            return f"{there} of its {len(words)} words"
        # An entry may shorten a long request: most words of the entry are from the request.
        if there >= MIN_SHARED_WORDS and there >= MIN_WORD_OVERLAP * len(entry):
            return f"an entry has {there} of its {len(entry)} words from it"
    return ""


def next_measure(compaction: MeasuredCompaction) -> Measure:
    """Measure whether the list after has the next step."""
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
