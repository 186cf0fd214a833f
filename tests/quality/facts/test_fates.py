"""Fates of facts: a table of labelled examples with a score, and properties of every fact and list."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.core.text import safe
from inspector.quality.facts.fact import Fact, Fate
from inspector.quality.facts.fate import ORDER, fate
from inspector.quality.facts.gather import values_said
from inspector.quality.facts.passages import ListText, PassageIndex
from inspector.quality.facts.values import values_of
from tests.quality.facts.fate_examples import EXAMPLES
from tests.quality.facts.made_facts import facts, said, searchable

KEPT = ("verbatim", "paraphrased")
STATEMENTS = sorted(
    {statement for what, statement, _, _ in EXAMPLES if what not in ("zh", "de", "fr", "es", "vi")}
)
#: One language: a statement that is missing in a summary of another language is uncertain.
SUMMARIES = sorted(
    {summary for what, _, summary, _ in EXAMPLES if what not in ("zh", "de", "fr", "es", "vi")}
)


def judged(statement: str, summary: str) -> tuple[Fact, Fate]:
    """Return the longest fact of a statement, and its fate in a summary."""
    found = facts(statement)
    fact = max(found, key=lambda one: len(one.text))
    after = PassageIndex([ListText("summary", 0, "summary", safe(summary))])
    return fact, fate(fact, after, 1, values_said(found))


def side(outcome: str) -> str:
    return "kept" if outcome in KEPT else outcome


@pytest.fixture(scope="module")
def results() -> list[tuple[str, str, str, str, str]]:
    """Return (variation, statement, summary, label, outcome) of every example."""
    return [(what, a, b, label, side(judged(a, b)[1].outcome)) for what, a, b, label in EXAMPLES]


def test_examples_are_decided_and_mostly_right(results: list[tuple[str, str, str, str, str]]) -> None:
    decided = [one for one in results if one[4] != "uncertain"]
    wrong = [one for one in decided if one[4] != one[3]]
    assert len(decided) >= 0.85 * len(results)
    assert len(wrong) <= 0.1 * len(decided), wrong


def test_almost_no_change_counts_as_kept_and_no_rewording_as_lost(
    results: list[tuple[str, str, str, str, str]],
) -> None:
    kept = [one for one in results if one[3] != "kept" and one[4] == "kept"]
    lost = [one for one in results if one[3] == "kept" and one[4] in ("lost", "value lost", "contradicted")]
    assert len(kept) <= 0.03 * sum(one[3] != "kept" for one in results), kept
    assert len(lost) <= 0.03 * sum(one[3] == "kept" for one in results), lost


def test_an_equal_number_of_another_thing_is_not_the_same_measure() -> None:
    summary = (
        "Summary:\n1. Primary Request and Intent:\n   Build a table of the tides (version 3).\n"
        "   - The quay has 8 cranes."
    )
    assert judged("Allow at most 3 retries, only on berths 12, 13 and 14.", summary)[1].outcome == "lost"


def test_every_kind_of_change_is_noticed(results: list[tuple[str, str, str, str, str]]) -> None:
    right = Counter(one[0] for one in results if one[3] == one[4])
    assert {what for what, _, _, _ in EXAMPLES} <= set(right)


@given(st.sampled_from(STATEMENTS))
def test_a_statement_that_is_there_word_for_word_is_verbatim(statement: str) -> None:
    fact, found = judged(statement, f"## Notes\n- Build is green\n- {statement}\n- Docs are updated")
    assert found.outcome == "verbatim", fact.text
    assert found.where == "summary"


@settings(max_examples=60)
@given(st.sampled_from(STATEMENTS), st.lists(st.sampled_from(SUMMARIES), min_size=1, max_size=4, unique=True))
def test_a_list_with_a_text_less_never_has_a_better_fate(statement: str, summaries: list[str]) -> None:
    found = max(facts(statement), key=lambda one: len(one.text))

    def of(texts: list[str]) -> int:
        parts = [ListText("summary", n, "summary", text) for n, text in enumerate(texts)]
        return ORDER.index(fate(found, PassageIndex(parts), 1).outcome)

    for at in range(len(summaries)):
        assert of([*summaries[:at], *summaries[at + 1 :]]) >= of(summaries)


def test_each_text_of_a_summary_is_read_in_its_own_language() -> None:
    found = max(facts("We don't support Windows."), key=lambda one: len(one.text))
    chinese = ListText("summary", 0, "summary", "## 约束\n- 必须小心，禁止夜间卸货")
    for text, outcome in (
        ("- Windows is supported", "contradicted"),
        ("- The tide table is done", "uncertain"),
    ):
        english = ListText("summary", 1, "summary", text)
        assert fate(found, PassageIndex([chinese, english]), 1).outcome == outcome


def test_the_results_of_tools_in_a_summary_do_not_decide_its_language() -> None:
    result = "- Tool result (read): def berth_of(boat, tide):\n    if boat is not None:\n        return tide.berths\n"
    turns = "## Recent turns preserved verbatim\n- Assistant: 先检查泊位表，然后继续。\n"
    after = "- Assistant: 泊位表已经更新，测试全部通过。\n"
    rule = "禁止夜间卸货，避免噪音"
    assert judged(rule, turns + result * 9 + after)[1].outcome == "lost"
    english = "- User wants the boats to be unloaded by day only, and never in the dark.\n"
    assert judged(rule, english * 3 + turns + result * 9 + after)[1].outcome == "uncertain"
    assert judged(rule, turns + result * 9 + "## Next Steps\n" + english * 3)[1].outcome == "uncertain"


def test_a_summary_that_quotes_the_users_language_needs_no_translation() -> None:
    english = "The user wants the tide table, and the boats are painted for the winter.\n"
    quotes = '- "先画北边的泊位图，再检查潮汐表"\n- "油漆要用蓝色的，不要用绿色"\n'
    rule = "禁止夜间卸货，避免噪音"
    assert judged(rule, english)[1].outcome == "uncertain"
    assert judged(rule, f"{english}All user messages:\n{quotes}")[1].outcome == "lost"
    assert judged(rule, f'{english}All user messages:\n{quotes}- "{rule}"\n')[1].outcome == "verbatim"


@pytest.mark.parametrize(
    "statement",
    [
        "Don't moor the tug's barge at pier 4.",
        "Don’t moor the barge at pier 4.",
        "Keep the berth plan in C:\\pier\\berths.csv at all times.",
        "Never write *anything* into the `berth_plan` table.",
        "船期表不能弄混，必须按泊位排。",
    ],
)
def test_the_place_of_a_quote_is_the_place_of_its_words(statement: str) -> None:
    lead = "## Notes\n- A boat is a thing of the sea, and the pier isn't.\n" * 3
    for line in (f"- {statement}", f"- They said: **{statement}**"):
        text = f"{lead}{line}\n- Done"
        _, found = judged(statement, text)
        start = text.index(statement)
        assert (found.outcome, found.span) == ("verbatim", (start, start + len(statement) - 1))


def test_an_excerpt_marks_what_it_leaves_out() -> None:
    found = max(facts("Never push to main."), key=lambda one: len(one.text))
    rule, filler = "Never push to main.", "The boat is red and stays in the harbor all day. " * 8
    texts = {rule: (False, False), f"{rule} {filler}": (False, True), f"{filler}\n{rule}": (True, False)}
    for text, cut in texts.items():
        excerpt = fate(found, PassageIndex([ListText("summary", 0, "summary", text)]), 1).excerpt
        assert rule in excerpt
        assert (excerpt.startswith("…"), excerpt.endswith("…")) == cut


@settings(max_examples=60)
@given(st.sampled_from(STATEMENTS), st.permutations(SUMMARIES[:5]))
def test_the_order_of_texts_does_not_matter(statement: str, summaries: list[str]) -> None:
    found = max(facts(statement), key=lambda one: len(one.text))
    fates = set()
    for order in (summaries, sorted(summaries)):
        parts = [ListText("summary", 0, "summary", text) for text in order]
        one = fate(found, PassageIndex(parts), 1)
        fates.add((one.outcome, one.excerpt, one.changed))
    assert len(fates) == 1


#: Words and marks that the readers of a sentence treat in a special way.
PIECES = (
    "is on", "off", "-", "on-brand", "only", "first", "then", "and", "neither", "nor", "not", "never", "without",
    "skip", "20 Dec", "12-20", "两百兆", "一百零五", "a minute and a half", "net_amount_eur", "1.", "2-", "(", ")", ":",
    ",", ".", "\n", "\t", "except", "apart from", "before", "after", "once", "no tests may", "the boat", "PORT=80",
    "/srv/x", "不要", "\u202e", "|",
)  # fmt: skip


@settings(max_examples=150)
@given(st.lists(st.sampled_from(PIECES), max_size=12), st.lists(st.sampled_from(PIECES), max_size=16))
def test_odd_sentences_have_a_fate(statement: list[str], summary: list[str]) -> None:
    for fact in facts(safe(" ".join(("The boat", *statement)))):
        after = PassageIndex([ListText("summary", 0, "summary", safe(" ".join(summary)))])
        assert fate(fact, after, 1).outcome in ORDER


def test_a_denied_quote_is_no_quote() -> None:
    assert judged("Cache the price list.", "- Do not cache the price list.")[1].outcome == "contradicted"
    assert judged("Compress the images.", "- We no longer compress the images.")[1].outcome not in KEPT
    rule = "Run the integration tests before every deploy."
    for denial in (
        "Do not run",
        "We no longer run",
        "There is no need to run",
        "You can't run",
        "It is forbidden to run",
    ):
        assert not judged(rule, f"- {denial} the integration tests before every deploy.")[1].alive
    assert not judged(rule, f"## Rejected ideas\n- {rule}")[1].alive
    assert (
        judged(rule, f"## Rejected ideas\n- Deploy at night\n\n## Rules\n- {rule}")[1].outcome == "verbatim"
    )


@pytest.mark.parametrize(
    ("statement", "summary"),
    [
        ("Keep the request timeout at 30", "Keep the request timeout at 30.5 seconds"),
        ("Please pin the driver to version 2.1", "Please pin the driver to version 2.1.4"),
        ("Start the nightly job at 5", "Start the nightly job at 5:30"),
        ("Never push to main", "Never push to main-old"),
        ("Write the importer in C", "Write the importer in C++"),
        ("Never delete user data", "Never delete user data unless the flag is set"),
        ("Always use tabs for indentation", "Always use tabs for indentation no longer applies"),
        ("Use the staging server for tests", "Should we use the staging server for tests?"),
        ("Always use tabs for indentation", "## Superseded\n- Always use tabs for indentation"),
    ],
)
def test_text_after_a_quote_may_change_it(statement: str, summary: str) -> None:
    assert judged(statement, f"- {summary}" if "#" not in summary else summary)[1].outcome != "verbatim"
    assert judged(statement, f"- {statement}. Then build it.")[1].outcome == "verbatim"
    assert judged(f"{statement}!", f"- {statement}!\n\n## Next\n- Build it")[1].outcome == "verbatim"


def test_the_reason_of_a_rejected_edit_is_quoted() -> None:
    reason = "I thought we move the boats to the old pier"
    assert judged(reason, f'- User rejected edit: "{reason}"')[1].outcome == "verbatim"
    assert judged(reason, f"- Rejected proposal: {reason}")[1].outcome != "verbatim"


@pytest.mark.parametrize(
    ("file", "outcome"),
    [
        ("- **Nets:** the two sheds first, overflow → ferry", "uncertain"),
        ("- Always ask before a ferry leaves", "lost"),
        ("- A ferry takes 40 people", "lost"),
    ],
)
def test_a_file_of_the_agent_may_have_a_wish_in_other_words(file: str, outcome: str) -> None:
    wish = "I would fill the two sheds at the pier first, and then put all other nets on the ferry."
    found = max(facts(wish), key=lambda one: len(one.text))
    summary = ListText("summary", 0, "summary", "Summary: painted the crane.")
    assert (
        fate(found, PassageIndex([summary, ListText("memory", -1, "assistant", file)]), 1).outcome == outcome
    )
    assert fate(found, PassageIndex([summary, ListText("memory", -1, "tool", file)]), 1).outcome == "lost"


def test_a_file_of_the_agent_with_all_values_of_a_statement_may_have_it() -> None:
    statement = (
        "The barge weighed 93 kg at first, after the storm and the repair in spring it had 87 kg, they say."
    )
    (found,) = facts(statement)
    file = ListText("memory", -1, "assistant", "- Barge: 93 kg → 87 kg")
    assert fate(found, PassageIndex([file]), 1).outcome == "uncertain"


@pytest.mark.parametrize("line", ["4. Errors and fixes:", "## Errors and fixes", "**Problems**:"])
def test_a_heading_alone_is_no_evidence(line: str) -> None:
    assert (
        judged("I don't understand the error.", f"Summary:\n{line}\n - Painted the crane")[1].outcome
        == "lost"
    )


def test_a_fallback_text_has_no_rule_in_other_words() -> None:
    found = max(facts("Keep it read only please."), key=lambda one: len(one.text))
    text = "Summary unavailable.\n<read-files>\n/pier/keep.md\n</read-files>"
    assert fate(found, PassageIndex([ListText("summary", 0, "fallback", text)]), 1).outcome == "lost"


def test_a_line_below_a_quote_does_not_change_it() -> None:
    summary = "- Use tabs for indentation\n- Only admins may merge\n- No longer needed: the old linter"
    assert judged("Use tabs for indentation", summary)[1].outcome == "verbatim"


def test_a_demand_to_drop_something_is_not_refused_under_a_heading_of_what_was_dropped() -> None:
    for heading, statement, line in (
        ("Dropped", "Drop support for the old browser.", "Support for the old browser"),
        ("Reverted", "Revert the change of the parser.", "The change of the parser"),
    ):
        assert judged(statement, f"## {heading}\n- {line}")[1].outcome != "contradicted"


def test_a_common_word_of_a_condition_does_not_state_the_condition() -> None:
    rule = "You must never restart the importer in case the queue is stuck."
    assert judged(rule, "- You must never restart the importer in staging.")[1].outcome == "weakened"


def test_a_statement_of_values_alone_is_lost_without_any_of_them() -> None:
    assert judged("24 hours are over.", "3. Load for 5 min: p99 322 ms")[1].outcome == "lost"


def test_a_change_is_named() -> None:
    assert judged("The queue holds 500 jobs.", "- The queue holds 50 jobs")[1].changed == "50"
    changed = judged("Deploy the importer to production first.", "- Deploy the importer to staging first")[
        1
    ].changed
    assert changed == "staging"


@pytest.mark.parametrize(
    ("summary", "alive"),
    [
        ("- Invoices are kept 10 years\n- Mails are kept 6 years", True),
        ("- Invoices: keep 10 years\n- Mails: keep 6 years", True),
        ("- Invoices are kept 6 years\n- Mails are kept 10 years", False),
        ("- Invoices are kept 10 years\n- Mails are kept for a while", False),
    ],
)
def test_a_statement_about_several_things_is_kept_if_each_is_on_its_own_line(
    summary: str, alive: bool
) -> None:
    assert judged("Invoices 10 years, mails 6 years.", summary)[1].alive is alive


def test_two_lines_do_not_keep_a_fact_that_one_line_denies() -> None:
    summary = "- Invoices are kept 6 years\n- Mails are kept 10 years"
    assert not judged("Keep invoices 10 years.", summary)[1].alive


@pytest.mark.parametrize("statement", ["British spelling please", "Please use British spelling."])
def test_a_wish_that_was_followed_once_is_not_kept_as_a_wish(statement: str) -> None:
    assert judged(statement, "## Preferences\n- Use British spelling")[1].alive
    for report in (
        "I used British spelling throughout the page",
        "The agent used British spelling in the intro",
    ):
        assert not judged(statement, f"## Done\n- {report}")[1].alive


def test_a_denial_restricts_as_only_does() -> None:
    statement = "Don't ask me to confirm before you run a command, just do it."
    assert judged(statement, "- Don’t ask for confirmation before running commands")[1].outcome != "weakened"


@pytest.mark.parametrize(
    ("statement", "summary"),
    [
        ("You may paint the hull but not the mast.", "- The hull may be painted; the mast is off limits"),
        ("You may paint the hull but not the mast.", "- The hull may be painted, except the mast"),
        ("Skip the patrol if the lamp does not exist.", "- Skip the patrol if the lamp is missing"),
    ],
)
def test_an_exception_and_a_condition_may_deny_in_other_words(statement: str, summary: str) -> None:
    assert judged(statement, summary)[1].outcome == "paraphrased"


@pytest.mark.parametrize(
    ("statement", "summary"),
    [
        ("Show the flag while nobody is aboard.", "- Show the flag while the deck is empty, aboard"),
        ("Skip the patrol if the lamp exists.", "- Skip the patrol if the lamp is missing"),
        ("Send the boat when the pier is full.", "- Send the boat when the pier is not full"),
    ],
)
def test_a_condition_with_another_denial_leaves_the_fate_open(statement: str, summary: str) -> None:
    assert judged(statement, summary)[1].outcome == "uncertain"


def test_a_moved_only_contradicts_nothing() -> None:
    summary = "- Moor on Mondays only, if nothing is broken"
    assert judged("Only moor on Mondays if nothing is broken.", summary)[1].alive


def test_a_wonderful_summary_is_no_question() -> None:
    summary = "- Wonderful: the cache must expire after 9 minutes"
    assert judged("The cache must expire after 5 minutes.", summary)[1].outcome == "contradicted"


@pytest.mark.parametrize("joint", ["and", ", and", ", but", "but"])
def test_a_task_and_a_rule_in_one_sentence_are_two_statements(joint: str) -> None:
    gap = "" if joint.startswith(",") else " "
    texts = [one.text for one in said(f"Plan the cache layer{gap}{joint} never evict pinned keys.")]
    assert texts == ["Plan the cache layer", "never evict pinned keys."]


def test_another_word_of_the_same_length_is_no_typo() -> None:
    statement = "Count the fields of each checkpoint."
    assert not judged(statement, "- Change the titles of each chapter")[1].alive
    assert judged(statement, "- Count the fields of each checkpont")[1].alive


def test_a_denial_in_quotation_marks_ends_with_them() -> None:
    statement = 'The hook says "nothing to link" and adds the trailer to the commit.'
    assert judged(statement, "- The hook adds the trailer to the commit")[1].outcome != "contradicted"


def test_the_number_of_a_step_is_no_measure() -> None:
    rule = "Never let the crane have more than 10 connections."
    assert judged(rule, "- step 10 is over")[1].outcome == "lost"


def test_a_stressed_adverb_is_no_name() -> None:
    assert judged("Follow the log format EXACTLY.", "- Follow the log format")[1].outcome != "value lost"
    assert judged("Follow the log format EXACTLY.", "- Follow the log format exactly")[1].alive


def test_a_file_that_a_prompt_names_is_the_same_file() -> None:
    summary = "- Move the tides into a module and use them in `src/pier.ts`"
    assert judged("Move the tides to a module and use them in @src/pier.ts", summary)[1].alive


def test_a_folder_and_a_file_do_not_contradict_each_other() -> None:
    statement = "The parser tests in ./src/agent/parser/ pass with array content."
    found = judged(statement, "- Added parser tests for array content to parser_test.go")[1]
    assert found.outcome != "contradicted"


def test_values_of_several_kinds_are_all_needed() -> None:
    statement = "Our pool has 20 connections and a timeout of 30 seconds."
    assert judged(statement, "- Pool: 20 connections, timeout 30 s")[1].alive
    assert not judged(statement, "- Pool: 20 connections with a timeout")[1].alive


@pytest.mark.parametrize(
    "text",
    [
        "-" * 200_000,
        "http://a:b " * 20_000,
        "never " * 40_000,
        "a,b;" * 50_000,
        "((" * 100_000,
        "x.y/" * 60_000,
    ],
)
def test_hostile_texts_are_judged(text: str) -> None:
    """The scanned part of a text is limited."""
    fact = facts("Never push to the release branch.")[0]
    assert fate(fact, PassageIndex([ListText("summary", 0, "summary", text)]), 1).outcome in ORDER
    assert isinstance(facts(text), tuple)


@pytest.mark.parametrize(
    ("statement", "same", "other"),
    [
        ("Deploy the release at 12 am.", "deployed at 00:00", "deployed at 12 pm"),
        ("Deploy the release at 10:30 PM.", "deployed at 22:30", "deployed at 10:30 AM"),
        ("Deploy the release at 5 p.m.", "deployed at 17:00", "deployed at 5 a.m."),
        ("Deploy the release on 12.03.2026.", "deployed on 2026-03-12", "deployed on 2026-12-03"),
        ("Keep the release under USD 500.", "kept under $500", "kept under EUR 500"),
        ("The release has 20\u00a0MB of images.", "has 20 MB of images", "has 20 GB of images"),
        ("The release handles 1.000,50 EUR.", "handles 1000.5 EUR", "handles 1 EUR"),
        ("The release handles 1.500 rows.", "handles 1,500 rows", "handles 1.5 rows"),
    ],
)
def test_a_value_is_the_same_in_another_notation(statement: str, same: str, other: str) -> None:
    assert side(judged(statement, f"- The release gets {same}.")[1].outcome) == "kept"
    assert judged(statement, f"- The release gets {other}.")[1].gone


@pytest.mark.parametrize(
    ("statement", "summary"),
    [
        ("Fix the crash in issue #1234 first.", "The crash in issue #1235 is to be fixed first."),
        ("Set the worker timeout to 5m.", "The worker timeout is set to 10m."),
        ("The support desk is open 9am-5pm.", "The support desk is open 9am-6pm."),
        ("Use the port range 8000-8010.", "Use the port range 8000-8020."),
        ("Keep the brightness offset at -5.", "The brightness offset is kept at 5."),
        ("The API key expires in Q3 2026.", "The API key expires in Q4 2026."),
    ],
)
def test_a_changed_number_without_a_form_is_not_kept(statement: str, summary: str) -> None:
    assert side(judged(statement, f"- {summary}")[1].outcome) != "kept"


@pytest.mark.parametrize(
    ("statement", "summary"),
    [
        ("The response time must be < 200 ms.", "The response time must be > 200 ms."),
        ("The response time must be ≤ 200 ms.", "The response time must be ≥ 200 ms."),
        ("Use Python >= 3.11.", "Python < 3.11 is used."),
        ("The response time must be below 200 ms.", "The response time must be above 200 ms."),
        ("The response time must be < 200 ms.", "The response time must be above 200 ms."),
        ("The job must finish before 6 am.", "The job must finish after 6 am."),
    ],
)
def test_the_other_side_of_a_limit_contradicts(statement: str, summary: str) -> None:
    assert judged(statement, f"- {summary}")[1].outcome == "contradicted"
    assert judged(statement, f"- {statement}")[1].outcome == "verbatim"


@pytest.mark.parametrize("number", ["1.2.3k", "1,2,3k rows", "1.000,5k", "1,000,00k", "1.2.3 million"])
def test_a_number_in_no_known_form_is_read(number: str) -> None:
    assert judged(f"The cache must hold at most {number}.", "- Nothing.")[1].gone


def test_the_result_of_a_tool_keeps_a_statement_only_word_for_word() -> None:
    (rule,) = facts("Users should have access to them.")
    alike = "def grant(user):\n    # users should have access\n    return access_token(user)"
    assert fate(rule, searchable(tail=[alike], role="assistant"), 1).outcome == "paraphrased"
    assert fate(rule, searchable(tail=[alike], role="tool"), 1).outcome == "lost"
    quoted = "plan.md: Users should have access to them."
    assert fate(rule, searchable(tail=[quoted], role="tool"), 1).outcome == "verbatim"


@pytest.mark.parametrize(
    ("statement", "summary"),
    [
        ("Keep the log level at debug.", "Log level changed from debug to info."),
        ("Tests must run in parallel.", "Tests must run sequentially, never in parallel."),
        ("Do not rename public functions.", "Public functions must not be renamed, except deprecated ones."),
    ],
)
def test_a_passage_that_takes_back_a_part_does_not_keep_the_fact(statement: str, summary: str) -> None:
    assert side(judged(statement, f"- {summary}")[1].outcome) != "kept"


def test_a_denied_limit_is_the_limit_of_the_other_side() -> None:
    assert judged("The response time must not be above 200 ms.", "- Response time below 200 ms.")[
        1
    ].outcome != ("contradicted")


FORBIDDEN = "Never:\n- push to main\n- delete the old backups"


@pytest.mark.parametrize("lead", ["Never:", "## Don't\n", "For this repo, please do not:", "**Must not:**"])
def test_an_item_of_a_list_that_forbids_is_a_rule(lead: str) -> None:
    found = {one.text: one for one in facts(f"{lead}\n1. push to main\n2. delete backups\n\nWrite tests.")}
    words = lead.strip("#*: \n").rpartition("please ")[2]
    assert {found[f"{words} push to main"].kind, found[f"{words} delete backups"].kind} == {"constraint"}
    assert found["Write tests."].kind == "decision"
    assert "delete backups" not in found


@pytest.mark.parametrize(
    ("summary", "outcome"),
    [
        (f"- Today\n\n{FORBIDDEN}\n\n## Next\n- Test it", "paraphrased"),
        ("- Never push to main\n- Never delete the old backups", "verbatim"),
        ("## Next\n- push to main\n- delete the old backups", "contradicted"),
    ],
)
def test_a_forbidden_item_is_kept_if_it_is_forbidden(summary: str, outcome: str) -> None:
    for one in facts(FORBIDDEN):
        if one.text != "Never:":
            assert fate(one, searchable(summary), 1).outcome == outcome
    assert (judged("Never push to main.", summary)[1].outcome == "contradicted") == (
        outcome == "contradicted"
    )


def test_only_the_items_below_a_line_are_forbidden() -> None:
    rules = "- Never:\n  - push to main\n  - delete backups\n- Write tests for the parser"
    assert {one.text for one in facts(rules) if one.kind == "constraint"} == {
        "Never:", "Never push to main", "Never delete backups",
    }  # fmt: skip
    assert judged("Write tests for the parser.", rules)[1].alive
    assert judged("Delete backups of the parser.", rules.replace("backups", "backups of the parser"))[1].gone


def test_a_request_is_not_kept_in_a_list_that_forbids() -> None:
    assert side(judged("Delete the old backups.", FORBIDDEN)[1].outcome) != "kept"
    assert judged("Delete the old backups.", f"{FORBIDDEN}\n\nDo:\n- delete the old backups")[1].alive


@pytest.mark.parametrize(
    ("statement", "opposite", "same"),
    [
        ("Do not use port 8080.", "Use port 8080.", "Port 8080 must not be used."),
        ("Never edit src/app.py.", "Edit src/app.py.", "User forbade editing src/app.py."),
        ("Never edit src/app.py.", "Edited src/app.py.", "Edits to src/app.py are off limits."),
        ("Do not deploy after 6 pm.", "Deploy after 6 pm.", "Deploy before 6 pm."),
        ("Never more than 40 items on a page.", "More than 40 items on a page.", "At most 40 items on a page."),
        ("Nothing may be written to /var/log.", "Write to /var/log.", "Write nothing to /var/log."),
        ("Stop adding comments to tests.", "Add comments to tests.", "Do not add comments to tests."),
        ("Delete the old importer.", "Keep the old importer.", "The old importer was removed."),
        ("Keep the old importer.", "Remove the old importer.", "The old importer must not be removed."),
        ("Use the old importer for tides.", "User decided against the old importer for tides.",
         "The old importer is used for tides."),
    ],
)  # fmt: skip
def test_the_opposite_is_never_kept(statement: str, opposite: str, same: str) -> None:
    assert judged(statement, f"- {opposite}")[1].outcome in ("contradicted", "uncertain")
    assert judged(statement, f"- {same}")[1].outcome != "contradicted"


def test_a_short_title_that_says_a_rule_or_a_value_keeps_it() -> None:
    for statement, title in (
        ("Do not use nylon ropes.", "No nylon ropes"),
        ("Keep the old crane.", "Keep old crane"),
        ("The chart plotter is Meridian 16.2.", "Meridian 16.2 plotter"),
    ):
        assert judged(statement, f"## {title}\n- Agreed with the pilots")[1].outcome in KEPT, title


def test_words_that_a_message_repeats_are_still_rare_in_the_summary() -> None:
    found = facts("Maybe no overview of the moorings, it feels too long.")
    summary = "## Rules\n- Start with the items, without overview texts"
    tail = "## Overview\nThe overview is short. An overview. See the overview. Overview of piers."
    after = PassageIndex([ListText("summary", 0, "summary", summary), ListText("tail", 1, "assistant", tail)])
    assert fate(found[0], after, 1).outcome == "uncertain"


def test_a_statement_is_lost_only_if_the_summary_lacks_one_of_its_words() -> None:
    assert (
        judged("Yes, paint it.", "- The user said yes to the flag\n- Paint is in the shed")[1].outcome
        == "uncertain"
    )
    assert judged("Yes, paint it.", "- The user said yes to the flag\n- Boats are in the shed")[1].gone
    assert judged("Yes, paint it.", "- The anchor was checked\n- Paint is in the shed")[1].gone


@pytest.mark.parametrize(
    ("statement", "summary"),
    [
        (
            "however, blk 2 has berths 4.2.1 to 4.2.4.",
            "Block 2 has numbered berths (4.2.1-4.2.4) of 9 boats",
        ),
        (
            "some too detailed rigging, we can discuss later.",
            "The handbook has principles, not detailed rigging",
        ),
        (
            "unmoored put in need to inspect",
            "Moored inspections go to DONE.md, unmoored stay in need-inspect.md",
        ),
    ],
)
def test_a_statement_in_other_words_is_not_lost(statement: str, summary: str) -> None:
    assert not judged(statement, f"- {summary}")[1].gone


def test_the_number_of_an_item_is_no_value() -> None:
    assert judged("All 3", "## Next\n1. Moor it.\n2. Paint it.\n3. Ensure the plan is there.")[1].gone


@pytest.mark.parametrize(
    ("statement", "other"),
    [
        ("Touch nothing in src/app.py.", "Touch src/app.py."),
        ("Ändere nie src/app.py.", "Ändere src/app.py."),
        ("Use two spaces for indentation.", "Indentation uses 4 spaces."),
        ("Use 2 spaces for indentation.", "Indentation uses three spaces."),
    ],
)
def test_a_denial_of_a_value_and_the_word_of_a_number_count(statement: str, other: str) -> None:
    assert side(judged(statement, f"- {other}")[1].outcome) != "kept"


def test_a_number_may_be_a_word() -> None:
    assert judged("Use 2 spaces for indentation.", "- Indentation uses two spaces.")[1].alive
    assert (
        judged("Touch nothing in src/app.py.", "- src/app.py must not be touched.")[1].outcome
        != "contradicted"
    )


def test_an_answer_no_before_a_demand_denies_nothing_of_it() -> None:
    assert judged("No, use the old importer for tides.", "- The old importer is used for tides.")[1].alive
    forbidden = judged("No, never use the old importer for tides.", "- The old importer is used for tides.")
    assert forbidden[1].outcome == "contradicted"


def test_a_thing_in_two_clauses_changes_no_place() -> None:
    statement = "We should paint the harbor wall red and sign the wall."
    assert judged(statement, "- The harbor wall was painted red and signed.")[1].outcome != "contradicted"


def test_a_windows_path_is_found_word_for_word() -> None:
    text = r"Never delete D:\quay\new\next.log of the harbor."
    assert judged(text, f"## Rules\n- {text}")[1].outcome == "verbatim"


def test_the_pieces_of_a_long_text_without_spaces_are_found_word_for_word() -> None:
    text = "Never close the " + "berthwithoutspaces" * 40
    after = searchable("## Goal\n- go on", tail=[text])
    found = facts(text)
    assert found
    assert {fate(fact, after, 1).outcome for fact in found} == {"verbatim"}


def test_a_value_among_foreign_words_is_kept_if_a_denial_would_be_seen() -> None:
    address = "https://harbour.example/backup.git"
    for summary, outcome in (
        (f"- The project uses {address} for the backups", "paraphrased"),
        (f"- The project must not use {address} for the backups", "uncertain"),
        (f"- Le dépôt {address} n'est plus utilisé dans le projet et pour les sauvegardes", "uncertain"),
        (f"- Le dépôt du port et de la ville est {address} pour les sauvegardes", "uncertain"),
    ):
        assert judged(f"Le dépôt du projet est {address}", summary)[1].outcome == outcome, summary


@pytest.mark.parametrize(
    ("end", "is_kept"),
    [
        (" of the log", True),
        (" and send it to the pilots", False),
        (" unless the harbour is closed", False),
    ],
)
def test_a_quote_without_its_end_keeps_a_statement_only_if_the_end_adds_nothing(
    end: str, is_kept: bool
) -> None:
    beginning = "Show the list of the boats with their depths on the first page"
    outcome = judged(beginning + end, f'All user messages:\n- "{beginning}"')[1].outcome
    assert (outcome in KEPT) is is_kept


def test_a_chinese_quote_without_its_condition_is_weakened() -> None:
    beginning = "把所有船只的名单和水深写到日志的第一页，然后每天早上发给港口的领航员看一遍"
    assert judged(f"{beginning}，除非港口关闭", f'用户消息：\n- "{beginning}"')[1].outcome == "weakened"


def test_the_number_of_an_item_and_the_zeros_of_a_name_are_no_values() -> None:
    for text in ("3)all", "Two boats:\n2)both", "Put it into 00-chart."):
        assert not values_of(text)
    assert [value.text for value in values_of("Wait (at most 3) days of the 30-day limit.")] == [
        "3",
        "30-day",
    ]


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("https://harbour.org/tide把这个项目用git保存", "https://harbour.org/tide"),
        ("打开http://localhost:8080这个页面", "http://localhost:8080"),
        ("看https://harbour.org/tide和https://harbour.org/tide", "https://harbour.org/tide"),
        ("【https://harbour.org/tide】“https://harbour.org/tide”", "https://harbour.org/tide"),
        ("https://harbour.org/v2版/文档.html", "https://harbour.org/v2版/文档.html"),
        ("https://harbour.org/README文档.md看", "https://harbour.org/README文档.md"),
        ("https://harbour.org/wiki/潮汐", "https://harbour.org/wiki/潮汐"),
    ],
)
def test_an_address_ends_before_words_of_a_script_without_spaces(text: str, address: str) -> None:
    assert {value.text for value in values_of(text) if value.form == "url"} == {address}


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("prüfe den HafenprüfenC:\\hafen\\karte.md", ["karte.md"]),
        ("teste den Hafen überpierC:\\hafen", []),
        ("prüfe/srv/karte.md", []),
        ("每0。2秒一次", ["0。2秒"]),
        ("streiche beheizte/ unbeheizte Stege", []),
        ("Toggle/ Switch", []),
        ("charts/", ["charts/"]),
        ("move it into charts/ today", ["charts/"]),
        ("keep the charts/ folder, `tides/` and north-pier/", ["charts/", "tides/", "north-pier/"]),
        ("船6kg×12，20kg×10×3", ["6kg", "12", "20kg", "10", "3"]),
    ],
)
def test_a_value_next_to_letters_or_chinese_marks(text: str, values: list[str]) -> None:
    assert [value.text for value in values_of(text)] == values


@pytest.mark.parametrize(
    ("summary", "is_kept"),
    [
        ("- The chart is `/srv/tides/charts/TIDE.md`.", False),
        ("- TIDE.md is ready.\n- The chart is `/srv/tides/charts/TIDE.md`.", False),
        ("- The chart is `~/charts/TIDE.md`.", False),
        ("- The chart is `~/tides/charts/TIDE.md`.", True),
        ("- The chart is `charts/TIDE.md`.", True),
        ("- The chart TIDE.md is ready.", True),
    ],
)
def test_a_path_in_another_folder_is_another_path(summary: str, is_kept: bool) -> None:
    for statement in ("/home/ada/tides/charts/TIDE.md", "The chart is /home/ada/tides/charts/TIDE.md"):
        assert judged(statement, summary)[1].alive == is_kept


@pytest.mark.parametrize(
    ("message", "values"),
    [
        (
            "1.charts/north/ is the place\n2.30 days is the window\n3.keep the pier open",
            {"charts/north/", "30 days"},
        ),
        ("2.30 days is the window\n3.keep the pier open", {"2.30 days", "3"}),
        ("1.5 GB for the charts\n2.5 GB for the tides\n3.5 GB for the piers", {"1.5 GB", "2.5 GB", "3.5 GB"}),
    ],
)
def test_the_number_of_an_item_is_no_part_of_its_value(message: str, values: set[str]) -> None:
    assert {value.text for fact in facts(message) for value in fact.values} == values


def test_a_placeholder_is_no_value() -> None:
    assert not values_of("YOUR_CRANE_API_KEY and https://github.REDACTED")


@pytest.mark.parametrize("end", ["below 20", "in table test", "in /var/db/a"])
@pytest.mark.parametrize("more", ["", " of the harbour gateway in the northern region of the bay"])
def test_a_statement_that_ends_within_a_word_is_not_there_word_for_word(end: str, more: str) -> None:
    rule = f"The retry queue{more} must always keep its open rows {end}"
    assert judged(f"{rule}.", f"## Rules\n- {rule}.")[1].outcome == "verbatim"
    assert judged(f"{rule}.", f"## Rules\n- {rule}0.")[1].outcome != "verbatim"


@pytest.mark.parametrize(
    ("rule", "other"),
    [
        ("Write all tests of the server in Go.", "Write all tests of the server in Python."),
        ("Vi must always open all files of the server.", "Emacs must always open all files of the server."),
    ],
)
@pytest.mark.parametrize("more", ["", " That is all there is to say about it."])
def test_a_statement_with_another_word_at_its_end_is_not_there_word_for_word(
    rule: str, other: str, more: str
) -> None:
    assert judged(rule, f"## Rules\n- {other}{more}")[1].outcome != "verbatim"


@pytest.mark.parametrize(
    ("statement", "summary"),
    [
        ("后台必须从Java8升级到Java17", "- Upgrade the backend from Java 8 to Java 17"),
        ("后台要使用Java 21开发", "- Build the backend in Java 17, later in 21"),
        ("船期表必须用utf8编码", "- The departures are encoded as UTF-8"),
        ("航标必须用k8s部署", "- The buoys are deployed on Kubernetes"),
        ("数据必须存PostgreSQL", "- The data is stored in Postgres"),
    ],
)
def test_a_name_in_another_form_is_not_lost_in_another_language(statement: str, summary: str) -> None:
    assert judged(statement, summary)[1].outcome == "uncertain"


def test_a_fallback_text_in_another_language_loses_a_statement_for_sure() -> None:
    statement = "用中文回答我的问题。"
    text = (
        "The summary is not available. The model did not answer, and forty of the earlier messages of this "
        "conversation were removed. Continue with the messages below, and ask the user for what is missing."
    )
    (fact,) = facts(statement)
    outcomes = [
        fate(fact, PassageIndex([ListText("summary", 0, role, text)]), 1).outcome
        for role in ("summary", "fallback")
    ]
    assert outcomes == ["uncertain", "lost"]


def test_the_numbers_of_an_enumeration_are_no_values_of_a_statement() -> None:
    statement = "instruction 1, moor the boats at 18:00, instruction 2, light the lamp of the pier"
    assert (
        judged(statement, "- Moor the boats at 18:00\n- Light the lamp of the pier")[1].outcome
        != "value lost"
    )


@pytest.mark.parametrize("headings", [("Decided", "Rejected"), ("Rejected", "Decided")])
def test_the_heading_above_a_sentence_decides_in_any_order(headings: tuple[str, str]) -> None:
    outcomes = {
        heading: judged(
            "Deploy the site with Docker.", f"## {heading}\n\n- We deploy the whole site with Docker."
        )[1].outcome
        for heading in headings
    }
    assert (side(outcomes["Decided"]), side(outcomes["Rejected"])) == ("kept", "contradicted")


@pytest.mark.parametrize(
    ("statement", "summary"),
    [
        (
            "The header should stick, the sidebar should scroll.",
            "- The header should scroll, the sidebar should stick",
        ),
        ("Keep the lock file in git.", "- Keep the lock file out of git"),
        ("Do not merge unless Mira approves.", "- Do not merge if Mira approves"),
        ("Show prices including tax.", "- Show prices excluding tax"),
        ("The pager must ring within 5 minutes.", "- The pager must ring after 5 minutes"),
        ("If the tide is low, close the gate.", "- If the tide is high, close the gate"),
        (
            "All pages need the banner except the start page.",
            "- All pages need the banner, also the start page",
        ),
        ("Merge the branch when CI is green.", "- Merge the branch although CI is red"),
        (
            "Take the price from the contract if there is one.",
            "- Take the price from the list even if there is a contract",
        ),
        ("价格含税显示。", "- 价格不含税显示"),
    ],
)
def test_another_side_place_or_condition_casts_doubt(statement: str, summary: str) -> None:
    assert judged(statement, summary)[1].outcome == "uncertain"
