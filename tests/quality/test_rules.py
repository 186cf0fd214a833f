"""Each rule: evidence that triggers it, and evidence that just does not."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from inspector.caching.costs import Bill, Cost
from inspector.caching.idle import IdleCosts
from inspector.core.conversations import Events, FailedCompaction
from inspector.core.places import Place
from inspector.core.refusals import CONTINUED
from inspector.engines.base import Settings
from inspector.quality.about_summaries import begins_late, ends_early
from inspector.quality.aftermath import AftermathEvent, AftermathKind
from inspector.quality.catalogue import RULES
from inspector.quality.evidence import (
    CacheEvidence,
    CompactionEvidence,
    ConversationEvidence,
    CostEvidence,
    CutEvidence,
    CutFile,
    Exchanged,
    FallEvidence,
    Links,
    LostRule,
    MissedEvidence,
    SystemPrompt,
    starts_turn,
)
from inspector.quality.facts.gaps import Gap, GapKind
from inspector.quality.find import CHECKS, find
from inspector.quality.finding import SEVERITIES
from inspector.quality.limits import MOST
from tests.quality.made import FIRST, SECOND, compaction, compaction_evidence, evidence, live, plan, roles

RULE = LostRule("Never post without asking.", 1, 4)
Make = Callable[[], ConversationEvidence]

#: A key in the format of its vendor; it is not valid.
KEY = "ghp_" + "q7Rt2mZx9KcV4bNs8LdW1fHj6PyG3aTe5Uio"
GUARDED = Settings(profile="hermes-0.13")
FAILS = plan(compacts=False, raises="IndexError at message 12", reason="the release fails")


def summary(text: str, before: str = FIRST) -> ConversationEvidence:
    return evidence(
        compaction_evidence(1, {"summary": before}),
        compaction_evidence(2, {"summary": text, "head_end": 0}, planned=plan(head_end=0)),
    )


def gap(kind: GapKind, text: str, more: str = "") -> ConversationEvidence:
    return evidence(compaction_evidence(1, gaps=(Gap(kind, text, more, 1, 4),)))


def cached(**changes: int) -> CacheEvidence:
    values = {
        "writing": 5,
        "written": 90_000,
        "read": 1,
        "warm": 10,
        "changed": 0,
        "again": 70_000,
        "same": 9_000,
    }
    return CacheEvidence(**(values | changes))


def billed(later: int) -> ConversationEvidence:
    """Make two compactions. The first costs 0.40 US dollars and saves 0.05 with each of `later` requests."""
    first = Bill(Cost(0.8, 2.0, 0.4), 0.4, later, warm=True)
    return evidence(compaction_evidence(1, bill=first), compaction_evidence(2))


def idled(more: float) -> IdleCosts:
    return IdleCosts(2, 107_000, more, False, Cost(10, 10, 0), Cost(10, 7.5, 0), 3_600.0, 2.0)


def under_0_13(*after: int) -> ConversationEvidence:
    pairs = [
        compaction_evidence(n, {"tokens_after": tokens, "head_end": 3}, planned=plan("hermes-0.13"))
        for n, tokens in enumerate(after, 1)
    ]
    return evidence(*pairs, settings=GUARDED)


#: A compaction that keeps nothing of the list.
WHOLE = {"head_end": 0, "tail_start": 90, "before": 90, "head_after": 0}


def opened(number: int) -> AftermathEvent:
    return AftermathEvent(1, "read again", Place(2, 50 + number, 7), Place(1, 4, 5), f"{number}.py", 2_000)


def done_again(kind: AftermathKind, fate: str = "lost") -> AftermathEvent:
    return AftermathEvent(1, kind, Place(2, 50, 7), None, "git push", 10, RULE.text, "constraint", fate)


def after(*events: AftermathEvent) -> CompactionEvidence:
    return compaction_evidence(1, aftermath=events)


SETS_OFF: dict[str, Make] = {
    "summary-fallback": lambda: evidence(compaction_evidence(1, {"fallback": True, "summary": "none"})),
    "summary-missing": lambda: evidence(compaction_evidence(1, {"summary": None, "summary_at": None})),
    "summary-says-nothing": lambda: summary("## Goal\nNo specific task was given."),
    "rule-broken": lambda: evidence(after(done_again("against a rule"))),
    "gave-up": lambda: under_0_13(140_000, 140_000),
    "compaction-fails": lambda: live(evidence(), plan=replace(FAILS, tokens_before=160_000)),
    "tail-starts-with-result": lambda: evidence(compaction_evidence(1, stray=4)),
    "request-gone": lambda: evidence(compaction_evidence(1, last_request=59, request_gone=True)),
    "history-lost": lambda: evidence(compaction_evidence(1, {"broken": True})),
    "constraint-lost": lambda: evidence(compaction_evidence(1, lost=(RULE,))),
    "said-again": lambda: evidence(after(done_again("said again"))),
    "kept-rule-broken": lambda: evidence(after(done_again("told before", "verbatim"))),
    "number-changed": lambda: evidence(
        compaction_evidence(1, exchanged=(Exchanged("Pool of 9.", "6", "9"),))
    ),
    "summary-elides": lambda: gap("elided", "plan with 4 steps"),
    "summary-quotes-prompt": lambda: gap("prompted", "TEXT ONLY. Do NOT call any tools"),
    "summary-has-thinking": lambda: summary(f"<think>\nThe user wants a pier.\n</think>\n{SECOND}"),
    "reference-dangles": lambda: gap("dangling", "skip 5 and 7", "5, 7"),
    "done-claimed": lambda: gap("claimed", "add a test", "No pending tasks"),
    "messages-unrecorded": lambda: gap("unrecorded", "paint the pier in the morning", "3"),
    "summary-model-too-small": lambda: live(
        evidence(compaction_evidence(1), settings=Settings(profile="documented", summary_context=109_999)),
        plan=plan("documented", middle_tokens=109_999),
    ),
    "summary-cut-off": lambda: summary(SECOND + "\n## Critical Context\n"),
    "summary-repeats-previous": lambda: summary(FIRST),
    "summary-section-vanished": lambda: summary(SECOND[: SECOND.index("## Remaining")]),
    "summary-secret": lambda: summary(f"{SECOND}- The runner uses {KEY}.\n"),
    "summary-call-failed": lambda: evidence(failure="Expecting value: line 1 column 1"),
    "compaction-failed": lambda: replace(
        evidence(), failures=(FailedCompaction(1, "s", 1, 5, 0.0, "too long"),)
    ),
    "context-shrank": lambda: replace(
        evidence(), costs=CostEvidence(falls=(FallEvidence(7, 6, 42_000, 84_000, 1, 13, 6, 42_000),))
    ),
    "prompt-cut": lambda: replace(
        evidence(), costs=CostEvidence(cuts=(CutEvidence(4_096, 22, 608, 24_000, 1, 13),))
    ),
    "rules-file-cut": lambda: replace(evidence(), cut_files=(CutFile("AGENTS.md", 20_538, 10_909, 1, 13),)),
    "did-not-shrink": lambda: evidence(
        compaction_evidence(1, {"tokens_before_reported": 90_000, "tokens_after_reported": 90_000})
    ),
    "messages-twice": lambda: live(evidence(), links=Links(twice=((9, 1), (10, 2), (11, 3), (12, 4)))),
    "prefix-missed": lambda: replace(
        evidence(), costs=CostEvidence(missed=(MissedEvidence(2, (4, 7), 500_000, 5.2, 6.8, 11_000, 1, 7),))
    ),
    "last-request-summarized": lambda: evidence(compaction_evidence(1, last_request=59)),
    "saved-little": lambda: evidence(
        compaction_evidence(1, {"tokens_before": 100_000, "tokens_after": 90_100})
    ),
    "quick-succession": lambda: evidence(compaction_evidence(1), compaction_evidence(2, {"before": 53})),
    "read-again": lambda: evidence(after(*(opened(n) for n in range(5)))),
    "tail-over-budget": lambda: evidence(compaction_evidence(1, tail_tokens=51_201, largest=(70, 40_000))),
    "huge-message": lambda: live(evidence(), protected=((70, 40_000),)),
    "compaction-would-fail": lambda: live(evidence(), plan=replace(FAILS, tokens_before=159_999)),
    "planned-not-recorded": lambda: evidence(compaction_evidence(1, planned=plan(tail_start=61))),
    "threshold-overridden": lambda: evidence(
        settings=Settings(profile="hermes-0.19", threshold=0.6), sources={"threshold": "config.yaml"}
    ),
    "threshold-beyond-window": lambda: evidence(
        settings=Settings(profile="hermes-0.13", context_length=64_000)
    ),
    "target-ratio-clamped": lambda: replace(
        evidence(settings=Settings(target_ratio=0.81)), sources={"target_ratio": "config.yaml"}
    ),
    "hygiene-before-agent": lambda: evidence(source="telegram", settings=Settings(threshold=0.85)),
    "orphaned-result": lambda: live(evidence(), links=Links(orphans=(7,))),
    "unanswered-call": lambda: live(evidence(), links=Links(unanswered=(7,))),
    "breakpoints-never-hit": lambda: replace(evidence(), costs=CostEvidence(cache=cached(read=0))),
    "prompt-always-changes": lambda: replace(evidence(), costs=CostEvidence(cache=cached(changed=8))),
    "never-paid-off": lambda: billed(5),
    "idling-costs-most": lambda: replace(billed(8), costs=CostEvidence(idle=idled(3.3))),
    "caches-thrown-away": lambda: billed(2),
    "reported-size-doubted": lambda: evidence(
        compaction_evidence(1, {"tokens_before_reported": 180_001}, last_size=90_000)
    ),
    "threshold-raised": lambda: evidence(settings=Settings(profile="hermes-0.19")),
    "mid-task": lambda: evidence(compaction_evidence(1, {**WHOLE, "trigger": "auto"}, at_work=12)),
    "boundaries-inferred": lambda: evidence(
        compaction_evidence(1, {"exact": False, "note": "Both lists differ."})
    ),
    "head-fossilized": lambda: live(under_0_13(50_000, 50_000), fossils=(10, 20, 30)),
    "system-prompt-changed": lambda: evidence(
        prompts=(SystemPrompt(1, 100, "one"), SystemPrompt(2, 90, "other"))
    ),
    "summary-over-budget": lambda: evidence(
        compaction_evidence(1, {"summary": "word " * 5_000}, planned=plan(summary_budget=6_249))
    ),
    "repeated-roles": lambda: live(evidence(), links=Links(repeated=(7,))),
}

DOES_NOT: dict[str, Make] = {
    "summary-fallback": evidence,
    # Another rule covers fallbacks; if nothing left the list, nothing is missing; a list that is not written yet
    # proves nothing.
    "summary-missing": lambda: evidence(
        compaction_evidence(1, {"fallback": True}),
        compaction_evidence(2, {"summary": None, "tail_start": 3}),
        compaction_evidence(3, {"summary": None, "after": 0}),
    ),
    # A short list needs no long summary.
    "summary-says-nothing": lambda: evidence(compaction_evidence(1, {"summary": "Done."}, middle_tokens=900)),
    "rule-broken": lambda: evidence(after(done_again("said again"))),
    "gave-up": lambda: under_0_13(140_000, 50_000, 140_000),
    "compaction-fails": lambda: live(evidence(), plan=replace(FAILS, tokens_before=159_999)),
    "tail-starts-with-result": evidence,
    # Summarized and mentioned; kept.
    "request-gone": lambda: evidence(
        compaction_evidence(1, last_request=59), compaction_evidence(2, last_request=80)
    ),
    "history-lost": evidence,
    "constraint-lost": evidence,
    # The repeated fact had survived.
    "said-again": lambda: evidence(after(done_again("said again", "verbatim"))),
    # One act without a complaint, and a complaint about a lost rule.
    "kept-rule-broken": lambda: evidence(
        after(done_again("against a kept rule", "verbatim"), done_again("told before"))
    ),
    "number-changed": evidence,
    "summary-elides": lambda: gap("claimed", "add a test", "No pending tasks"),
    "summary-quotes-prompt": lambda: gap("elided", "plan with 4 steps"),
    "summary-has-thinking": lambda: summary(f"{SECOND}- The parser drops <think> ... </think>.\n"),
    "reference-dangles": lambda: gap("claimed", "add a test", "No pending tasks"),
    "done-claimed": lambda: gap("elided", "plan with 4 steps"),
    "messages-unrecorded": lambda: gap("elided", "plan with 4 steps"),
    "summary-model-too-small": lambda: live(
        evidence(compaction_evidence(1), settings=Settings(profile="documented", summary_context=110_000)),
        plan=plan("documented", middle_tokens=110_000),
    ),
    "summary-cut-off": lambda: summary(SECOND + "\n```\ncode\n```\n"),
    # Equal entries after only a few more messages are expected.
    "summary-repeats-previous": lambda: evidence(
        compaction_evidence(1), compaction_evidence(2, {"summary": FIRST}, planned=plan(summarized_from=51))
    ),
    # The section is gone, but its entry moved; another says that there is nothing.
    "summary-section-vanished": lambda: summary(
        SECOND[: SECOND.index("## Remaining")] + "## Blocked\n- Replace the second call.\n",
        before=FIRST + "\n## In Progress\nNone.\n",
    ),
    "summary-secret": lambda: summary(f"{SECOND}- The token is [REDACTED], not ghp_{'x' * 36}.\n"),
    "summary-call-failed": evidence,
    "compaction-failed": evidence,
    "context-shrank": evidence,
    "prompt-cut": evidence,
    "rules-file-cut": evidence,
    "did-not-shrink": lambda: evidence(
        compaction_evidence(1, {"tokens_before_reported": 90_000, "tokens_after_reported": 89_999})
    ),
    "messages-twice": evidence,
    "prefix-missed": evidence,
    "last-request-summarized": lambda: evidence(
        compaction_evidence(1, last_request=60), compaction_evidence(2, last_request=None)
    ),
    "saved-little": lambda: evidence(
        compaction_evidence(1, {"tokens_before": 100_000, "tokens_after": 90_000})
    ),
    "quick-succession": lambda: evidence(
        compaction_evidence(1), compaction_evidence(2, {"before": 54, "tokens_before": 66_000})
    ),
    "read-again": lambda: evidence(after(*(replace(opened(n), tokens=1_999) for n in range(5)))),
    "tail-over-budget": lambda: evidence(compaction_evidence(1, tail_tokens=51_200)),
    "huge-message": evidence,
    "compaction-would-fail": lambda: live(evidence(), plan=replace(FAILS, tokens_before=160_000)),
    # Boundaries that are inferred prove nothing about the plan.
    "planned-not-recorded": lambda: evidence(
        compaction_evidence(1),
        compaction_evidence(2, {"exact": False, "tail_start": 70, "head_end": 0}, planned=plan(head_end=0)),
    ),
    "threshold-overridden": lambda: evidence(
        settings=Settings(profile="hermes-0.19", threshold=0.75), sources={"threshold": "config.yaml"}
    ),
    "threshold-beyond-window": lambda: evidence(
        settings=Settings(profile="hermes-0.13", context_length=64_001)
    ),
    "target-ratio-clamped": lambda: evidence(settings=Settings(target_ratio=0.80)),
    # The same threshold without a gateway in front of the agent.
    "hygiene-before-agent": lambda: evidence(source="cli", settings=Settings(threshold=0.85)),
    "orphaned-result": evidence,
    "unanswered-call": evidence,
    "breakpoints-never-hit": lambda: replace(evidence(), costs=CostEvidence(cache=cached(writing=4, read=0))),
    "prompt-always-changes": lambda: replace(evidence(), costs=CostEvidence(cache=cached(changed=7))),
    "never-paid-off": lambda: billed(7),
    "idling-costs-most": lambda: replace(billed(8), costs=CostEvidence(idle=idled(3.19))),
    "caches-thrown-away": lambda: billed(3),
    "reported-size-doubted": lambda: evidence(
        compaction_evidence(1, {"tokens_before_reported": 180_000}, last_size=90_000)
    ),
    "threshold-raised": lambda: evidence(
        settings=Settings(profile="hermes-0.19"), sources={"threshold": "config.yaml"}
    ),
    # Manual; after an answer; with a kept tail.
    "mid-task": lambda: evidence(
        compaction_evidence(1, {**WHOLE, "trigger": "manual"}, at_work=12),
        compaction_evidence(2, WHOLE),
        compaction_evidence(3, at_work=12),
    ),
    "boundaries-inferred": evidence,
    # Only the system prompt stays.
    "head-fossilized": lambda: live(
        evidence(
            compaction_evidence(1),
            compaction_evidence(2, {"head_end": 1}),
            compaction_evidence(3, {"head_end": 1}),
        ),
        roles=roles("system", "user", "assistant"),
    ),
    "system-prompt-changed": lambda: evidence(
        prompts=(SystemPrompt(1, 100, "one"), SystemPrompt(2, 100, "one"))
    ),
    "summary-over-budget": lambda: evidence(
        compaction_evidence(1, {"summary": "word " * 5_000}, planned=plan(summary_budget=6_250))
    ),
    "repeated-roles": evidence,
}


def ids(found: ConversationEvidence) -> list[str]:
    return [finding.rule for finding in find(found)]


def test_requests_show_the_added_tokens_if_the_agents_figure_is_far_off() -> None:
    first = compaction_evidence(1, {"tokens_after_reported": 165_000})
    for grew, found in ((0, True), (138_000, False)):
        second = compaction_evidence(2, {"before": 54, "tokens_before_reported": 168_000}, requests_grew=grew)
        rules = {one.rule for one in find(evidence(first, second))}
        assert ("quick-succession" in rules) == found


@pytest.mark.parametrize(
    ("limit", "words"),
    [(12, "after compaction 1. The settings allow 12 events."), (0, "after compaction 1.")],
)
def test_compactions_of_an_agent_that_counts_events_are_not_compared_in_tokens(
    limit: int, words: str
) -> None:
    later = compaction_evidence(2, {"before": 53, "events": Events(limit + 1, limit)})
    (found,) = [
        one for one in find(evidence(compaction_evidence(1), later)) if one.rule == "quick-succession"
    ]
    assert found.text.endswith(words)
    assert "tokens" not in found.text


@pytest.mark.parametrize("rule", ["quick-succession", "saved-little"])
def test_a_fixed_prompt_that_fills_the_window_is_reported(rule: str) -> None:
    listed = {"before": 53, "tokens_before": 30_000, "tokens_after": 29_000}
    for reported, expected in ((None, False), (50_000, False), (190_000, True)):
        second = compaction_evidence(2, {**listed, "tokens_before_reported": reported})
        text = next(
            one.text
            for one in find(evidence(compaction_evidence(1), second))
            if (one.rule, one.compaction) == (rule, 2)
        )
        assert ("about 160,000 of the 190,000 tokens" in text) == expected


def test_each_of_several_equal_summaries_is_reported() -> None:
    few = plan(summarized_from=53)
    same = [compaction_evidence(n, {"summary": FIRST}, planned=few) for n in (1, 2, 3, 4)]
    found = [one for one in find(evidence(*same)) if one.rule == "summary-repeats-previous"]
    assert [one.compaction for one in found] == [3, 4]
    assert (
        "of summary 4 are word for word those of summary 3, although it replaces 21 more messages than summary 1."
        in found[1].text
    )


@pytest.mark.parametrize(
    ("turns", "expected"), [(0, ""), (17, ""), (19, "19 of them are"), (20, "All of them are")]
)
def test_misses_at_the_start_of_turns_are_reported(turns: int, expected: str) -> None:
    missed = MissedEvidence(20, (4, 7), 500_000, 5.2, 6.8, 11_000, 1, 7, turns)
    (found,) = find(replace(evidence(), costs=CostEvidence(missed=(missed,))))
    assert ("first request of a turn" in found.text) == bool(expected)
    assert expected in found.text


@pytest.mark.parametrize(
    ("before", "starts"),
    [
        (("user",), True),
        (("user", "system"), True),
        (("user", "assistant", "tool"), False),
        (("user", "assistant", "tool", "system"), False),
        (("user", "assistant", "system"), True),
        (("user", "assistant"), True),
        ((), False),
    ],
)
def test_a_turn_starts_after_a_message_of_the_user_or_a_notice(before: tuple[str, ...], starts: bool) -> None:
    assert starts_turn(roles(*before, "assistant"), len(before)) == starts


def test_every_rule_is_tested() -> None:
    assert list(SETS_OFF) == list(DOES_NOT) == list(CHECKS) == list(RULES)


@pytest.mark.parametrize("rule", CHECKS)
def test_the_rule_is_triggered(rule: str) -> None:
    found = [finding for finding in find(SETS_OFF[rule]()) if finding.rule == rule]
    assert len(found) == 1
    finding = found[0]
    assert finding.severity == RULES[rule].severity
    assert finding.conversation == "c"
    assert finding.text.endswith((".", ")", "column 1"))
    assert "{" not in finding.text


@pytest.mark.parametrize("rule", CHECKS)
def test_the_rule_is_not_triggered(rule: str) -> None:
    assert rule not in ids(DOES_NOT[rule]())


def test_a_healthy_conversation_has_no_findings() -> None:
    assert find(evidence()) == ()


def test_findings_are_ordered_by_severity_then_by_place() -> None:
    found = find(
        evidence(
            compaction_evidence(1, {"exact": False}, last_request=10),
            compaction_evidence(2, {"fallback": True, "head_end": 0}, planned=plan(head_end=0)),
            failure="timeout",
        )
    )
    assert [(f.severity, f.rule) for f in found] == [
        ("error", "summary-fallback"),
        ("warning", "last-request-summarized"),
        ("warning", "summary-call-failed"),
        ("info", "boundaries-inferred"),
    ]
    assert [SEVERITIES.index(f.severity) for f in found] == sorted(
        SEVERITIES.index(f.severity) for f in found
    )


def test_a_place_names_the_row_of_the_right_generation() -> None:
    (request,) = [
        f for f in find(SETS_OFF["last-request-summarized"]()) if f.rule == "last-request-summarized"
    ]
    assert (request.compaction, request.generation, request.index, request.message) == (1, 1, 59, 1_059)
    (fallen,) = [f for f in find(SETS_OFF["summary-fallback"]()) if f.rule == "summary-fallback"]
    assert (fallen.compaction, fallen.generation, fallen.index, fallen.message) == (1, 2, 3, 2_003)


def test_a_missing_place_is_none() -> None:
    (found,) = find(live(evidence(), links=Links(orphans=(5_000,)), roles=roles("user") * 5_001))
    assert (found.generation, found.index, found.message) == (3, None, None)


def test_many_findings_of_one_rule_are_cut_and_counted() -> None:
    found = find(live(evidence(), links=Links(orphans=tuple(range(100)))))
    assert len(found) == MOST
    assert found[-1].text.startswith("81 more")
    assert found[-1].index == MOST - 1


def test_giving_up_names_its_beginning_and_reason() -> None:
    (found,) = [f for f in find(SETS_OFF["gave-up"]()) if f.rule == "gave-up"]
    assert found.compaction == 2
    assert found.generation == 3
    assert "Since compaction 2" in found.text
    assert "under 10%" in found.text


def test_0_19_gives_up_when_the_prompt_stays_over_the_threshold_or_nothing_is_summarized() -> None:
    over = {"tokens_after": 160_000, "tokens_before": 200_000}
    assert "gave-up" in ids(evidence(compaction_evidence(1, over), compaction_evidence(2, over)))
    assert "gave-up" not in ids(
        evidence(compaction_evidence(1, over), compaction_evidence(2, over, answered=False))
    )
    failed = {"fallback": True}
    assert "gave-up" in ids(evidence(compaction_evidence(1, failed), compaction_evidence(2, failed)))
    # The store's count is better evidence.
    assert "gave-up" not in ids(
        evidence(compaction_evidence(1, failed), compaction_evidence(2, failed), streak=0)
    )
    assert "gave-up" in ids(evidence(compaction_evidence(1), streak=2))


def test_the_observed_threshold_of_an_agent_is_a_default() -> None:
    settings = Settings(profile="dsh", threshold=0.8, context_length=200_000)
    found = ids(evidence(settings=settings, sources={"threshold": "observed in dsh"}))
    assert "threshold-overridden" not in found
    assert "threshold-raised" in found


def test_a_list_with_later_messages_does_not_show_how_soon_the_next_compaction_came() -> None:
    open_end = compaction_evidence(1, {"may_have_later": True})
    assert "quick-succession" not in ids(evidence(open_end, compaction_evidence(2, {"before": 53})))


def test_a_threshold_that_only_the_compactions_show_is_a_default() -> None:
    settings = Settings(profile="openclaw", threshold=0.129738, context_length=1_000_000)
    source = "shown by the recorded compactions (129,738 tokens; 980,000 is usual)"
    assert "threshold-overridden" not in ids(evidence(settings=settings, sources={"threshold": source}))


def test_a_threshold_may_be_beyond_a_window_that_is_only_a_minimum() -> None:
    settings = Settings(profile="hermes-0.13", context_length=64_000)
    source = {"context_length": "at least: a request of 64,000 tokens was answered"}
    assert "threshold-beyond-window" in {one.rule for one in find(evidence(settings=settings))}
    found = find(replace(evidence(settings=settings), sources=source))
    assert "threshold-beyond-window" not in {one.rule for one in found}


def test_compactions_that_all_came_by_requests_that_did_not_fit_show_a_smaller_window() -> None:
    full = {"overflow": True, "tokens_before_reported": 131_130}
    first, second = compaction_evidence(1, full), compaction_evidence(2, full)
    (found,) = (one for one in find(evidence(first, second)) if one.rule == "threshold-beyond-window")
    assert "All 2 compactions came because a request did not fit" in found.text
    assert "the smallest at 131,130 tokens" in found.text
    for others in ((first,), (first, compaction_evidence(2))):
        assert "threshold-beyond-window" not in ids(evidence(*others))


def test_the_threshold_finding_names_the_rules_and_the_source() -> None:
    settings = Settings(profile="hermes-0.19", threshold=0.4, context_length=80_000)
    (found,) = [
        f
        for f in find(evidence(settings=settings, sources={"threshold": "--threshold"}))
        if f.rule == "threshold-overridden"
    ]
    assert "32,000" in found.text
    assert "64,000 tokens are in force" in found.text
    assert "Raise:" in found.text
    assert "floor:" in found.text
    assert "--threshold" in found.text


def test_a_secret_is_reported_once_and_never_in_full() -> None:
    text = f"{SECOND}- The runner uses {KEY}.\n"
    found = [
        f
        for f in find(
            evidence(compaction_evidence(1, {"summary": text}), compaction_evidence(2, {"summary": text}))
        )
        if f.rule == "summary-secret"
    ]
    assert len(found) == 1
    assert "a GitHub token" in found[0].text
    assert found[0].text.endswith("Later summaries with the same texts: 2.")
    assert KEY not in found[0].text
    assert KEY[8:20] not in found[0].text


def test_the_secrets_of_one_summary_are_one_finding() -> None:
    keys = "".join(f"- Berth {n}: ghp_{n}{KEY[5:]}\n" for n in range(1, 7))
    found = [f for f in find(summary(f"{SECOND}{keys}")) if f.rule == "summary-secret"]
    assert len(found) == 1
    assert found[0].text.count("a GitHub token") == 4
    assert found[0].text.endswith("and 2 more.")


def test_a_tail_over_its_budget_names_its_messages() -> None:
    big = find(evidence(compaction_evidence(1, tail_tokens=60_000, largest=(70, 40_000))))
    drawn = find(evidence(compaction_evidence(1, tail_tokens=60_000, largest=(70, 3_000))))
    assert [f.index for f in big] == [70]
    assert "#70 alone" in big[0].text
    assert [f.index for f in drawn] == [compaction().tail_start]


def test_a_word_instead_of_a_history_before_a_split_turn_says_nothing() -> None:
    turn = "**Turn Context (split turn):**\n\n## Goal\n- Chart the reef." + "\n- Sound the bay." * 9
    found = [f for f in find(summary(f"LAMP_OK\n\n---\n\n{turn}")) if f.rule == "summary-says-nothing"]
    assert [f.compaction for f in found] == [2]
    assert "The history in summary 2 is “LAMP_OK”" in found[0].text
    for history in ("No prior history.", "## Goal\nChart the reef and the bay before the night."):
        assert not [
            f
            for f in find(summary(f"{history}\n\n---\n\n{turn}"))
            if f.rule == "summary-says-nothing" and f.compaction == 2
        ]


def test_hostile_text_of_a_summary_is_safe_in_findings() -> None:
    text = "## Goal\n- one \x1b[31m\u202e entry that will be gone\n## B\n- two"
    found = find(summary("## B\n- two\n", before=text))
    assert {f.rule for f in found} == {"summary-says-nothing", "summary-section-vanished"}
    assert not any("\x1b" in f.text or "\u202e" in f.text for f in found)


@pytest.mark.parametrize(
    ("body", "how"),
    [
        ("", "empty"),
        ("## Goal\nFix it.\n```\ncode", "code"),
        ("## Goal\nFix it.\n\n## Next Steps  ", "“Next Steps”"),
        ("## Goal\n- Fix it.\n-", "last entry"),
        ("## Goal\n1. Fix it.\n2.", "last entry"),
        ("## Goal\n-\n## Next\n-", ""),
        ("## Goal\nFix it,", "“Fix it,”"),
        ("## Goal\n修好它，", "修好它"),
        ("## Goal\nFix it.", ""),
        ("## Goal\nFix it", ""),
        ("## Goal\n- `src/app.py`\n- **done**\n", ""),
        ("## Goal\n```\ncode\n```", ""),
        ("## Goal\n- ```js\n  code\n  ```\n1. ```\n   code\n   ```", ""),
        ("## Goal\n- ```js\n  code", "code"),
        ("## Blocked\nNone", ""),
    ],
)
def test_how_a_summary_ends_early(body: str, how: str) -> None:
    assert (how in ends_early(body)) if how else ends_early(body) == ""


@pytest.mark.parametrize(
    ("body", "how"),
    [
        ('b/run", title="Run")\nrun()\n\n## Next\nFix it.', "“b/run"),
        ("        if (!berth) { return; }\n\n## Next\nFix it.", "“if (!berth)"),
        (', "sender": "x"\n\n## Tool Failures\nNone.', "“, "),
        ("，然后修好它。\n\n## 下一步\n修好它。", "“，然后"),
        ("`BerthKind`** holds.\n\n## Next\nFix it.", "“`BerthKind`**"),
        ("**Berth 4** holds.\n\n## Next\nFix it.", ""),
        # Prose without headings may begin with any word.
        ("use berth 4.", ""),
        ("\n\n## Goal\nfix it.", ""),
        ("- fix it\n\n## Next\nFix it.", ""),
        ("<goal>\nfix it\n</goal>\n\n## Next\nFix it.", ""),
    ],
)
def test_how_a_summary_begins_late(body: str, how: str) -> None:
    assert (how in begins_late(body)) if how else begins_late(body) == ""


def test_a_first_summary_that_begins_late_is_cut_off() -> None:
    """No earlier summary shows which sections are missing."""
    found = find(evidence(compaction_evidence(1, {"summary": 'b/run")\nrun()\n\n## Next\nFix it.'})))
    (cut,) = (one for one in found if one.rule == "summary-cut-off")
    assert cut.text == 'Summary 1 seems to be cut off: it begins with “b/run")”.'


@pytest.mark.parametrize(
    ("text", "middle_tokens", "empty"),
    [
        ("Since there is no conversation provided, I cannot summarize it.", 600, True),
        ("The user said hello. No task was given.", 600, False),
        ("No task was given.", 2_600, True),
        ("Since there is no conversation provided, I cannot summarize it.", 10, False),
        ("## Decisions\nNone recorded.\n\n## Open TODOs\nNone.\n\n## Values\nNone captured.", 600, True),
        ("## Decisions\nUse berth 4.\n\n## Open TODOs\nNone.\n\n## Values\nNone captured.", 600, False),
        # The introduction of Claude Code is not the summary.
        (f"{CONTINUED} that ran out of context.\n\nSummary:\n", 2_600, True),
        (f"{CONTINUED} that ran out of context.\n\nSummary:\n<summary>\n...\n</summary>", 2_600, True),
    ],
)
def test_a_short_middle_may_have_no_task_but_not_no_messages(
    text: str, middle_tokens: int, empty: bool
) -> None:
    found = find(evidence(compaction_evidence(1, {"summary": text}, middle_tokens=middle_tokens)))
    assert ("summary-says-nothing" in {one.rule for one in found}) == empty


def test_summaries_are_compared_across_a_fallback() -> None:
    found = find(
        evidence(
            compaction_evidence(1),
            compaction_evidence(
                2, {"fallback": True, "summary": "none", "head_end": 0}, planned=plan(head_end=0)
            ),
            compaction_evidence(3, {"summary": FIRST, "head_end": 0}, planned=plan(head_end=0)),
        )
    )
    (repeated,) = [f for f in found if f.rule == "summary-repeats-previous"]
    assert (repeated.compaction, repeated.generation) == (3, 4)
    assert "those of summary 1" in repeated.text


def test_without_a_tail_the_last_request_is_not_reported() -> None:
    nothing = {"exact": False, "tail_start": 100, "note": "No copy of the tail was found."}
    assert ids(evidence(compaction_evidence(1, nothing, last_request=90))) == ["boundaries-inferred"]


def test_an_engine_of_another_package_never_gives_up() -> None:
    little = {"tokens_after": 150_000}
    settings = Settings(profile="truncation")
    assert "gave-up" not in ids(
        evidence(compaction_evidence(1, little), compaction_evidence(2, little), settings=settings)
    )


def test_pauses_that_no_setting_makes_cheaper_are_no_finding() -> None:
    # A keep-alive would save something, but hardly any agent has one.
    paused = replace(
        billed(8), costs=CostEvidence(idle=replace(idled(3.3), other=Cost(10, 10, 0), saved=1.0))
    )
    assert "idling-costs-most" not in ids(paused)


def test_files_opened_before_the_next_request_are_named_as_these() -> None:
    events = after(*(opened(number) for number in range(6)))
    (every,) = find(evidence(events))
    assert every.text.startswith("After compaction 1 6 files or pages were opened again")
    (earlier,) = find(evidence(replace(events, turn_end=55)))
    assert earlier.text.startswith(
        "Between compaction 1 and the user's next request, 5 files or pages were opened"
    )
