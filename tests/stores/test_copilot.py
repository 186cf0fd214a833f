"""Sessions of GitHub Copilot CLI with sub-agents, whose events are in the same file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inspector.answers.answers import Answers
from inspector.answers.bills import bills_of
from inspector.answers.compactions import compare_compactions
from inspector.answers.requests import requests_of
from inspector.answers.upcoming import upcoming
from inspector.caching.costs import pricer
from inspector.core.conversations import Request, Usage
from inspector.export.generations import compaction_document
from inspector.export.report.gathering import gather_report
from inspector.stores.detect import open_store
from tests.recipes import recipe
from tests.stores.agent_sessions import AFTER, ANSWER, LAST, RULE, SESSION, SUMMARY
from tests.stores.alone import opened

made = recipe("more_lines")


def test_a_sub_agent_has_its_own_list_and_compactions(tmp_path: Path) -> None:
    session = made.CopilotSession(SESSION)
    session.user(RULE)
    session.answer(ANSWER, sent=40_000)
    begins = len(session.events)
    session.user("Count the berths.")
    session.answer("There are 9.", sent=81_000)
    session.begin_compaction(81_000)
    session.end_compaction(SUMMARY, 81_000, 9_000, 81_200)
    session.answer("There are 8.", sent=9_000)
    for event in session.events[begins:]:
        event["agentId"] = "explore-1"
    session.user(AFTER)
    session.answer(LAST, sent=41_000)
    store = open_store(session.write(tmp_path))
    rows = {row.id: row for row in store.conversations()}
    main, helper = rows[SESSION], rows[f"{SESSION}-explore-1"]
    assert (main.kind, main.messages, main.compactions, main.title) == ("conversation", 4, 0, RULE)
    assert (helper.kind, helper.parent, helper.compactions) == ("sub-agent", SESSION, 1)
    conversation = store.open(main.id)
    assert [one.text for one in store.messages(conversation.live)] == [RULE, ANSWER, AFTER, LAST]
    assert [one.context for one in store.requests(conversation)] == [40_000, 41_000]
    conversation = store.open(helper.id)
    assert store.messages(conversation.live)[-1].text == "There are 8."
    assert len(store.requests(conversation)) == 3
    assert main.started_at < helper.started_at < helper.last_active < main.last_active


@pytest.mark.parametrize("ends", [False, True])
def test_a_compaction_that_began_and_did_not_end_failed(ends: bool, tmp_path: Path) -> None:
    """Copilot CLI 1.0.102 records nothing more if it is closed during a compaction."""
    session = made.CopilotSession(SESSION)
    session.user(RULE)
    session.answer(ANSWER, sent=40_000)
    session.begin_compaction(40_500, trigger="manual")
    if ends:
        session.end_compaction(SUMMARY, 40_500, 9_000, 40_700)
    session.event("session.resume")
    session.user(AFTER)
    session.answer(LAST, sent=41_000)
    store, conversation, _ = opened(session.write(tmp_path))
    failed = [(one.trigger, one.place, one.tokens_before_reported) for one in store.failures(conversation)]
    assert failed == ([] if ends else [("manual", 2, 40_500)])
    assert len(store.compactions(conversation)) == ends


def test_the_size_of_the_live_list_has_the_tools(tmp_path: Path) -> None:
    """Copilot compares its threshold with its own size, which has the prompt and the tools."""
    session = made.CopilotSession(SESSION)
    session.prompt("x" * 4_000)
    for words in (RULE, "y" * 40_000):
        session.event("user.message", content=words)
        session.event("assistant.message", content=ANSWER, toolRequests=[])
    session.event("session.shutdown", currentTokens=50_000, toolDefinitionsTokens=27_000)
    session.event("user.message", content="z" * 4_000)

    def tokens() -> tuple[int, bool]:
        answers = Answers(open_store(session.write(tmp_path)), {}, None)
        found = upcoming(answers, SESSION)
        return found.tokens, found.reported

    size, reported = tokens()
    assert (50_900 < size < 51_200, reported) == (True, False)
    session.events = [event for event in session.events if event["type"] != "session.shutdown"]
    session.compact(SUMMARY, 81_000, 9_000)
    session.events[-2]["data"]["toolDefinitionsTokens"] = 27_000
    # The new list has the user's words and the summary.
    size, _ = tokens()
    assert 27_000 + 1_000 + 11_000 < size < 27_000 + 1_000 + 12_500


def test_the_rough_size_of_a_list_is_the_same_in_every_answer(tmp_path: Path) -> None:
    session = made.CopilotSession(SESSION)
    session.prompt("x" * 4_000)
    for words in (RULE, "y" * 40_000):
        session.event("user.message", content=words)
        session.event("assistant.message", content=ANSWER, toolRequests=[])
    session.compact(SUMMARY, 81_000, 9_000)
    session.events[-2]["data"]["toolDefinitionsTokens"] = 27_000
    session.event("user.message", content=AFTER)
    session.event("assistant.message", content=LAST, toolRequests=[])
    answers = Answers(open_store(session.write(tmp_path)), {}, None)
    (judged,) = compare_compactions(answers, SESSION)
    recorded, report = judged.compared.recorded, gather_report(answers, SESSION, 1.0)
    assert recorded.tokens_before == report.generations[0].tokens > 27_000
    assert recorded.tokens_after > 27_000


def test_a_report_has_the_bill_of_the_list_of_compactions(tmp_path: Path) -> None:
    """The usage of the summary call is recorded, although the requests are estimated."""
    session = made.CopilotSession(SESSION)
    for _ in range(2):
        session.event("user.message", content="y" * 40_000)
        session.event("assistant.message", content=ANSWER, toolRequests=[])
    session.compact(SUMMARY, 81_000, 9_000)
    session.event("user.message", content=AFTER)
    session.event("assistant.message", content=LAST, toolRequests=[])
    answers = Answers(open_store(session.write(tmp_path)), {}, None)
    (judged,) = compare_compactions(answers, SESSION)
    assert judged.compared.recorded.usage is not None
    (part,) = gather_report(answers, SESSION, 1.0).compactions
    assert part.judged.cost.words == compaction_document(judged)["cost"]["text"]
    assert not part.judged.cost.words.startswith("estimated")


def test_a_size_belongs_to_one_compaction(tmp_path: Path) -> None:
    session = made.CopilotSession(SESSION)
    session.user(RULE)
    session.begin_compaction(81_000)
    session.end_compaction(SUMMARY, 81_000, 9_000, 81_200)
    session.user(AFTER)
    session.end_compaction(SUMMARY, 70_000, 9_000, 70_200)
    store = open_store(session.write(tmp_path))
    (row,) = store.conversations()
    compactions = store.compactions(store.open(row.id))
    assert [one.tokens_before_reported for one in compactions] == [81_000, 70_000]


def session_to_rewind() -> tuple[made.CopilotSession, str]:
    """Return a session, and the id of the event at which a test goes back."""
    session = made.CopilotSession(SESSION)
    session.user(RULE)
    session.answer(ANSWER, sent=40_000)
    session.user("Sink the ferry.")
    turned_back = session.events[-1]["id"]
    session.answer("It sinks.", sent=81_000)
    return session, turned_back


def test_a_rewind_undoes_later_compactions(tmp_path: Path) -> None:
    session, turned_back = session_to_rewind()
    session.compact(SUMMARY, 81_000, 9_000)
    session.event("session.snapshot_rewind", upToEventId=turned_back, eventsRemoved=5)
    session.user(AFTER)
    session.answer(LAST, sent=41_000)
    store = open_store(session.write(tmp_path))
    (row,) = store.conversations()
    conversation = store.open(row.id)
    assert (row.messages, row.compactions) == (4, 0)
    assert [one.text for one in store.messages(conversation.live)] == [RULE, ANSWER, AFTER, LAST]
    assert store.compactions(conversation) == ()
    assert {request.generation for request in store.requests(conversation)} == {1}
    assert conversation.notes == ("3 messages on abandoned branches are in no list.",)


def test_a_rewind_during_a_compaction_leaves_its_place_in_the_list(tmp_path: Path) -> None:
    session, turned_back = session_to_rewind()
    session.begin_compaction(81_000)
    session.event("session.snapshot_rewind", upToEventId=turned_back, eventsRemoved=3)
    session.user(AFTER)
    session.answer(LAST, sent=41_000)
    session.event("session.resume")
    store, conversation, _ = opened(session.write(tmp_path))
    assert [one.place for one in store.failures(conversation)] == [2]


def test_sessions_without_their_first_event_are_listed_each(tmp_path: Path) -> None:
    names = {"s1", "s2"}
    for name in names:
        session = made.CopilotSession(name)
        session.user(RULE)
        path = session.write(tmp_path)
        path.write_bytes(path.read_bytes().replace(b"session.start", b"session.st\xff", 1))
    assert {row.id for row in open_store(tmp_path).conversations()} == names


@pytest.mark.parametrize("first", [0, 2])
def test_a_missing_beginning_is_named(tmp_path: Path, first: int) -> None:
    session = made.CopilotSession("s1")
    session.user(RULE)
    session.answer(ANSWER, sent=9_000)
    path = session.write(tmp_path)
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[first:]))
    _, conversation, _ = opened(path)
    assert ("The beginning of the session is missing in the file." in conversation.notes) is bool(first)
    assert conversation.has_unread is bool(first)


@pytest.mark.parametrize(
    ("model", "tier", "window"),
    [
        ("claude-sonnet-5", "default", 200_000),
        ("claude-haiku-4.5", None, 128_000),
        ("claude-sonnet-5", "long_context", 1_000_000),
    ],
)
def test_an_unrecorded_window_is_that_of_the_model_and_tier(
    tmp_path: Path, model: str, tier: str | None, window: int
) -> None:
    session = made.CopilotSession(SESSION)
    session.event("session.model_change", newModel=model, contextTier=tier)
    session.user(RULE)
    answers = Answers.of([session.write(tmp_path)], {}, None)
    (row,) = answers.rows()
    assert (row.model, row.window) == (model, None)
    assert answers.opened(row.id)[1].settings.context_length == window


def test_a_sub_agent_has_the_model_of_its_answers(tmp_path: Path) -> None:
    session = made.CopilotSession(SESSION)
    session.user(RULE)
    session.event("assistant.message", content="There are 9.", model="claude-opus-4.8")
    session.events[-1]["agentId"] = "explore-1"
    answers = Answers.of([session.write(tmp_path)], {}, None)
    assert {row.kind: row.model for row in answers.rows()} == {
        "conversation": "claude-sonnet-5", "sub-agent": "claude-opus-4.8",
    }  # fmt: skip
    for row in answers.rows():
        answers.opened(row.id)
    assert not answers.notes()


def test_a_note_about_an_assumed_window_names_the_conversations(tmp_path: Path) -> None:
    session = made.CopilotSession(SESSION)
    del session.events[0]["data"]["selectedModel"]
    session.event("session.model_change", newModel="claude-sonnet-5")
    session.user(RULE)
    session.user("Count the berths.")
    session.events[-1]["agentId"] = "explore-1"
    answers = Answers.of([session.write(tmp_path)], {}, None)
    for row in answers.rows():
        answers.opened(row.id)
    assert answers.notes() == [
        "200,000 tokens of context are assumed for conversations without a recorded model. "
        "Give --context-length to set it."
    ]


def older(counted_after: int = 2) -> Any:
    """Make a session of a release that records no usage per request: only their sum, and bills of summaries."""
    session = made.CopilotSession(SESSION)
    session.user(RULE)
    for number in range(4):
        session.event("assistant.message", content=f"Berth {number} is free.")
        if number + 1 == counted_after:
            usage = {
                "inputTokens": 90_000,
                "outputTokens": 70,
                "cacheReadTokens": 50_000,
                "cacheWriteTokens": 0,
            }
            metrics = {"claude-sonnet-5": {"requests": {"count": counted_after}, "usage": usage}}
            session.event("session.shutdown", modelMetrics=metrics)
        if number == 1:
            session.compact(SUMMARY, 81_000, 9_000)
            used = session.events[-1]["data"]["compactionTokensUsed"]
            used |= {"inputTokens": 80_000, "cacheReadTokens": 14_000, "cacheWriteTokens": 0}
            counts = {"input": 2, "cache_read": 14_000, "cache_write": 65_998, "output": 300}
            details = [{"tokenType": kind, "tokenCount": count} for kind, count in counts.items()]
            used["copilotUsage"] = {"tokenDetails": details}
    return session


def test_the_bill_of_a_summary_is_its_cost_if_no_other_request_is_recorded(tmp_path: Path) -> None:
    answers = Answers.of([older().write(tmp_path)], {}, None)
    (row,) = answers.rows()
    inspection, resolved = answers.opened(row.id)
    (recorded,) = inspection.compactions()
    assert recorded.usage == Usage(2, 300, 14_000, 65_998)
    requests = requests_of(inspection, resolved)
    assert (requests.is_estimated, len(requests.unlisted)) == (True, 1)
    ((bill, rates),) = bills_of(inspection, requests).values()
    price = pricer(rates)(Request(1, 1, "", "", 0.0, 2, 14_000, 65_998, None, 300))
    assert price is not None
    assert bill.cost.amount == pytest.approx(price.amount)


def test_the_recorded_bill_of_a_summary_has_its_own_prices(tmp_path: Path) -> None:
    session = older()
    (done,) = [event for event in session.events if event["type"] == "session.compaction_complete"]
    details = done["data"]["compactionTokensUsed"]["copilotUsage"]["tokenDetails"]
    prices = {"input": 5, "cache_read": 0.5, "cache_write": 6.25, "output": 30}
    for detail in details:
        detail |= {"batchSize": 1_000_000, "costPerBatch": prices[detail["tokenType"]] * 100 * 1_000_000_000}
    (judged,) = compare_compactions(Answers.of([session.write(tmp_path)], {}, None), SESSION)
    assert judged.cost.bill is not None
    assert not judged.cost.is_estimated
    own = judged.cost.bill.summary_call
    assert own.read == pytest.approx((2 * 5 + 14_000 * 0.5 + 65_998 * 6.25) / 1_000_000)
    assert own.output == pytest.approx(300 * 30 / 1_000_000)


@pytest.mark.parametrize(
    ("counted_after", "reported", "note"),
    [
        (4, 90_000, ""),
        (
            2,
            0,
            "Copilot recorded no usage of single requests. When it last ended, it had counted 2 requests: 90,000 "
            "tokens sent (50,000 read from the cache, 0 written) and 70 tokens of output. 2 later answers have no "
            "usage.",
        ),
    ],
)
def test_a_sum_of_copilot_is_compared_only_with_the_answers_that_it_counts(
    tmp_path: Path, counted_after: int, reported: int, note: str
) -> None:
    answers = Answers.of([older(counted_after).write(tmp_path)], {}, None)
    (row,) = answers.rows()
    inspection, resolved = answers.opened(row.id)
    assert requests_of(inspection, resolved).reported == reported
    assert inspection.conversation.notes == ((note,) if note else ())


def test_answers_without_usage_among_recorded_answers_are_counted(tmp_path: Path) -> None:
    session = made.CopilotSession(SESSION)
    session.user(RULE)
    session.event("assistant.message", content="There are 9.")
    session.answer(ANSWER, sent=40_000)
    store = open_store(session.write(tmp_path))
    (row,) = store.conversations()
    assert store.open(row.id).notes == (
        "The usage of 1 of 2 requests is not recorded; the sums are those of the others.",
    )
