"""Gather a report from the answers that the other commands use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import attrgetter

from msgspec.structs import replace

from inspector import __version__
from inspector.answers.answers import Answers
from inspector.answers.attempt_survival import outcomes_of
from inspector.answers.attempting import attempts_of
from inspector.answers.compactions import JudgedCompaction, judge_compactions
from inspector.answers.fact_reading import FactsReading
from inspector.answers.facts import facts_reading, note_dismissed
from inspector.answers.findings import dismissed_note, evidence_of, split_dismissed
from inspector.answers.inspection import Inspection
from inspector.answers.live_sizes import live_tokens
from inspector.answers.measures import measures_of
from inspector.answers.recordings import read_recording
from inspector.answers.requests import requests_of
from inspector.answers.store_losses import why_unknown
from inspector.answers.summaries import successive_summaries, summary_lives
from inspector.config.settings import ResolvedSettings
from inspector.core.watching import OnProgress
from inspector.engines.base import Settings, region_tokens
from inspector.export.masking import masked, masked_words, masker_of, masking_note
from inspector.export.report.parts import ATTEMPTS, GROUP, facts_part, risk_part
from inspector.export.report.values import CompactionPart, Fall, GenerationLine, Report, TokenCourse
from inspector.models.attempt import Attempt
from inspector.models.kept import default_attempts
from inspector.quality.aftermath import AftermathEvent
from inspector.quality.find import find
from inspector.quality.finding import SEVERITIES
from inspector.quality.grouping import grouped
from inspector.replay.transcript import Transcript, transcript_of


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
    evidence = evidence_of(inspection, resolved, reading.facts)
    active, dismissed = split_dismissed(inspection, find(evidence))
    if dismissed:
        answers.note(dismissed_note(len(dismissed)))
    note_dismissed(answers, reading.facts.dismissed_count)
    requests = requests_of(inspection, resolved)
    judged = judge_compactions(inspection, resolved, requests, active)
    attempts = attempts_of(answers.store, row, default_attempts())
    live = inspection.plan(conversation.live, settings)
    transcript = transcript_of(conversation, inspection.compactions())
    course = _course(inspection, settings, transcript)
    tokens, is_reported = live_tokens(inspection, live)
    aftermath = {entry.recorded.index: entry.aftermath for entry in evidence.compactions}
    placed = {finding for entry in judged for finding in entry.findings}
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
        compactions=_compactions(inspection, settings, judged, reading, aftermath, attempts, watch),
        measures=measures_of(inspection, settings, reading.facts),
        drift=summary_lives(inspection, settings),
        costs=requests,
        risk=risk_part(live, reading, masker),
        findings=tuple(finding for finding in active if finding not in placed),
        finding_counts={
            severity: sum(group.first.severity == severity for group in grouped(active))
            for severity in SEVERITIES
        },
        notes=tuple(answers.notes()),
        live_tokens=tokens,
        live_reported=is_reported,
        has_unread=inspection.conversation.has_unread,
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


def _course(inspection: Inspection, settings: Settings, transcript: Transcript) -> TokenCourse:
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
        for recorded in inspection.compactions()
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
    settings: Settings,
    judged: Sequence[JudgedCompaction],
    reading: FactsReading,
    aftermath: Mapping[int, Sequence[AftermathEvent]],
    attempts: Sequence[Attempt],
    watch: OnProgress | None,
) -> tuple[CompactionPart, ...]:
    ended, most = reading.facts.ended(), GROUP.of(len(judged))
    diffs = {diff.last: diff for diff in successive_summaries(inspection.compactions())}
    parts = []
    for entry in judged:
        recorded = entry.compared.recorded
        number, lacks = recorded.index, why_unknown(inspection.conversation, recorded)
        mine = [attempt for attempt in attempts if attempt.place.compaction == number]
        # Attempts at planned boundaries took other messages, so they are only counted.
        shown = tuple(attempt for attempt in mine if attempt.place.step is None)[-ATTEMPTS:]
        parts.append(
            CompactionPart(
                entry,
                region_tokens(
                    recorded, inspection.token_index(inspection.generation(number), settings.profile)
                ),
                facts_part(reading.facts, number, most, ended.get(number, ()), lacks),
                tuple(sorted(aftermath[number], key=attrgetter("gravity"))),
                diffs.get(number),
                shown,
                len(mine) - len(shown),
                outcomes_of(inspection, settings, number, shown, reading.facts, watch) if shown else (),
            )
        )
    return tuple(parts)
