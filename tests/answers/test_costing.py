"""Requests, sums, bills and what-ifs of whole conversations: bundled and real conversations, if available."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from inspector.answers.answer_places import answer_places
from inspector.answers.answers import Answers
from inspector.answers.bills import bills_of
from inspector.answers.costing import Costing, costing_of
from inspector.answers.inspection import Inspection
from inspector.answers.recordings import shared_recording
from inspector.answers.requests import requests_of
from inspector.caching.costs import Rates
from inspector.caching.requests import Requests
from inspector.config.settings import ResolvedSettings
from inspector.core.conversations import ASSISTANT
from inspector.replay.pricing import CostBasis
from inspector.replay.recording import Recording, recorded_metrics
from inspector.replay.run import run_course
from inspector.stores.detect import open_store
from tests.counting import calls_of
from tests.examples import also

BUNDLED = ("hermes-0.13-rotating.db", "hermes-0.19-in-place.db", "agents")
HERMES = (
    "hermes-0.13.0-rotating",
    "hermes-0.13.0-failures",
    "hermes-0.19.0-in-place",
    "hermes-0.19.0-rotating",
)


def each(path: Path) -> Iterator[tuple[Inspection, ResolvedSettings]]:
    answers = Answers(open_store(path), {}, None)
    for row in answers.store.conversations():
        yield answers.opened(row.id)


def costed(inspection: Inspection, resolved: ResolvedSettings) -> tuple[Requests, Recording, Costing]:
    recording = shared_recording(inspection, resolved.settings.profile)
    costing = costing_of(inspection, resolved, recording)
    return requests_of(inspection, resolved), recording.with_costs(costing.basis), costing


@pytest.fixture(params=BUNDLED)
def bundled(request: pytest.FixtureRequest, fixtures_dir: Path) -> Path:
    return fixtures_dir / request.param


def holds(path: Path) -> int:
    """Check properties of every conversation of a store; return the number of what-ifs compared with the recording."""
    compared = 0
    for inspection, resolved in each(path):
        found, recording, costing = costed(inspection, resolved)
        requests = [one.judged.request for one in found.priced]
        numbers = [request.generation for request in requests]
        first_of_each = {numbers.index(number) for number in set(numbers) if number != numbers[0]}
        assert {
            at for at, one in enumerate(found.priced) if one.judged.cause == "compaction"
        } == first_of_each
        assert [one.judged.cause for one in found.priced[:1]] == ["first"][: len(found.priced)]
        if not found.is_estimated:
            usage = inspection.conversation.usage
            sums = (
                sum(one.input for one in requests),
                sum(one.output for one in requests),
                sum(one.cache_read for one in requests),
                sum(one.cache_write for one in requests),
                len(requests),
            )
            assert sums == (usage.input, usage.output, usage.cache_read, usage.cache_write, usage.calls)
        for one, index in zip(
            requests, answer_places(inspection, resolved.settings.profile, found), strict=True
        ):
            roles = inspection.generation(one.generation).roles
            assert index is None or roles[index] == ASSISTANT
        if costing.basis is None:
            assert costing.why
            continue
        bills = bills_of(inspection, found)
        billed = all(one.index in bills or one.fallback for one in inspection.compactions())
        assert ("lacks the cost" in costing.note) == (not billed and not costing.is_estimated)
        recorded = recorded_metrics(recording, inspection.compactions()).cost
        assert found.cost is not None
        # A summarizing call among the requests is in their sum.
        listed = set(inspection.summarizing(one.request for one in found.priced).values())
        unlisted = [bill for index, (bill, _) in bills.items() if index not in listed]
        paid = found.cost.amount + sum(bill.summary_call.amount for bill in unlisted)
        if billed:
            assert recorded == pytest.approx(paid)
        run = run_course(recording.course, resolved.settings, recording.model)
        same = [event[:8] for event in run.events] == [event[:8] for event in recording.events]
        if same and billed:
            assert run.metrics.cost == pytest.approx(paid)
            compared += 1
        doubled = twice(costing.basis)
        for threshold in (0.2, 0.5):
            other = run_course(
                recording.course, resolved.settings.with_(threshold=threshold), recording.model
            )
            assert doubled.cost(other.events) == pytest.approx(2 * costing.basis.cost(other.events))
    return compared


def twice(basis: CostBasis) -> CostBasis:
    """Return the same requests at twice the prices."""

    def dearer(rates: Rates) -> Rates:
        prices = (rates.input, rates.output, rates.cache_read, rates.cache_write_5m, rates.cache_write_1h)
        steps = tuple((size, dearer(step)) for size, step in rates.steps)
        return Rates(*(None if price is None else 2 * price for price in prices), steps=steps)  # type: ignore[misc, arg-type]

    return replace(
        basis,
        calls=[call._replace(cost=2 * call.cost, rates=dearer(call.rates)) for call in basis.calls],
        recorded=[one._replace(cost=None if one.cost is None else 2 * one.cost) for one in basis.recorded],
    )


def test_it_holds_for_the_bundled_conversations(bundled: Path) -> None:
    for path in sorted(bundled.iterdir()) if bundled.is_dir() else [bundled]:
        holds(path)


def test_a_what_if_that_compacts_as_recorded_costs_as_much(fixtures_dir: Path) -> None:
    assert holds(fixtures_dir / "hermes-0.13-rotating.db") >= 3


@pytest.mark.slow
@pytest.mark.parametrize("agent", ["claude", "codex", "opencode", "pi"])
def test_it_holds_for_real_conversations(agent: str, agent_recordings: Callable[[str], list[Path]]) -> None:
    assert sum(holds(path) for path in agent_recordings(agent)) >= (2 if agent == "claude" else 0)


@pytest.mark.slow
def test_claude_codes_usage_is_counted_once_per_call(agent_recordings: Callable[[str], list[Path]]) -> None:
    """Compare with a plain reading of the transcripts: each answer has its usage with the most output."""
    for path in agent_recordings("claude"):
        usage_by_answer: dict[str, dict[str, int]] = {}
        for line in path.read_text(encoding="utf-8").splitlines():
            try:
                entry = json.loads(line)
            except ValueError:
                continue
            message = entry.get("message") if isinstance(entry, dict) else None
            if not isinstance(message, dict) or entry.get("type") != "assistant" or entry.get("isSidechain"):
                continue
            usage, identity = message.get("usage"), message.get("id")
            if isinstance(usage, dict) and isinstance(identity, str):
                known = usage_by_answer.setdefault(identity, usage)
                if usage.get("output_tokens", 0) >= known.get("output_tokens", 0):
                    usage_by_answer[identity] = usage
        for inspection, resolved in each(path):
            for one in requests_of(inspection, resolved).priced:
                request, usage = one.judged.request, usage_by_answer[one.judged.request.message]
                assert request.context == sum(
                    usage.get(name) or 0
                    for name in ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
                )
                if request.estimated:
                    # Some answers have a placeholder for their output.
                    assert request.output > 2 * usage["output_tokens"]
                else:
                    assert request.output == usage["output_tokens"]


@pytest.mark.parametrize("name", also(*HERMES))
def test_the_model_of_hermes_is_near_the_reported_values(
    name: str, recordings: Callable[[str], Path]
) -> None:
    for inspection, resolved in each(recordings(name)):
        found = requests_of(inspection, resolved)
        assert found.is_estimated
        assert found.sent == pytest.approx(found.reported, rel=0.02)
        assert len(found.priced) == inspection.conversation.usage.calls


def test_a_what_if_reads_nothing_from_the_store(fixtures_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A turn of a knob uses the values already read: it reads no requests and looks up no price."""
    from inspector.answers import requests

    (inspection, resolved), *_ = each(fixtures_dir / "hermes-0.13-rotating.db")
    _, recording, costing = costed(inspection, resolved)
    asked = calls_of(monkeypatch, inspection.store, "requests")
    looked = calls_of(monkeypatch, requests, "rates_of")
    for threshold in (0.3, 0.4, 0.5):
        run = run_course(recording.course, resolved.settings.with_(threshold=threshold), recording.model)
        assert run.metrics.cost is not None
        costing.alternative_costs(run.events)
    assert (asked, looked) == ([], [])
