"""The recorded compactions of a conversation: why each fired, and the plan for the same list."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from inspector.answers.answers import Answers
from inspector.answers.bills import CompactionCost, costs_of
from inspector.answers.findings import dismissed_note, findings_without_facts, split_dismissed
from inspector.answers.inspection import Compared, Inspection
from inspector.answers.requests import requests_of
from inspector.answers.resolving import overridden
from inspector.answers.shown_settings import (
    has_least_window,
    is_doubtful,
    passed_without_compaction,
    settings_at,
)
from inspector.caching.requests import Requests
from inspector.config.models import context_length
from inspector.config.settings import ResolvedSettings
from inspector.core.conversations import (
    ASSISTANT,
    SYSTEM,
    Compaction,
    FailedCompaction,
    Microcompaction,
    Request,
)
from inspector.core.errors import StoreError
from inspector.engines.base import Settings, TokenIndex
from inspector.engines.capabilities import SHOWN, default_threshold, loop_of
from inspector.engines.registry import budgets_of, engine
from inspector.quality.finding import Finding
from inspector.quality.firing import LimitEvidence, ListBefore, Why, why_fired


class JudgedCompaction(Struct, frozen=True):
    """A recorded compaction with its plan, the reason why it fired, its findings, and its cost."""

    compared: Compared
    why: Why
    findings: tuple[Finding, ...]
    cost: CompactionCost

    @property
    def trigger(self) -> str | None:
        """What started the compaction: as recorded, else as the list before it proves, else None."""
        return trigger_of(self.compared.recorded, self.why)


def compare_compactions(answers: Answers, name: str) -> list[JudgedCompaction]:
    """Return every recorded compaction, oldest first, with the findings that need no facts.

    Raises UnknownConversation, StoreErrors and EngineErrors.
    """
    inspection, resolved = answers.opened(name)
    profile = resolved.settings.profile
    requests = requests_of(inspection, resolved)
    every, dismissed = split_dismissed(inspection, findings_without_facts(inspection, resolved, requests))
    if dismissed:
        answers.note(dismissed_note(len(dismissed)))
    judged = judge_compactions(inspection, resolved, requests, every)
    for sentence in overridden(resolved, ["threshold"]) if judged else ():
        answers.note(sentence)
    differing = (
        entry.compared for entry in judged if entry.compared.recorded.exact and not entry.compared.agrees
    )
    differs = any(not compared.planned.budgets.observed for compared in differing)
    if differs and (tried := tried_profiles(answers, inspection.conversation.id, profile)):
        answers.note(tried)
    return judged


def judge_compactions(
    inspection: Inspection, resolved: ResolvedSettings, requests: Requests, findings: Sequence[Finding]
) -> list[JudgedCompaction]:
    """Return every recorded compaction with its findings among `findings`. Raises StoreErrors and EngineErrors."""
    costs = costs_of(inspection, requests)

    def judged(compared: Compared) -> JudgedCompaction:
        recorded = compared.recorded
        token_index = inspection.token_index(inspection.generation(recorded.index), resolved.settings.profile)
        return JudgedCompaction(
            compared,
            why_of(inspection, recorded, resolved, token_index),
            tuple(finding for finding in findings if finding.compaction == recorded.index),
            costs[recorded.index],
        )

    return list(map(judged, inspection.compared(resolved.settings)))


def trigger_of(recorded: Compaction, why: Why) -> str | None:
    """Return what started a compaction: as recorded, else as the list before it proves, else None."""
    return recorded.trigger or why.trigger


def tried_profiles(answers: Answers, session: str, profile: str) -> str:
    """Return how well the plans of each profile fit the record of the session's database; empty if the store
    records nothing to compare with. Raises StoreErrors."""
    from inspector.stores.hermes.fitting import tried_text
    from inspector.stores.hermes.store import HermesStore

    store = answers.store.owner(session)
    # Try other settings only for the candidate profiles. Among all profiles, one would fit by chance.
    return tried_text(store.fits(varied=(profile,)), profile) if isinstance(store, HermesStore) else ""


def why_of(
    inspection: Inspection, recorded: Compaction, resolved: ResolvedSettings, token_index: TokenIndex
) -> Why:
    """Return why a recorded compaction fired under the settings in force then. `resolved` is in force now.
    `token_index` is of the list before it. Raises EngineError.
    """
    row, resolved = settings_at(inspection, recorded, resolved)
    settings, conversation = resolved.settings, inspection.conversation
    before = inspection.generation(recorded.index)
    index = recorded.index - 1
    earlier = next((item.after for item in inspection.compactions() if item.index == index), 0)
    listed = ListBefore(
        token_index,
        before.roles,
        conversation.row.source,
        earlier,
        conversation.row.agent,
        _last_size(inspection, recorded),
        _is_answered(inspection, recorded),
    )

    def threshold_at(share: float) -> int:
        return budgets_of(replace(settings, threshold=share)).threshold_tokens

    rules = engine(settings.profile)
    inferred = resolved.sources.get("threshold", "").startswith(SHOWN)
    share = default_threshold(rules, settings.context_length) if inferred else None
    usual = None if share is None else threshold_at(share)
    if is_doubtful(resolved):
        usual = budgets_of(settings).threshold_tokens
    todays = context_length(row.model, row.provider)[1]
    source = resolved.sources["context_length"].removeprefix("assumed: ")
    limits = LimitEvidence(
        adds=loop_of(rules).reasoning > 0,
        usual=usual,
        is_least=has_least_window(resolved),
        is_alone=not inferred or resolved.sources["threshold"].startswith(f"{SHOWN} one "),
        is_window_recorded=row.window is not None or source != todays,
        passed=_passed(inspection, recorded, settings),
    )
    return why_fired(recorded, listed, settings, budgets_of(settings), threshold_at, limits)


def _last_size(inspection: Inspection, recorded: Compaction) -> int | None:
    """Return the size of the last request before a compaction; None if the files no longer exist."""
    try:
        return inspection.last_size(recorded)
    except StoreError:
        return None


def _passed(inspection: Inspection, recorded: Compaction, settings: Settings) -> Request | None:
    """Return an earlier request that reached the threshold; None if there is none, or if the files no longer exist."""
    try:
        return passed_without_compaction(inspection, recorded, settings)
    except StoreError:
        return None


def _is_answered(inspection: Inspection, recorded: Compaction) -> bool:
    """Return whether the first new message after a compaction is an answer, not a message of the user."""
    roles = inspection.generation(recorded.index + 1).roles[recorded.after :]
    return roles.lstrip(bytes([SYSTEM]))[:1] == bytes([ASSISTANT])


class RecordedCompactions(Struct, frozen=True):
    """The compactions of a conversation, the steps that cleared old results without a summary, and the failed
    compactions, each oldest first."""

    compactions: tuple[JudgedCompaction, ...]
    clearings: tuple[Microcompaction, ...]
    failures: tuple[FailedCompaction, ...]


def recorded_compactions(answers: Answers, name: str) -> RecordedCompactions:
    """Return the compactions of a conversation, also partial and failed ones. Raises as `compare_compactions` does."""
    conversation = answers.store.open(answers.store.resolve(name))
    return RecordedCompactions(
        tuple(compare_compactions(answers, name)),
        tuple(answers.store.microcompactions(conversation)),
        tuple(answers.store.failures(conversation)),
    )
