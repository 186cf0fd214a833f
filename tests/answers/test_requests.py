"""Requests with their sums, differences of prompts, bills of summarizing calls, and values for findings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inspector.answers.answer_places import AnswerFinder, difference, with_differences
from inspector.answers.answers import Answers
from inspector.answers.bills import bills_of
from inspector.answers.cost_evidence import cache_evidence, cost_evidence
from inspector.answers.inspection import Inspection
from inspector.answers.requests import list_requests, requests_of
from inspector.app.conversation.request_views import read_requests
from inspector.caching.costs import request_cost
from inspector.caching.misses import judge
from inspector.caching.priced import PricedRequest
from inspector.caching.requests import Requests
from inspector.core.conversations import ASSISTANT, TOOL, USER, Generation, Request
from inspector.core.shares import dollars
from inspector.export.requests import print_sums, request_document, sums_document
from inspector.stores.detect import open_store
from tests.caching.test_costs import OPUS
from tests.caching.test_misses import request
from tests.recipes import recipe

ROLES = bytes((USER, ASSISTANT, TOOL, ASSISTANT))


class Unwatched:
    """A watcher that does nothing."""

    def __call__(self, what: str, done: int, total: int) -> None:
        pass

    def check(self) -> None:
        pass

    def counting(self, what: str, total: int) -> Callable[[int], None]:
        return lambda done: None

    def some(self, value: Any) -> None:
        pass


def priced(*requests: Request, rates: bool = True) -> Requests:
    judged = judge(requests)
    return Requests(
        tuple(
            PricedRequest(one, request_cost(one.request, OPUS) if rates else None, OPUS if rates else None)
            for one in judged
        ),
        False,
    )


@pytest.mark.parametrize(
    ("amount", "words"),
    [
        (0.0, "0.00"),
        (0.0004, "<0.001"),
        (0.0163, "0.016"),
        (0.42, "0.42"),
        (1234.5, "1,234.50"),
        (-0.42, "−0.42"),
    ],
)
def test_dollars_are_formatted_for_people(amount: float, words: str) -> None:
    assert dollars(amount) == words


def test_an_answer_is_found_by_its_time_or_its_row() -> None:
    generation = Generation(1, "s", (11, 12, 13, 14), ROLES)
    by_time = AnswerFinder(generation, [100.0, 110.0, 111.0, 140.0], is_estimated=False)
    assert [by_time.of(request(1, 0, 0, at)) for at in (109.9, 110.0, 125.0, 139.5, 200.0)] == [1, 1, 1, 3, 3]
    assert by_time.of(request(1, 0, 0, 50.0)) is None
    assert by_time.of(request(1, 0, 0, 0.0)) is None
    by_row = AnswerFinder(generation, [0.0] * 4, is_estimated=True)
    assert [by_row.of(request(1, 0, 0, 0.0, message=row)) for row in ("14", "13")] == [3, None]


def test_the_place_where_a_prompt_differs_follows_from_the_cached_tokens() -> None:
    """A rough token is two tokens of the provider, and the prompt has 10,000 tokens besides the messages."""
    grown = list(range(0, 11_000, 1_000))
    first = request(1, 0, 10_000, 0.0, input=0)
    later = request(2, 16_500, 30_000 - 16_500, 0.0, input=0)
    assert difference(later, 10, first, 0, grown) == "after #2 (~16,500 tokens in)"
    start = request(2, 9_000, 21_000, 0.0, input=0)
    assert difference(start, 10, first, 0, grown).startswith(
        "at the start (system prompt, tools or first message"
    )


def test_a_missing_price_has_its_reason() -> None:
    known, unknown = priced(request(1, 0, 5_000, 0.0)), priced(request(1, 0, 5_000, 0.0), rates=False)
    assert known.why_no_cost == ()
    assert unknown.why_no_cost == ("no price of claude-opus-4-5 is known",)
    assert unknown.cost is None
    (document,) = map(request_document, unknown.priced)
    assert (document["cost"], document["cost_note"]) == (None, "no price of claude-opus-4-5 is known")
    sums = sums_document(unknown)
    assert sums["cost"] is None
    assert sums["cost_notes"] == ["no price of claude-opus-4-5 is known"]


def test_sums_equal_the_requests(fixtures_dir: Path) -> None:
    for path in sorted((fixtures_dir / "agents").iterdir()):
        answers = Answers(open_store(path), {}, None)
        for row in answers.store.conversations():
            found = list_requests(answers, row.id)
            documents, sums = list(map(request_document, found.priced)), sums_document(found)
            assert sums["requests"] == len(documents)
            assert sums["sent_tokens"] == sum(one["context_tokens"] for one in documents)
            for one in sums["by_cause"]:
                those = [entry for entry in documents if entry["cause"] == one["cause"]]
                assert one["misses"] == len(those)
                assert one["missed_tokens"] == sum(entry["missed_tokens"] for entry in those)
            if sums["cost"] is not None:
                assert sums["cost"]["amount"] == pytest.approx(
                    sum(one["cost"]["amount"] for one in documents)
                )


def test_sums_name_summaries_without_a_recorded_call(
    fixtures_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for agent, listed in (("claude-code", False), ("opencode", True)):
        answers = Answers(open_store(fixtures_dir / "agents" / agent), {}, None)
        summaries = 0
        for row in answers.store.conversations():
            made = [
                one for one in answers.opened(row.id)[0].compactions() if one.summary and not one.fallback
            ]
            requests = list_requests(answers, row.id)
            assert sums_document(requests)["unlisted_summaries"] == (0 if listed else len(made))
            summaries += len(made)
            print_sums(requests)
            output = capsys.readouterr().out
            assert ("not in these sums" in output) == (not listed and bool(made))
            read = read_requests(*answers.opened(row.id), Unwatched())
            assert ("without summary calls" in read.view.note) == (not listed and bool(made))
            for number in {one.judged.request.generation for one in read.requests.priced}:
                note = read.until(number, 10_000).note
                assert ("without summary calls" in note) == (
                    not listed and any(one.index < number for one in made)
                )
        assert summaries


def test_a_summarizing_call_has_its_recorded_bill(fixtures_dir: Path) -> None:
    """opencode lists it with other requests. It has a different prompt, so it does not continue theirs."""
    answers = Answers(open_store(fixtures_dir / "agents" / "opencode"), {}, None)
    (row,) = answers.store.conversations()
    inspection, resolved = answers.opened(row.id)
    found = requests_of(inspection, resolved)
    own = inspection.summarizing(one.request for one in found.priced)
    assert sorted(own.values()) == [one.index for one in inspection.compactions()]
    dear = Requests(
        tuple(one._replace(cost=request_cost(one.judged.request, OPUS), rates=OPUS) for one in found.priced),
        False,
    )
    for number, index in own.items():
        (call,) = [one for one in dear.priced if one.judged.request.index == number]
        assert call.cost is not None
        bill, _ = bills_of(inspection, dear)[index]
        assert bill.summary_call.amount == pytest.approx(call.cost.amount)


@pytest.mark.parametrize("model", ["claude-opus-4-5", "claude-sonnet-4-5"])
def test_the_cache_of_another_model_is_not_warm(model: str, tmp_path: Path) -> None:
    lines = recipe("claude_lines")
    session = lines.Session("5e55a000-0000-4000-8000-000000000001", model="claude-opus-4-5")
    session.user("Read the berths.")
    session.answer(lines.text("There are nine."), written=90_000)
    session.compact(lines.nine_sections(primary=["Read the berths."]))
    session.user("Go on.")
    session.cached = 16_000
    session.answer(lines.text("Going on."), model=model)
    answers = Answers(open_store(session.write(tmp_path / "a.jsonl")), {}, None)
    (row,) = answers.store.conversations()
    ((made, _),) = bills_of(*_read(answers, row.id)).values()
    assert made.warm == made.same_model == (model == "claude-opus-4-5")
    if not made.same_model:
        # The tools in its prompt differ too.
        assert (made.requests_to_pay_off, made.paid_by, made.loss) == (None, None, 0)
        assert made.words.endswith("; break-even unknown, because another model answered next")
    answers.store.close()


@pytest.mark.parametrize("pause", [0, 7_200])
def test_a_break_even_that_comes_early_is_explained(pause: int, tmp_path: Path) -> None:
    lines = recipe("claude_lines")
    session = lines.Session("5e55a000-0000-4000-8000-000000000001", model="claude-opus-4-5")
    session.user("Read the berths.")
    session.answer(lines.text("There are nine."), written=90_000)
    session.compact(lines.nine_sections(primary=["Read the berths."]))
    session.at += pause
    session.cached = 16_000
    for _ in range(20):
        session.user("Go on.")
        session.answer(lines.text("Going on."))
    answers = Answers(open_store(session.write(tmp_path / "a.jsonl")), {}, None)
    (row,) = answers.store.conversations()
    ((made, _),) = bills_of(*_read(answers, row.id)).values()
    assert made.paid_by is not None
    assert made.requests_to_pay_off is not None
    assert made.early == bool(pause)
    # The first request after the compaction is the second one.
    assert (made.paid_by - 2 < made.requests_to_pay_off) == made.early
    assert ("cache misses made it sooner" in made.words) == made.early
    answers.store.close()


def _read(answers: Answers, name: str) -> tuple[Inspection, Requests]:
    inspection, resolved = answers.opened(name)
    return inspection, requests_of(inspection, resolved)


def test_a_replay_has_the_requests_up_to_its_step(fixtures_dir: Path) -> None:
    answers = Answers(open_store(fixtures_dir / "hermes-0.13-rotating.db"), {}, None)
    row = max(answers.store.conversations(), key=lambda row: row.messages)
    inspection, resolved = answers.opened(row.id)
    read = read_requests(inspection, resolved, Unwatched())
    whole = read.until(1, None)
    assert whole is read.view
    assert whole.idle
    lists = {generation.number: len(generation) for generation in inspection.conversation.generations}
    counts = []
    for number, length in lists.items():
        shown = read.until(number, length)
        counts.append(len(shown.requests))
        assert all(priced.judged.request.generation <= number for priced in shown.requests)
        assert shown.idle == ()
    assert counts == sorted(counts)
    assert counts[-1] == len(whole.requests)
    first = read.until(1, 5)
    assert 0 < len(first.requests) < counts[0]
    spent = sum(priced.cost.amount for priced in first.requests if priced.cost is not None)
    assert f"{dollars(spent)} US dollars" in first.note
    assert all(priced.judged.is_estimated for priced in whole.requests)


def test_cache_hits_and_misses_are_counted_from_recorded_requests() -> None:
    changing = [request(1, 0, 50_000, 1_000.0)]
    changing += [request(n, 9_000, 50_000, 1_000.0 + 20 * n) for n in range(2, 9)]
    found = cache_evidence(priced(*changing).priced)
    assert (found.writing, found.warm, found.changed, found.same) == (8, 7, 7, 9_000)
    assert found.again == 41_000 + 6 * 50_000
    paused = [request(n, 0, 50_000, 1_000.0 + 900 * n) for n in range(1, 7)]
    cold = cache_evidence(priced(*paused).priced)
    assert (cold.writing, cold.read, cold.warm) == (6, 0, 0)


def test_no_costs_are_modelled_without_compactions(fixtures_dir: Path) -> None:
    answers = Answers(open_store(fixtures_dir / "hermes-0.19-in-place.db"), {}, None)
    compacted = {}
    for row in answers.store.conversations():
        inspection, resolved = answers.opened(row.id)
        evidence = cost_evidence(inspection, resolved)
        compacted[bool(inspection.compactions())] = evidence
        assert with_differences(inspection, resolved, requests_of(inspection, resolved)).is_estimated
    assert compacted[False].idle is None
    assert compacted[True].is_estimated
    assert compacted[True].bills
    assert compacted[True].cache is None
