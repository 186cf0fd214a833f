"""Gather a report from the answers that the other commands use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from msgspec.structs import replace

from inspector import __version__
from inspector.answers.answers import Answers
from inspector.answers.attempting import attempts_of
from inspector.answers.bills import bill_words, bills_of
from inspector.answers.compactions import trigger_of, why_of
from inspector.answers.fact_reading import FactsReading
from inspector.answers.facts import facts_reading, note_dismissed
from inspector.answers.findings import dismissed_note, findings, split_dismissed
from inspector.answers.inspection import Compared, Inspection
from inspector.answers.live_sizes import live_tokens
from inspector.answers.measures import measures_of
from inspector.answers.recordings import read_recording
from inspector.answers.requests import requests_of
from inspector.answers.summaries import summary_lives
from inspector.caching.requests import Requests
from inspector.config.settings import ResolvedSettings
from inspector.core.watching import OnProgress
from inspector.engines.base import Settings, region_tokens
from inspector.export.document import Document
from inspector.export.masking import masked, masked_words, masker_of, masking_note
from inspector.export.report.parts import (
    GROUP,
    ITEMS,
    SUMMARY,
    attempts_part,
    facts_part,
    risk_part,
)
from inspector.export.report.values import CompactionPart, DiffPart, Fall, GenerationLine, Report, TokenCourse
from inspector.export.requests import sums_document
from inspector.models.kept import default_attempts
from inspector.quality.finding import SEVERITIES, Finding
from inspector.quality.grouping import grouped
from inspector.replay.transcript import Transcript, transcript_of
from inspector.summaries.diff import diff_summaries
from inspector.summaries.parse import parse_summary


def gather_report(
    answers: Answers, name: str, made_at: float, watch: OnProgress | None = None, mask: bool = True
) -> Report:
    """Return the report of a conversation under the settings in force. `made_at` is in seconds since the epoch.

    With `mask`, no text of the report has a secret, and a note has the number of removed secrets.

    Reads every list. Raises UnknownConversation, StoreErrors, EngineErrors, OutputProblem if the attempts cannot be
    read, and what `watch` raises.
    """
    inspection, resolved, reading = facts_reading(answers, name, watch)
    conversation, settings = inspection.conversation, resolved.settings
    row = conversation.row
    info = answers.store.info_of(row.id)
    compared = inspection.compared(settings)
    active, dismissed = split_dismissed(inspection, findings(inspection, resolved, reading.facts))
    if dismissed:
        answers.note(dismissed_note(len(dismissed)))
    note_dismissed(answers, reading.facts.dismissed_count)
    requests = requests_of(inspection, resolved)
    stored_attempts = attempts_of(answers.store, row, default_attempts())
    attempts = [
        attempts_part(inspection, settings, item, stored_attempts, reading.facts, watch) for item in compared
    ]
    live = inspection.plan(conversation.live, settings)
    transcript = transcript_of(conversation, inspection.compactions())
    course = _course(inspection, settings, transcript, compared)
    tokens, is_reported = live_tokens(inspection, live)
    placed = {finding.compaction for finding in active} & {item.recorded.index for item in compared}
    masker = masker_of(inspection, mask)
    report = Report(
        row=row,
        database=info.path.name,
        made_at=made_at,
        version=__version__,
        profile_reason=_why(resolved, info.profile_reason),
        settings=resolved,
        budgets=live.budgets,
        generations=_generations(inspection, settings, transcript),
        course=course,
        compactions=_compactions(inspection, resolved, compared, reading, active, requests, attempts, course),
        measures=measures_of(inspection, settings, reading.facts),
        drift=summary_lives(inspection, settings),
        costs=sums_document(requests),
        risk=risk_part(live, reading, masker),
        findings=grouped(finding for finding in active if finding.compaction not in placed),
        finding_counts={
            severity: sum(group.first.severity == severity for group in grouped(active))
            for severity in SEVERITIES
        },
        notes=tuple(answers.notes()),
        live_tokens=tokens,
        live_reported=is_reported,
    )
    report = masked(report, masker)
    for note in masking_note(masker):
        answers.note(note)
    words = masked_words(masker)
    return replace(report, notes=(*report.notes, f"{words}.")) if words else report


def _why(resolved: ResolvedSettings, detected: str) -> str:
    source = resolved.sources["profile"]
    return detected if source == "detected" else f"Chosen by {source}."


def _generations(
    inspection: Inspection, settings: Settings, transcript: Transcript
) -> tuple[GenerationLine, ...]:
    first: dict[int, int] = {}
    for step, place in enumerate(transcript.places, 1):
        first.setdefault(place.generation, step)
    counts = Counter(place.generation for place in transcript.places)
    return tuple(
        GenerationLine(
            number,
            generation.session,
            len(generation),
            counts[number],
            first.get(number, transcript.ends[number - 2] if 1 < number <= len(transcript.ends) + 1 else 1),
            inspection.token_index(generation, settings.profile).total()
            + inspection.system_tokens(generation.session),
            generation.live,
        )
        for number, generation in enumerate(inspection.conversation.generations, 1)
    )


def _course(
    inspection: Inspection, settings: Settings, transcript: Transcript, compared: Sequence[Compared]
) -> TokenCourse:
    tokens: list[int] = []
    for number, places in groupby(transcript.places, key=lambda place: place.generation):
        generation = inspection.generation(number)
        until = inspection.token_index(generation, settings.profile).rough_until
        system = inspection.system_tokens(generation.session)
        tokens += [until(place.index + 1) + system for place in places]
    falls = tuple(
        Fall(
            recorded.index,
            transcript.ends[recorded.index - 1],
            recorded.tokens_before,
            recorded.tokens_after,
            recorded.fallback,
        )
        for recorded in (item.recorded for item in compared)
        if recorded.index <= len(transcript.ends)
    )
    sizes = ""
    if inspection.requests():
        # A threshold is compared with the sizes that the agent reports.
        recording = read_recording(inspection, settings.profile)
        scale, after = recording.course.scale, [(e.tokens_before, e.tokens_after) for e in recording.events]
        if scale.excess and (len(recording.tokens), len(after)) == (len(tokens), len(falls)):
            sizes, tokens = scale.sentence(), list(recording.tokens)
            falls = tuple(
                replace(fall, before=before, after=then)
                for fall, (before, then) in zip(falls, after, strict=True)
            )
    return TokenCourse(tuple(tokens), falls, sizes)


def _compactions(
    inspection: Inspection,
    resolved: ResolvedSettings,
    compared: Sequence[Compared],
    reading: FactsReading,
    all_findings: Sequence[Finding],
    requests: Requests,
    attempts: Sequence[Document],
    course: TokenCourse,
) -> tuple[CompactionPart, ...]:
    number = len(compared)
    longest, items = SUMMARY.of(number), ITEMS.of(number)
    parts = []
    bills = bills_of(inspection, requests)
    ended = reading.facts.ended()
    before: tuple[int, str] | None = None
    sizes = {fall.compaction: (fall.before, fall.after) for fall in course.falls if course.sizes}
    for item, attempts_of_compaction in zip(compared, attempts, strict=True):
        recorded = item.recorded
        token_index = inspection.token_index(inspection.generation(recorded.index), resolved.settings.profile)
        text = recorded.summary
        diff = None
        if text is not None:
            if before is not None:
                compare = diff_summaries(parse_summary(before[1]), parse_summary(text))
                diff = DiffPart(before[0], compare, items)
            before = (recorded.index, text)
        parts.append(
            CompactionPart(
                item,
                trigger_of(recorded, why_of(inspection, recorded, resolved, token_index)),
                region_tokens(recorded, token_index),
                facts_part(
                    reading.facts,
                    recorded.index,
                    GROUP.of(number),
                    ended.get(recorded.index, ()),
                    bool(recorded.before) and recorded.whole,
                ),
                None if text is None else text[:longest],
                max(0, len(text or "") - longest),
                diff,
                grouped(finding for finding in all_findings if finding.compaction == recorded.index),
                bill_words(recorded, bills.get(recorded.index), requests, inspection.is_branch),
                attempts_of_compaction,
                sizes.get(recorded.index),
            )
        )
    return tuple(parts)
