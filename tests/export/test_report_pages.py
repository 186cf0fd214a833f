"""The report of every bundled conversation: complete, balanced, harmless, with every loss."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from inspector.answers.answers import Answers
from inspector.answers.facts import Wanted, follow_facts
from inspector.commands.sources import open_source
from inspector.core.places import Place
from inspector.core.text import safe
from inspector.engines.settings import SETTINGS
from inspector.export.facts import fact_documents
from inspector.export.report.charting import course_chart
from inspector.export.report.parts import EVENTS
from inspector.export.report.rendering import POLICY, html_templates, render, report_document
from inspector.export.report.values import FactGroup, Fall, Report, TokenCourse
from inspector.export.report.wording import cut, fact_notes
from inspector.quality.aftermath import AftermathEvent
from inspector.quality.catalogue import advice_of
from inspector.quality.grouping import grouped
from tests.export.pages import Element, assert_harmless, parsed, shown, tokens

ROTATING = "Move checkout to orders-v2"
IN_PLACE = "Nightly orders import loses rows"
COMPACTED = [ROTATING, IN_PLACE, "Search cluster to OpenSearch 2.19.1", "小程序首页改版"]
OTHERS = ["Check the load test scripts", "Plan the offsite in Ghent"]
MakeReport = Callable[[str], Report]


def lost_texts(report: Report) -> dict[int, list[str]]:
    """Return the facts of each compaction that were lost there, and facts of earlier summaries that ended there."""

    def texts(groups: tuple[FactGroup, ...]) -> list[str]:
        assert all(group.more == 0 for group in groups), "the bundled ones are short"
        return [" ".join(safe(cut(line.text)).split()) for group in groups for line in group.lines]

    return {
        part.recorded.index: texts(part.facts.lost) + texts(part.facts.died) for part in report.compactions
    }


def facts_lost(name: str) -> set[tuple[int, str]]:
    """Return the losses by the command facts: (compaction, text)."""
    answers = Answers(open_source(None, True), {}, None)
    found = fact_documents(follow_facts(answers, name, Wanted(fates=("lost", "value lost"))))
    return {(entry["compaction"], " ".join(safe(cut(entry["text"])).split())) for entry in found}


def folded(element: Element) -> str:
    return " ".join(element.text.split())


@pytest.mark.parametrize("name", COMPACTED + OTHERS)
def test_a_page_is_balanced_harmless_and_closed(report_of: MakeReport, name: str) -> None:
    html = render(report_of(name), "html")
    page = parsed(html)
    assert_harmless(page)
    (policy,) = [m for m in page.all("meta") if m.attributes.get("http-equiv") == "Content-Security-Policy"]
    assert policy.attributes["content"] == POLICY
    assert "default-src 'none'" in POLICY
    assert "script-src" not in POLICY
    (style,) = page.all("style")
    assert "url(" not in style.text
    assert "@import" not in style.text


@pytest.mark.parametrize("name", COMPACTED)
def test_every_compaction_and_every_lost_fact_is_shown(report_of: MakeReport, name: str) -> None:
    report = report_of(name)
    page = parsed(render(report, "html"))
    document = " ".join(shown(tokens(render(report, "markdown"))).split())
    lost = lost_texts(report)
    assert list(lost) == list(range(1, len(report.generations)))
    in_report = {(compaction, text) for compaction, texts in lost.items() for text in texts}
    assert facts_lost(name)
    assert {text for _, text in facts_lost(name)} <= {text for _, text in in_report}
    for compaction, texts in lost.items():
        section = folded(page.by_id(f"compaction-{compaction}"))
        for text in texts:
            assert text in section
            assert text in document


@pytest.mark.parametrize("name", COMPACTED)
def test_a_report_has_recorded_and_planned_values_and_summaries(report_of: MakeReport, name: str) -> None:
    report = report_of(name)
    page = parsed(render(report, "html"))
    document = shown(tokens(render(report, "markdown")))
    for part in report.compactions:
        recorded = part.recorded
        section = folded(page.by_id(f"compaction-{recorded.index}"))
        boundaries = f"Recorded head_end {recorded.head_end}, tail_start {recorded.tail_start}"
        sizes = f"~{recorded.tokens_before:,} → ~{recorded.tokens_after:,} tokens"
        for line in (boundaries, sizes):
            assert line in section
            assert line in document
        assert ("No summary was made" in section) == recorded.fallback
        assert " ".join(safe(recorded.summary or "").split()) in section
        assert safe(recorded.summary or "") in document
        for group in grouped(part.judged.findings):
            assert " ".join(safe(group.text).split()) in section
            assert advice_of(group.first) in section


@pytest.mark.parametrize("name", COMPACTED + OTHERS)
def test_pictures_have_titles_and_text_alternatives(report_of: MakeReport, name: str) -> None:
    page = parsed(render(report_of(name), "html"))
    pictures = [svg for svg in page.all("svg") if svg.attributes.get("aria-hidden") != "true"]
    assert pictures
    for svg in pictures:
        # An image has no links that a screen reader could follow.
        assert svg.attributes["role"] == ("group" if list(svg.all("a")) else "img")
        title, description = (svg.attributes["aria-labelledby"] or "").split()
        assert page.by_id(title).name == "title"
        assert page.by_id(title).text
        assert page.by_id(description).name == "desc"
        assert page.by_id(description).text.endswith(".")


def test_the_token_graph(report_of: MakeReport) -> None:
    report = report_of(ROTATING)
    graph = next(
        svg
        for svg in parsed(render(report, "html")).all("svg")
        if "token-graph" in (svg.attributes["class"] or "")
    )
    course = report.course
    description = next(graph.all("desc")).text
    for name, mark in (
        ("threshold", report.budgets.threshold_tokens),
        ("hygiene", report.budgets.hygiene_tokens),
        ("context", report.settings.settings.context_length),
    ):
        assert mark > 0
        assert f"{name} {mark:,}" in description
        lines = [line for line in graph.all("line") if line.attributes.get("class") == name]
        labels = [label.text for label in graph.all("text")]
        assert bool(lines) == (f"{name} {mark:,}" in labels)
    # A compaction is a drop between two lines, and its mark links to its section.
    assert len(course.falls) > 1
    assert len(list(graph.all("polyline"))) == len(course.falls) + 1
    assert [link.attributes["href"] for link in graph.all("a")] == [
        f"#compaction-{fall.compaction}" for fall in course.falls
    ]
    ends = [(line.attributes["points"] or "").split() for line in graph.all("polyline")]
    for (*_, last), (first, *_) in pairwise(ends):
        (x, high), (same, low) = (tuple(map(float, point.split(","))) for point in (last, first))
        assert x == same
        assert low > high
    # The page has a style already; a second style would change the rest of the page.
    assert not list(graph.all("style"))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.lists(st.integers(0, 300_000), max_size=3_000),
    st.lists(st.tuples(st.integers(0, 3_000), st.integers(0, 300_000), st.booleans()), max_size=40),
    st.integers(0, 400_000),
)
def test_the_token_graph_is_always_well_formed(
    report_of: MakeReport, recorded: list[int], falls: list[tuple[int, int, bool]], threshold: int
) -> None:
    compactions = tuple(
        Fall(at, min(step, len(recorded)), before, before // 2, fallback)
        for at, (step, before, fallback) in enumerate(sorted(falls), 1)
    )
    report = report_of(ROTATING)
    budgets = replace(report.budgets, threshold_tokens=threshold, hygiene_tokens=2 * threshold)
    chart = course_chart(replace(report, course=TokenCourse(tuple(recorded), compactions), budgets=budgets))
    root = parsed(str(html_templates().get_template("charts.html.j2").module.course(chart)))  # type: ignore[attr-defined]
    (picture,) = root.all("svg")
    width, height = map(float, (picture.attributes["viewbox"] or "").split()[2:])
    for line in root.all("polyline"):
        for point in (line.attributes["points"] or "").split():
            x, y = map(float, point.split(","))
            assert 0 <= x <= width
            assert 0 <= y <= height


def test_the_token_graph_of_a_long_course_shows_every_drop(report_of: MakeReport) -> None:
    tokens = tuple(min(step % 5_000, 4_000) * 20 for step in range(20_000))
    chart = course_chart(replace(report_of(ROTATING), course=TokenCourse(tokens, ())))
    ((line, _),) = chart["stretches"]
    heights = [float(point.split(",")[1]) for point in line.split()]
    assert len(heights) < 1_000
    assert sum(low - high > 100 for high, low in pairwise(heights)) == 3


def test_the_outline(report_of: MakeReport) -> None:
    page = parsed(render(report_of(ROTATING), "html"))
    again = "What was done again afterwards"
    outline = [one.text for one in page.all() if one.name in ("h1", "h2", "h3")]
    assert outline == [
        ROTATING, "At a glance", "The course of the conversation", "What survives",
        "Compaction 1", "What was lost", again,
        "Compaction 2", "Findings", "What was lost", "What earlier summaries still had", again,
        "Compaction 3", "Findings", "What was lost", again,
        "Compaction 4", "Findings", "What was lost", "What earlier summaries still had", again,
        "How the summaries drifted", "Says something else", "Stale: still listed as open",
        "What it cost", "At risk now", "4 constraints", "1 preference", "1 decision", "4 values",
        "Findings about the whole conversation", "Settings in force", "Threshold: 64,000 tokens",
        "Tail budget: 12,800 tokens", "Largest summary: 6,400 tokens", "Hygiene: 108,800 tokens",
    ]  # fmt: skip


def test_repeated_work_is_below_the_losses(report_of: MakeReport) -> None:
    report = report_of(ROTATING)
    again = AftermathEvent(
        1, "said again", Place(2, 40, 140), Place(1, 12, 12), "Why feet again?", 20, "Use metres.", "constraint",
        "lost", model="mine",
    )  # fmt: skip
    first = replace(report.compactions[0], aftermath=(again,) * (EVENTS + 2))
    report = replace(report, compactions=(first, *report.compactions[1:]))
    for text in (parsed(render(report, "html")).by_id("compaction-1").text, render(report, "markdown")):
        words = " ".join(text.replace("\\", "").split())
        assert f"{EVENTS + 2} statements repeated" in words
        assert words.count("Why feet again?") == EVENTS
        where = "#40 of generation 2, earlier at #12 of generation 1, ~20 tokens, found by model mine"
        assert where in words
        assert "lost: Use metres." in words
        assert "and 2 more (the aftermath command lists all)" in words
    assert report_document(report)["compactions"][0]["aftermath"][0]["fact"] == "Use metres."
    unknown = replace(first, aftermath=(), facts=replace(first.facts, lacks="a part is missing"))
    for part, words in (
        (replace(first, aftermath=()), "No repeated work is recognized."),
        (unknown, "More may have been done again: a part is missing."),
    ):
        page = parsed(render(replace(report, compactions=(part,)), "html")).by_id("compaction-1").text
        assert words in page


def test_both_forms_have_the_same_parts(report_of: MakeReport) -> None:
    for name in COMPACTED + OTHERS:
        report = report_of(name)
        page = parsed(render(report, "html"))
        found = tokens(render(report, "markdown"))
        headings = [
            found[at + 1].content
            for at, token in enumerate(found)
            if token.type == "heading_open" and token.tag == "h2"
        ]  # fmt: skip
        assert headings == [one.text for one in page.all("h2")]


def test_the_head_names_all_sources(report_of: MakeReport) -> None:
    report = report_of(ROTATING)
    page = parsed(render(report, "html"))
    head = next(page.all("header")).text
    for source in (ROTATING, "openai/gpt-4o", "128,000", "hermes-0.13", report.profile_reason):
        assert source in head
    in_force = page.by_id("settings").text
    for name, source in report.settings.sources.items():
        assert name == "profile" or SETTINGS[name].label in in_force
        assert name == "profile" or source in in_force
    for steps in report.budgets.steps.values():
        assert all(step.why in in_force for step in steps)


def test_a_users_constraints_come_first(report_of: MakeReport) -> None:
    for part in report_of(ROTATING).compactions:
        for groups in (part.facts.lost, part.facts.died, part.facts.kept):
            kinds = [group.kind for group in groups]
            assert kinds == sorted(
                kinds, key=["constraint", "preference", "decision", "value", "statement"].index
            )
            for group in groups:
                others = [line.role != "user" for line in group.lines]
                assert others == sorted(others)
    assert report_of(ROTATING).compactions[1].facts.lost[0].kind == "constraint"


def test_a_fact_that_ended_was_in_an_earlier_list(report_of: MakeReport) -> None:
    second = report_of(ROTATING).compactions[1].facts
    assert [line.text for line in second.died[0].lines] == [
        "Retries: at most 3, with 200 ms, 400 ms and 800 ms, and only on 502, 503 and 504.",
        "Keep stripe-node pinned to 14.21.0.",
        "The error page should look like this sketch.",
    ]
    # The third summary has them again. A list that never had them does not report their end.
    assert all(
        "Gone after compaction 2." not in fact_notes(line) for group in second.died for line in group.lines
    )


def test_reworded_items_show_their_words(report_of: MakeReport) -> None:
    page = parsed(render(report_of(ROTATING), "html"))
    changes = [
        li for li in page.all("li") if li.attributes.get("class") == "reworded" and list(li.all("del"))
    ]
    assert changes
    for li in changes:
        assert "reworded: " in li.text
    document = render(report_of(ROTATING), "markdown")
    assert "[-" in document
    assert "{+" in document


def test_a_conversation_without_compactions(report_of: MakeReport) -> None:
    report = report_of("Check the load test scripts")
    page = parsed(render(report, "html"))
    assert "never compacted" in page.by_id("glance").text
    assert not [
        one for one in page.all("section") if (one.attributes.get("id") or "").startswith("compaction")
    ]
    assert "would change nothing now" in page.by_id("risk").text
    assert "- Compactions: 0, never compacted" in render(report, "markdown")


def test_costs_are_shown_with_their_causes_and_bills(report_of: MakeReport) -> None:
    report = report_of(ROTATING)
    page = parsed(render(report, "html"))
    section = page.by_id("costs")
    text, document = " ".join(section.text.split()), render(report, "markdown")
    assert report.costs.is_estimated
    for output in (text, document):
        assert "47 requests sent" in output
        assert "so the requests are estimated from the messages" in output
        assert "expired in a pause (ttl)" in output
    causes = {entry.cause: entry.misses for entry in report.costs.by_cause()}
    assert causes["compaction"] == len(report.compactions)
    bill = "Cost: unknown: the summary call failed, and its cost is not recorded"
    assert bill in page.by_id("compaction-2").text
    assert bill in document
    unpriced = tuple(entry._replace(cost=None, rates=None) for entry in report.costs.priced)
    blank = replace(report.costs, priced=unpriced)
    (why,) = blank.why_no_cost
    assert f"What they cost is not known: {why}." in render(replace(report, costs=blank), "html")
