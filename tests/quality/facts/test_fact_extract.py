"""What one message says: values, clauses, what is prose, who says it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.answers.kept_facts import packed, unpacked
from inspector.core.messages import Message
from inspector.core.scan.exact import plain_number
from inspector.core.text import safe
from inspector.engines.hygiene import TODO_START
from inspector.quality.facts.exact_values import names_in, values_of
from inspector.quality.facts.fact import MessageFacts
from inspector.quality.facts.reading.extract import COMMAND, extract, facts_of
from inspector.quality.facts.reading.sentences import LONGEST
from tests.counting import lines_run
from tests.quality.facts.made_facts import RULES, said
from tests.quality.facts.test_fact_rules import EXAMPLES

VALUES = [
    ("see https://example.net.de/a?b=1.", "url", "https://example.net.de/a?b=1"),
    ("id 123e4567-e89b-12d3-a456-426614174000", "uuid", "123e4567-e89b-12d3-a456-426614174000"),
    ("commit 3f2a9bc1", "digest", "3f2a9bc1"),
    ("colour #C8102E", "colour", "#c8102e"),
    ("into #data-night", "channel", "#data-night"),
    ("on 2026-03-12", "date", "2026-03-12"),
    ("on 12 March 2026", "date", "2026-03-12"),
    ("on March 12", "date", "--03-12"),
    ("到 4 月 15 日为止", "date", "--04-15"),
    ("2026 年 4 月 5 日", "date", "2026-04-05"),
    ("host 10.0.0.7:5432", "address", "10.0.0.7:5432"),
    ("at least 4.5 : 1", "ratio", "4.5 : 1"),
    ("before 04:30", "time", "04:30"),
    ("in deploy/env/site60.yaml; keep", "path", "deploy/env/site60.yaml"),
    ("see services/checkout/client.py:14", "path", "services/checkout/client.py:14"),
    ("under vendor/pkg396/.", "path", "vendor/pkg396"),
    ("不要改动 pages/pay 目录", "path", "pages/pay"),
    ("keep it in docs/guide", "path", "docs/guide"),
    ("in pricing.py", "file", "pricing.py"),
    ("ticket SEC-2516", "ticket", "sec-2516"),
    ("set MAX_RETRIES=5", "setting", "max_retries=5"),
    ("with --dry-run", "option", "--dry-run"),
    ("pinned to 14.21.0.", "version", "14.21.0"),
    ("node search-5", "name", "search-5"),
    ("放到 packageB。", "identifier", "packageb"),
    ("passes 0.5 %", "percent", "0.5"),
    ("of 2,500 rows", "quantity", "2500"),
    ("two nights", "quantity", "2"),
    ("€20 a head", "quantity", "20"),
    ("缓存 300 秒", "quantity", "300"),
    ("port 8443", "number", "8443"),
]  # fmt: skip
#: Texts that hold none of the values that they look like.
NO_VALUES = [
    "swipe left/right",
    "tools (create/delete)",
    "and/or",
    "the I/O of it",
    "UTF-8 text",
    "s/old/new/g",
    "it's e.g. so",
    "http://user@host",
    "n/a",
]


@pytest.mark.parametrize(("text", "form", "canon"), VALUES)
def test_a_value_is_found_whole(text: str, form: str, canon: str) -> None:
    found = values_of(text, RULES)
    assert (form, canon) in [(value.form, value.canon) for value in found]
    assert all(text[slice(*value.span)] == value.text for value in found)


@pytest.mark.parametrize("text", NO_VALUES)
def test_what_looks_like_a_value_is_none(text: str) -> None:
    assert values_of(text, RULES) == ()
    assert names_in(text, RULES, 9) == []


@pytest.mark.parametrize(
    ("digits", "number"),
    [
        ("2,500", "2500"),
        ("1,234,567", "1234567"),
        ("1,5", "1.5"),
        ("0.50", "0.5"),
        ("007", "7"),
        ("0", "0"),
        ("300", "300"),
    ],
)
def test_numbers_are_compared_without_their_separators(digits: str, number: str) -> None:
    assert plain_number(digits) == number


def test_units_of_two_languages_are_one() -> None:
    (english,) = values_of("300 seconds", RULES)
    (chinese,) = values_of("300 秒", RULES)
    assert (english.canon, english.unit) == (chinese.canon, chinese.unit) == ("300", "s")


def test_a_sentence_of_several_clauses() -> None:
    found = said("Use pgbouncer in transaction mode, pool_size 6 per pod, and show me 300 requests a second.")
    assert [(one.kind, one.text) for one in found] == [
        ("decision", "Use pgbouncer in transaction mode"),
        ("value", "pool_size 6 per pod"),
        ("decision", "show me 300 requests a second."),
    ]


def test_clauses_that_say_nothing_alone_stay_together() -> None:
    (one,) = said("Retries: at most 3, with 200 ms, 400 ms and 800 ms, and only on 502, 503 and 504.")
    assert [value.text for value in one.values] == ["3", "200 ms", "400 ms", "800 ms", "502", "503", "504"]


def test_code_logs_and_tables_say_nothing() -> None:
    text = (
        "Look:\n```python\nnever = 'do not touch vendor/x/'\n```\n"
        "| a | must | b |\n│ Never do it │ must │\n$ rm -rf must/never/do\nTraceback (most recent call last):\n"
        '    return "must never"  # always\n{"must": "never"}\n'
    )
    assert said(text) == ()


def test_a_pasted_text_is_marked_and_only_its_rules_count() -> None:
    text = "<report>\nCommands must be quoted.\nThe form of the page I saw must be wrong.\n</report>\nNever do this."
    found = said(text)
    assert [(one.text, one.pasted) for one in found] == [
        ("Commands must be quoted.", True),
        ("Never do this.", False),
    ]
    assert [one.pasted for one in said("> Never do this.")] == [True]


def test_a_question_is_marked() -> None:
    assert [one.asked for one in said("Must the port stay 8443?")] == [True]


def test_a_mark_in_capitals_is_no_part_of_what_is_said() -> None:
    assert [one.text for one in said("NOTE Keep the alias.")] == ["Keep the alias."]
    assert [one.text for one in said("- Keep the alias.")] == ["Keep the alias."]


def test_emphasis_belongs_to_what_is_said() -> None:
    assert [one.text for one in said("- **Never** push to main.")] == ["**Never** push to main."]
    assert [one.text for one in said("**IMPORTANT:** keep the alias.")] == ["keep the alias."]


def test_what_a_program_put_behind_the_words_of_the_user_is_not_the_users() -> None:
    note = "If you need specific details from before exiting plan mode, read the transcript at: /tmp/7.jsonl"
    assert [one.text for one in said(f"Keep the alias.\n\n{note}")] == ["Keep the alias."]


def test_the_number_of_a_point_stays_as_it_is_how_people_speak_of_it() -> None:
    assert [one.text for one in said("3. Keep the alias.")] == ["3. Keep the alias."]
    assert [value.text for one in said("3. Keep port 8443.") for value in one.values] == ["8443"]


def test_the_number_of_a_point_is_no_value_of_the_agents() -> None:
    (one,) = said("3. The cause is that the pool holds 34 connections.", "assistant")
    assert [value.text for value in one.values] == ["34 connections"]


def test_a_count_with_a_fraction_is_the_number_of_something() -> None:
    assert [(v.form, v.unit) for v in values_of("test 7.2 tries it for 1.5 s", RULES)] == [
        ("number", ""),
        ("quantity", "s"),
    ]


def test_the_agent_thinking_aloud_says_nothing() -> None:
    for text in (
        "Maybe p99 is 322 ms.",
        "Is p99 322 ms?",
        "It reads 5 lines.",
    ):
        assert said(text, "assistant") == ()
    assert [one.kind for one in said("Under load p99 was 322 ms.", "assistant")] == ["value"]


def told_by_the_agent(text: str, calls: bool = False) -> list[str]:
    found = facts_of(text, "assistant", RULES, [("terminal", "{}")] if calls else [])
    return [one.text for one in found.statements]


def test_between_two_calls_only_sure_causes_that_name_something_count() -> None:
    cause = "The writer takes a different path than `flush()`."
    assert told_by_the_agent(cause) == told_by_the_agent(cause, calls=True) == [cause]
    assert told_by_the_agent("The writer takes a different path than that one.", calls=True) == []
    assert told_by_the_agent("The writer must hold the lock of `flush()`.", calls=True) == []
    assert told_by_the_agent("The query gave 0 rows.", calls=True) == []


def test_a_guess_between_two_calls_is_told_as_one() -> None:
    guess = "The issue is likely that `start` comes behind `end`."
    assert told_by_the_agent(guess, calls=True) == [guess]
    assert told_by_the_agent("I'll check if the issue is that `start` comes behind `end`.", calls=True) == []


def test_a_long_answer_is_one_even_where_it_ends_with_a_call() -> None:
    rule = "The writer must hold the lock."
    assert told_by_the_agent(f"{rule} {'It is as it was. ' * 60}", calls=True) == [rule]


def test_of_what_the_agent_thinks_aloud_only_a_root_cause_of_its_own_counts() -> None:
    assert told_by_the_agent("THOUGHT: I looked. The issue is that `flush()` keeps the lock.") == [
        "The issue is that `flush()` keeps the lock."
    ]
    for text in (
        "This means the issue is that `flush()` waits.",
        "The writer takes a different path than `flush()`.",
    ):
        assert told_by_the_agent(f"THOUGHT: I looked. {text}") == []


def test_what_is_only_attached_says_nothing() -> None:
    assert [one.text for one in said("The panels of this morning are attached. The heap is too small.")] == [
        "The heap is too small."
    ]
    assert [one.text for one in said("Attached is the plan for 14 May.")] == [
        "Attached is the plan for 14 May."
    ]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("On the start page, add a bar with the newest entries.", "decision"),
        ("Then we switch the reader.", "decision"),
        ("I think we need to review the prompt again.", "decision"),
        ("Support says two customers saw another price.", "link"),
        ("The build is slow on the second machine.", "link"),
        ("现在做深色模式。", "decision"),
    ],
)
def test_a_sentence_counts_by_what_it_asks(text: str, kind: str) -> None:
    assert [one.kind for one in said(text)] == [kind]


def test_what_stands_between_the_agents_semicolons_is_a_fact_of_its_own() -> None:
    text = "p99 touched 347 ms; the quote took a lock that it does not need; all fine."
    assert told_by_the_agent(text) == ["p99 touched 347 ms", "the quote took a lock that it does not need"]


def test_the_points_of_an_answer_that_asks_are_choices_not_facts() -> None:
    text = "The importer doesn't retry.\n\n1. **Retry** it never did before.\n2. **Skip** what is broken, but log it."
    assert told_by_the_agent(f"{text}\n\nWhich one do you want?") == []
    assert told_by_the_agent(f"{text}\n\nI take `2`.")[0] == "**Retry** it never did before."


def test_who_begins_with_a_small_letter_begins_sentences_with_one() -> None:
    small = "keep the old name. never rename it. the shop reads e.g. the label... and the colour"
    assert [one.text for one in said(small)] == [
        "keep the old name.", "never rename it.", "the shop reads e.g. the label... and the colour",
    ]  # fmt: skip
    mixed = "Keep the old name. never rename it."
    assert [one.text for one in said(mixed)] == [mixed]


def test_a_log_without_brackets_is_nobodys_words() -> None:
    lines = (
        "shop-1  | E store.go:493 do not use the old index",
        "2026/03/12 05:40:11 store.go:493: never use the old index",
    )
    assert [one.text for one in said("\n".join((*lines, "never use the old index")))] == [
        "never use the old index"
    ]


def test_what_a_checker_printed_is_nobodys_words() -> None:
    text = (
        "The nightly checks fail again\n"
        "Error: app/cart.go:87:1: NewCart returns interface (shop.Cart) (strict)\n"
        "func NewCart() Cart {\n"
        "Error: app/order.go:61:1: NewOrder returns interface (shop.Order) (strict)\n"
        "2 issues:\n"
        "Ran the checker in 7564 ms\n\n"
        "Please fix both with one interface."
    )
    assert [one.text for one in said(text)] == [
        "The nightly checks fail again",
        "Please fix both with one interface.",
    ]


def test_what_a_browser_printed_is_nobodys_words_and_what_is_said_before_it_is() -> None:
    pasted = (
        "The chart page is blank since the upgrade.\n"
        "Uncaught TypeError: series must be an array.\n"
        "    at drawSeries (chart-8f2.js:120:11)\n"
        "    at http://localhost:8080/chart-8f2.js:9:1\n"
        "\n"
        "Always wrap the chart in a boundary of its own.\n"
        "reportError @ chart-8f2.js:310\n"
        "\n"
        "Please keep the old colours."
    )
    texts = [one.text for one in said(pasted)]
    assert "The chart page is blank since the upgrade." in texts
    assert "Please keep the old colours." in texts
    assert not any("boundary" in text or "reportError" in text for text in texts)


def test_what_a_terminal_or_a_program_shows_is_nobodys_words() -> None:
    pasted = "\n".join(
        [
            "The shop fails at the start.", "Last login: Mon Mar 2 09:12:44 on ttys003", "kim@Studio shop % make serve",
            "status: 401,", "'code': 'E12',", "fields shelf = fields.Boolean(",
            'STORE = read_env("STORE", "sqlite:///data/shop.db")', "async def open_the_shop(",
            "Shelf.create_all(engine)",
            '@router.message(Command("stock"))', "builder.button(", "kim@studio:~/shop$ ls -la the whole folder",
        ]
    )  # fmt: skip
    assert [one.text for one in said(pasted)] == ["The shop fails at the start."]


def test_behind_a_fence_that_never_closes_people_go_on() -> None:
    told = "Our brief:\n```\nNever print the pin of a locker.\nThe address of the server stands in `lockers.toml`."
    assert [one.text for one in said(told)] == [
        "Never print the pin of a locker.",
        "The address of the server stands in `lockers.toml`.",
    ]
    opened = f"{told}\n```python\nalways = Locker(7)\n```\nThe lockers of hall two stay shut on Sundays."
    assert [one.text for one in said(opened)][2:] == ["The lockers of hall two stay shut on Sundays."]
    closed = (
        "Look:\n```\nNever print the pin of a locker.\n```\nThe lockers of hall two stay shut on Sundays."
    )
    assert [one.text for one in said(closed)] == ["The lockers of hall two stay shut on Sundays."]


def test_a_fence_of_prose_around_a_prompt_is_no_code() -> None:
    prompt = (
        "Never print the pin of a locker.\n```\nlockers open --all the doors\n```\nEvery locker has a number."
    )
    assert [one.text for one in said(f"```markdown\n{prompt}\n```")] == [
        "Never print the pin of a locker.",
        "Every locker has a number.",
    ]
    example = "The page of a locker begins so, with what stands above it:\n\nOne.\n\nTwo.\n\n```markdown\n"
    assert not any(
        "Lockers" in one.text for one in said(f"{example}Lockers are for guests alone, never for boats.\n```")
    )


def test_numbers_that_count_in_a_line_end_no_sentence() -> None:
    (one,) = said(
        "I want every offer judged by the 1. price of it 2. Delivery time 3. Warranty, in that order."
    )
    assert one.text.endswith("in that order.")
    assert [one.text for one in said("The limit of a basket is 5. Never raise it.")] == [
        "The limit of a basket is 5.",
        "Never raise it.",
    ]


def test_a_shout_belongs_to_what_it_shouts_about() -> None:
    assert [one.text for one in said("Every parcel is weighed twice. NO EXCEPTIONS")] == [
        "Every parcel is weighed twice. NO EXCEPTIONS"
    ]


def test_what_a_package_manager_a_server_or_a_report_says_is_nobodys_words() -> None:
    shown = "\n".join(
        [
            "INFO: Harbour server started on the island.",
            "Processing triggers for libtide-bin (2.1-4) ...",
            "debconf: unable to initialize frontend: Dialog",
            "Try 'tide --help' for help.",
            "\u256d\u2500\u2500\u2500\u2500\u2500 Traceback of the tide command \u2500\u2500\u2500\u2500\u2500\u256e",
            "POST /harbours/7/boats 200 in 4.7s (compile: 20ms, render: 4.7s)",
            'Given value: "0.5" at toTide (https://tide.dev/deps/chunk.js:3736:15) at draw (https://tide.dev/a.tsx:52:32)',
            "⏺ I will now read the tide tables of the harbour",
            "(base) (tide) kim@studio:~/tide$ tide show all of the harbours",
        ]
    )
    assert not said(shown)
    report = (
        "Good morning to all harbours!\n👥Boats: 47\n🎯Nets: 12\n💰Price: EUR 4,10\nSee you at the next tide"
    )
    asked = "The price of a net is read from the wrong table of the harbour."
    assert [one.text for one in said(f"{report}\n\n{asked}")] == [asked]


def test_a_line_that_a_terminal_ended_goes_on_in_the_next() -> None:
    plan = [
        "The quay needs a new ladder for boats that come in at low tide, as wide as the",
        "  gate.",
        "",
        "  - Bolt it on where the old one was, and leave the old bolts, which are as good as",
        "    New ones would be.",
        "  - 潮が引いている間に作業を終えること、はしごは必ず二人で運ぶこと、夜は灯りを",
        "    つけること。",
        "  - Short.",
        "  - Another one.",
        "  The ladder is painted on Friday.",
        "  Nobody climbs it before.",
    ]
    texts = [" ".join(one.text.split()) for one in said("\n".join(plan))]
    assert "The quay needs a new ladder for boats that come in at low tide, as wide as the gate." in texts
    assert any(text.endswith("which are as good as New ones would be.") for text in texts)
    assert any("灯りを" in text and text.endswith("つけること。") for text in texts)
    # A line that had room for more words had an end of its own.
    assert "Nobody climbs it before." in texts


def test_what_was_copied_from_a_terminal_counts_by_its_rules_alone() -> None:
    asked = "The other agent says the following about the lock of the harbour office:"
    copied = [
        "  What I found about the lock",
        "",
        "  The lock of the harbour office belongs to the old door and was",
        "  never replaced. The clerk has the only key.",
        "",
        "  Never drill the lock of the harbour office.",
    ]
    texts = [one.text for one in said("\n".join([asked, *copied]))]
    assert not any("belongs" in text or "clerk" in text for text in texts)
    assert "Never drill the lock of the harbour office." in texts
    # Whoever hands on nothing else says it.
    texts = [one.text for one in said("\n".join(["The office is closed.", *copied]))]
    assert "The lock of the harbour office belongs to the old door and was never replaced." in texts
    assert "Never drill the lock of the harbour office." in texts
    # So does who begins with it and adds what else is to be done, and not who asks about it.
    for remark, is_said in (
        ("Also paint the old door of the office green.", True),
        ("What of this is still true?", False),
    ):
        texts = [one.text for one in said("\n".join([*copied, "", remark]))]
        assert any("belongs" in text for text in texts) is is_said
        assert remark in texts
    # So does who says what is to be done with an answer of the agent's; who asks about it does not.
    answer = ["⏺ What I found", *copied, "Tell the clerk first."]
    handed, shown = (
        [one.text for one in said("\n".join([lead, *answer]))]
        for lead in ("Do these\\", "Why do you say these?")
    )
    assert "The lock of the harbour office belongs to the old door and was never replaced." in handed
    assert not any("belongs" in text for text in shown)
    assert all("Tell the clerk first." in texts for texts in (handed, shown))
    # Points below a point are set in as well.
    painted = "Paint the back door in the green of the boats"
    points = f"Do these:\n- Doors of the office\n  - Oil the hinges of the front door\n  - {painted}"
    assert painted in [one.text for one in said(points)]


def test_what_says_hardly_a_word_is_nothing_to_keep() -> None:
    for brief in ("Boots clean.", "Clicks: 840\nThe rest is as before.", "The folder structure."):
        assert not said(brief), brief
    assert [one.text for one in said("1. tide table\n2. harbour fees\nThe rest is as before.")] == [
        "1. tide table",
        "2. harbour fees",
    ]
    assert [one.text for one in said("Budget: $4,500.\nThe rest is as before.")] == ["Budget: $4,500."]


def test_a_line_that_stands_over_a_list_names_it() -> None:
    (one,) = said(
        "Harbour office decided\n\n- Boats are hauled out with the crane of the yard, in spring only."
    )
    assert one.text.startswith("Boats")


@pytest.mark.parametrize(
    "shown",
    [
        "zsh: command not found: render('shelf')\nrender('shelf') of the shop",
        "node: -e requires an argument\nthe argument of the call",
        "/home/kim/.zshrc:.:6: no such file or directory: /home/kim/.local/bin/env",
        "=== NAME TestShelfIsFull\nthe shelf is full of boxes",
        "shelf.ts:434\nPOST https://shop.example.org/upload 415 (Unsupported Media Type)\neval\t@\tshelf.ts:402",
        "error\n16:41:02.931763-0800\nshopd\nunexpected absence of the shelf in the shop",
    ],
)
def test_a_block_of_what_programs_print_is_nobodys_words(shown: str) -> None:
    told = [
        one.text for one in said(f"The shelf stays empty since noon.\n\n{shown}\n\nPlease keep the boxes.")
    ]
    assert told == ["The shelf stays empty since noon.", "Please keep the boxes."]


def test_what_a_person_says_of_programs_is_theirs() -> None:
    for text in (
        "Rule: never say not found.",
        "In node: keep the old argument.",
        "make: use the second target",
    ):
        assert said(text), text


@pytest.mark.parametrize(
    "heading", ["Step 4: Add Your First Boat (Harbor View)", "Medium Severity", "1) HOUSE RULES"]
)
def test_the_name_of_a_section_is_no_fact(heading: str) -> None:
    assert [one.text for one in said(f"{heading}\n\nThe boat needs a name.")] == ["The boat needs a name."]


@pytest.mark.parametrize(("lead", "rule"), [
    ("We don't need the following boats:", "en.do-not"), ("Also, we need to remove the related:", "en.request"),
])  # fmt: skip
def test_names_below_a_sentence_are_said_with_it(lead: str, rule: str) -> None:
    for text in (
        f"{lead}\n- cranes\n- quay walls\n\nThanks.",
        f"{lead}\\\n\\\n- cranes\\\n- quay walls\\\n\\\nThanks.",
    ):
        (found,) = said(text)
        assert (found.text, found.rule) == (f"{lead} - cranes - quay walls", rule)
    # What the points say themselves is theirs.
    points = "- the login page must keep its old layout\n- the list of boats must stay sorted"
    assert [one.text for one in said(f"{lead}\n{points}")] == [
        "the login page must keep its old layout", "the list of boats must stay sorted",
    ]  # fmt: skip
    assert not said("Here are the boats:\n- cranes\n- quay walls")
    (long,) = said(f"{lead}\n" + "- cranes\n" * 500)
    assert long.text.startswith(f"{lead} - cranes - cranes")
    assert long.text.endswith("- cranes")
    assert len(long.text) <= 420


def test_what_stands_behind_the_end_of_pasted_code_is_said() -> None:
    code = (
        "    const boats = await count(harbour);\n    return boats.map((boat) => {\n      paint(boat);\n    "
    )
    asked = "is the await of the count needed there?"
    text = f"{code}}}); {asked}"
    (found,) = said(text)
    assert (found.text, text[slice(*found.span)]) == (asked, asked)
    for line in ("} else if (boats) {", "}); // count the boats of the harbour = 3", "} from the harbour;"):
        assert not said(f"{code}{line}"), line


def test_fields_of_a_schema_are_no_facts() -> None:
    wish = "Count the boats of the harbour at night."
    fields = "current_harbour_id\nstring <date-time>\nharbour_status\nstring (Harbour.Status)"
    assert [one.text for one in said(f"{wish}\n{fields}")] == [wish]


def test_what_joins_to_the_sentence_before_gives_nothing_away() -> None:
    assert told_by_the_agent("But the list of `drain()` shows the boats of last week.") == []
    told = "The list of `drain()` is long, but `paint()` shows the boats of last week."
    assert told_by_the_agent(told) == [told]


def test_short_words_between_empty_lines_are_a_heading() -> None:
    wish = "Count the boats of the harbour at night."
    assert [one.text for one in said(f"{wish}\n\nUse Cases\n\n{wish}")] == [wish] * 2
    assert "Use Cases" in [one.text for one in said(f"{wish}\nUse Cases\n\n{wish}")]


def test_a_rule_that_looks_like_a_heading_is_one() -> None:
    for rule in ("DO NOT TOUCH THE ANCHOR", "Use Polars with Airflow"):
        told = [one.text for one in said(f"The job is slow today.\n{rule}\nThe boat needs a name.")]
        assert rule in told
    assert said("Use Polars with Airflow")


@pytest.mark.parametrize("lead", ["Every query MUST:", "HOUSE RULES OF THE SHOP:", "**Key mappings:**"])
def test_what_only_leads_over_to_a_list_is_no_fact(lead: str) -> None:
    assert [one.text for one in said(f"{lead}\n- name the shelf of each box")] == [
        "name the shelf of each box"
    ]


def test_a_choice_is_told_with_what_stands_behind_its_colon() -> None:
    answer = (
        "Here are my answers to all that you asked about the mail of the shop and its members.\n"
        "- Use option (A): the mail setup of the shop (Postbox).\n"
        "- Use option (B)\n"
    )
    told = [one.text for one in said(answer)]
    assert "Use option (A): the mail setup of the shop (Postbox)." in told
    assert not any(text.endswith("(B)") for text in told)


def test_what_the_agent_ticks_off_is_no_fact() -> None:
    assert not said("✅ Added `SHELF_KEY` to all 3 projects", "assistant")
    assert said("Added `SHELF_KEY` to all 3 projects", "assistant")


@pytest.mark.parametrize(
    "step",
    [
        "Now update `addShelf` so that it doesn't take the old key.",
        "Good, `shelf.keys` is already imported.",
        "**Merged by**: kim in `north`",
        "**Found the root cause!**",
    ],
)
def test_the_next_step_of_the_agent_is_no_fact(step: str) -> None:
    assert not said(step, "assistant")


def test_what_the_agent_now_found_is_one() -> None:
    assert said("Now `addShelf` doesn't take the old key.", "assistant")
    assert said("Root cause: the shelf took the old key.", "assistant")


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("show me where the shelf is counted", "en.question"),
        ("ok can you explain how boxes are sorted", "en.question"),
        ("don't understand the sorting of boxes", "en.question"),
        ("show the shelf in the list of boxes", "en.request"),
        ("can you add a shelf for large boxes?", "en.request"),
        ("tell me every hour how many boxes are left", "en.answer-style"),
        ("做完给我看体积。", "zh.request"),
    ],
)
def test_what_only_asks_to_be_told_is_a_question(text: str, rule: str) -> None:
    assert [one.rule for one in said(text)] == [rule]


def test_of_the_text_of_a_command_the_rules_count() -> None:
    text = (
        "# The plan\n\nRead the plan first, it names all boxes.\n- do not tick off a box that nobody opened."
    )
    (rule,) = said(text, COMMAND)
    assert (rule.text, rule.voice, rule.pasted) == ("do not tick off a box that nobody opened.", "user", True)


def test_what_another_agent_hands_on_is_said_to_the_agent() -> None:
    brief = (
        '<teammate-message teammate_id="team-lead" summary="Parser">\n'
        "Add a function `parse_date` to the `dates` package.\n"
        "</teammate-message>\n"
        "And keep <b>the old one</b> for now."
    )
    told = said(brief)
    assert [one.text for one in told] == [
        "Add a function `parse_date` to the `dates` package.",
        "And keep <b>the old one</b> for now.",
    ]
    assert not any(one.pasted for one in told)


def test_what_somebody_says_at_length_is_read_to_its_end() -> None:
    wishes = ", ".join(f"shelf number {number} gets the colour {number + 30}" for number in range(30))
    told = said(f"Please paint the warehouse so that {wishes}.")
    assert all(len(one.text) <= LONGEST for one in told)
    assert told[-1].text.endswith("shelf number 29 gets the colour 59.")
    whole = " ".join(one.text for one in told)
    assert all(f"shelf number {number} gets the colour {number + 30}" in whole for number in range(30))


def test_data_in_one_line_is_not_read_for_ever() -> None:
    assert len(said("the shelf holds a box, " * 2_000)) <= 8


def test_a_rule_of_a_quoted_letter_is_read_to_its_end() -> None:
    letter = (
        "They wrote:\n\n> Never publish the complete list of our hosts anywhere\n"
        "> before the end of Friday, as was agreed with the providers."
    )
    rule = next(one for one in said(letter) if one.kind == "constraint")
    assert rule.text.startswith(
        "Never publish the complete list of our hosts anywhere before the end of Friday,"
    )
    assert rule.pasted


def test_what_a_program_says_behind_its_notice_is_not_the_users() -> None:
    notice = (
        "<task-notification>\n<status>failed</status>\n</task-notification>\n"
        "Read the output file to retrieve the result: /tmp/tasks/b1.output"
    )
    assert not said(notice)


@pytest.mark.parametrize(
    "begun", ["Operation stopped by hook:", "UserPromptSubmit operation blocked by hook:"]
)
def test_what_a_hook_says_is_not_the_users(begun: str) -> None:
    notice = "Another session is open. Never commit from both of them; to go on, leave the other one first."
    assert said(notice)
    assert not said(f"{begun} {notice}")


def test_lines_of_a_pasted_diff_are_code_without_a_fence_too() -> None:
    diff = (
        "+\t// Keep the list of boats that were counted on other days\n"
        "-        // The harbour master must never see this list of boats\n"
        "+\treturn quay.CountedBoats(harbour)"
    )
    asked = "isn't this counting the boats of the harbour twice?"
    assert [one.text for one in said(f"{diff}\n\n{asked}")] == [asked]


def test_commands_that_a_user_gives_in_a_shells_fence_are_facts() -> None:
    text = (
        "## Verification\n\n```bash\n# before every commit\nmake boats && make quay  # both\n\n"
        "LAMP=dark ./count.sh --boats all\n```\nPaint the quay of the harbour then."
    )
    found = [one for one in said(text) if one.rule == "any.command"]
    assert [one.text for one in found] == ["make boats && make quay", "LAMP=dark ./count.sh --boats all"]
    assert all(one.text == text[slice(*one.span)] and one.kind == "value" for one in found)
    assert not any(one.rule == "any.command" for one in said(text, "assistant"))


@pytest.mark.parametrize(
    "fence",
    [
        "```\nmake boats\n```",
        "```python\nboats = count()\n```",
        # What a shell printed, a script.
        "```console\n$ cat boats\nTwelve Boats at the quay\n```",
        "```bash\n" + "\n".join(f"make boat_{n}" for n in range(7)) + "\n```",
    ],
)
def test_other_fences_give_no_commands(fence: str) -> None:
    assert not said(fence)


GIT = [
    "commit 3f2a9bc1d4e5f607\nAuthor: Kim <kim@example.net>\nDate:   Mon Mar 2 08:00:00 2026\n\n"
    "    Count every boat of the harbour twice",
    "|\\ \n| * commit 3f2a9bc1d4e5\n| | Author: Kim <kim@example.net>\n| |     Count every boat of the harbour twice",
    "[main 3f2a9bc] Count every boat of the harbour\n 2 files changed, 94 insertions(+)\n create mode 100644 boats.py",
    "Initialized empty Git repository in /srv/harbour/.git/\nKept the list of the boats for a look",
]


@pytest.mark.parametrize("printed", GIT)
def test_what_git_prints_is_nobodys_words(printed: str) -> None:
    asked = "why does the harbour list have the boats of Kim in it?"
    assert [one.text for one in said(f"{asked}\n\n{printed}")] == [asked]


def test_what_a_script_prints_between_its_banners_is_nobodys_words() -> None:
    shown = (
        "=== Step 1: Count the boats of the harbour ===\nThe agent counted every boat of the harbour.\n\n"
        "Never leave the quay without a lamp, says the list.\n\n=== Step 2: Paint the quay ===\nAll boats were painted."
    )
    asked = "why does the second step take so long on the quay?"
    assert [one.text for one in said(f"{shown}\n\n{asked}")] == [asked]
    assert (
        len(said("=== Please count the boats of the harbour ===\nNever leave the quay without a lamp.")) > 0
    )


@pytest.mark.parametrize("text", ["No changes.", "Still does not work.", "seems to work", "No warnings."])
def test_how_it_stands_is_no_rule(text: str) -> None:
    assert not said(text)


def test_what_leads_over_to_code_or_a_list_says_nothing() -> None:
    for text in (
        "At line 378:\n\nuse the new name",
        "Implement the following plan:\n\nuse the new name",
        "In `openStore()` (line 219):\n\nuse the new name",
        "- `cart_test.go`, `order_test.go`\n\nuse the new name",
    ):
        assert [one.text for one in said(text)] == ["use the new name"], text
    assert said("Add a reader for both formats of the export:\n\nuse the new name")[0].kind == "decision"
    assert [one.text for one in said("app/order_test.go")] == ["app/order_test.go"]


def test_a_line_with_a_long_path_is_prose() -> None:
    text = f"the newest one lies in -> tmp/{'3f2a' * 16}/chats/session-2026-03-12T23-57-9f5659bb.json"
    assert [one.text for one in said(text)] == [text]


def test_a_bound_is_a_number() -> None:
    assert said("Stay within 5 minutes.")[0].rule == "en.bound"
    assert said("Within `app/cart.py` it is slow.")[0].rule != "en.bound"


def test_a_question_about_what_is_expected_is_no_rule() -> None:
    assert said("shouldn't the rows have been reused there?")[0].kind == "link"


def test_what_one_thing_does_to_another_is_a_finding() -> None:
    (found,) = said("A lock file prevents two runs of `import_orders` at once.", "assistant")
    assert (found.kind, found.rule) == ("link", "en.agent-finding")


@pytest.mark.parametrize(("text", "names"), [
    ("The **night harbour job** doesn't wait for the last writer.", True),
    ('The "night job" doesn\'t wait for the last writer.', True),
    ("The harbour **doesn't wait for the very last writer of the night**.", False),
    ('It is the opposite of "wait for the very last writer", not the same.', False),
])  # fmt: skip
def test_what_is_stressed_is_not_named(text: str, names: bool) -> None:
    assert bool(told_by_the_agent(text)) is names


RUN_ON = (
    "so what i need is that the crane of the harbour moves at night, and then we need to count the boats again "
    "(you should be asking the harbour office about it before anybody goes there) 2, i think the quay can wait "
    "but if the office is closed then we take the other quay"
)


def test_what_runs_on_is_parted_where_somebody_does_something() -> None:
    found = said(RUN_ON)
    assert [one.text for one in found] == [
        "so what i need is that the crane of the harbour moves at night",
        "we need to count the boats again",
        "you should be asking the harbour office about it before anybody goes there",
        "2, i think the quay can wait",
        "if the office is closed then we take the other quay",
    ]
    assert [RUN_ON[slice(*one.span)] for one in found] == [one.text for one in found]


def test_what_does_not_run_on_is_not_parted() -> None:
    # A short sentence, what stands in brackets inside a part, in code marks, and a condition with two halves.
    short = RUN_ON[: RUN_ON.index(" (")]
    assert [one.text for one in said(short)] == [short]
    inside = "i think the quay (you should be asking the harbour office about it before anybody goes there) can wait"
    assert [
        one.text for one in said(f"{inside} for a very long while until the crane has been moved to the quay")
    ] == [f"{inside} for a very long while until the crane has been moved to the quay"]
    halves = (
        "paint the crane of the harbour by night unless the harbour office is closed for a holiday and we "
    )
    halves += "count the boats of the quay in the morning without anybody of the office being there at the same time"
    assert [one.text for one in said(halves)] == [halves]


def test_how_long_the_agent_thinks_that_it_takes_measures_nothing() -> None:
    assert told_by_the_agent("**Move the harbour to the other side** (~20 min)") == []
    measured = "The export of the harbour took 20 min."
    assert told_by_the_agent(measured) == [measured]


def test_what_would_follow_is_no_finding() -> None:
    assert told_by_the_agent("If `drain()` works, the issue is in the parser.") == []


def test_a_condition_in_code_marks_is_none_of_the_sentence() -> None:
    text = "This server doesn't support `ADD COLUMN IF NOT EXISTS`."
    assert told_by_the_agent(text) == [text]


def test_an_id_in_code_marks_is_what_the_agent_made() -> None:
    text = "**`23c05e9` - the list scrolls by itself**"
    assert told_by_the_agent(text) == [text]


def test_what_the_agent_changed_is_a_fact_where_it_gives_a_number_or_a_new_name() -> None:
    for told in (
        "Increased the limit of `restore()` to 40 files.",
        "Renamed `restore()` to `restore_all()`.",
    ):
        assert told_by_the_agent(told) == [told]
    # The files show it.
    assert told_by_the_agent("Removed the check that skipped `restore()` for old files.") == []


def test_of_what_is_shown_only_sure_rules_count() -> None:
    shown = "<issue>\nIt would be nice if the list were sorted.\nNever sort the list.\n</issue>\n"
    assert [one.text for one in said(shown)] == ["Never sort the list."]


def test_a_tool_only_names_things() -> None:
    found = facts_of("12 passed in 0.31s\nmust never do jobs/reader.py:12", "tool", RULES)
    assert found.statements == ()
    assert [mention.value.text for mention in found.mentions] == ["jobs/reader.py:12"]


def test_names_in_calls_are_mentioned_with_their_tool() -> None:
    wire = {
        "role": "assistant", "content": "I read it.",
        "tool_calls": [{"id": "1", "function": {"name": "read_file", "arguments": '{"path": "jobs/reader.py"}'}}],
    }  # fmt: skip
    (mention,) = extract(Message(wire), RULES).mentions
    assert (mention.value.canon, mention.text) == ("jobs/reader.py", "read_file jobs/reader.py")
    assert mention.called


def test_a_summary_and_a_todo_list_say_nothing() -> None:
    handoff = (
        "[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted.\n## Goal\nNever touch vendor/x/."
    )
    assert extract(Message({"role": "user", "content": handoff}), RULES) == MessageFacts()
    assert (
        extract(Message({"role": "user", "content": f"{TODO_START}\n- never stop"}), RULES) == MessageFacts()
    )


def test_the_tail_message_that_a_summary_was_merged_into_keeps_its_own_facts() -> None:
    text = (
        "[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted.\n## Goal\nNever touch vendor/x/.\n\n"
        "--- END OF CONTEXT SUMMARY — respond to the message below, not the summary above ---\n\n"
        "Keep the port at 8443."
    )
    (one,) = extract(Message({"role": "user", "content": text}), RULES).statements
    assert one.text == "Keep the port at 8443."
    assert text[slice(*one.span)] == one.text
    assert text[slice(*one.values[0].span)] == "8443"


SENTENCES = st.sampled_from(sorted(set(EXAMPLES.values())))
HOSTILE = st.text(max_size=120) | st.lists(SENTENCES, max_size=4).map(" ".join)


@given(HOSTILE, st.sampled_from(["user", "assistant", "tool", "system", ""]))
def test_any_text_is_read_with_spans_that_fit(text: str, role: str) -> None:
    shown = safe(text)
    found = extract(Message({"role": role, "content": text}), RULES)
    assert found == extract(Message({"role": role, "content": text}), RULES)
    for one in found.statements:
        assert " ".join(shown[slice(*one.span)].split()) == one.text
        assert safe(one.text) == one.text
        for value in one.values:
            assert shown[slice(*value.span)] == value.text
    for mention in found.mentions:
        assert shown[slice(*mention.value.span)] == mention.value.text
    assert unpacked(packed(found)) == found


@given(st.lists(SENTENCES, min_size=1, max_size=4), st.lists(SENTENCES, min_size=1, max_size=4))
def test_a_text_of_two_says_what_both_say(one: list[str], other: list[str]) -> None:
    first, second = "\n\n".join(one), "\n\n".join(other)
    both = {(fact.kind, fact.text, fact.rule) for fact in said(f"{first}\n\n{second}")}
    assert both == {(fact.kind, fact.text, fact.rule) for text in (first, second) for fact in said(text)}


@pytest.mark.parametrize(
    "junk",
    [
        "a/",
        "1.",
        "never ",
        "x",
        "-",
        "a.b/",
        "不",
        "Never a. ",
        "say 1 ms, ",
    ],
)
@pytest.mark.parametrize("role", ["user", "tool"])
def test_no_text_takes_long(junk: str, role: str) -> None:
    assert lines_run(facts_of, junk * 2_000, role, RULES) <= 11 * lines_run(facts_of, junk * 200, role, RULES)
    # No lines are counted in patterns: one that goes on to the end from every character would not be done with this.
    facts_of(junk * 1_000_000, role, RULES)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("ok, please run the tests of the harbour again", "en.errand"),
        ("I want you to check the tide tables of both harbours", "en.errand"),
        ("Could you commit and push what we have for the harbour", "en.errand"),
        ("Add a page for the harbour office to the site", "en.request"),
        ("Run the tide job every morning at 6:30, never later", "en.never"),
    ],
)
def test_what_is_asked_for_and_done_is_an_errand(text: str, rule: str) -> None:
    (one,) = said(text)
    assert one.rule == rule


def test_a_line_of_many_bounds_is_prose() -> None:
    line = "4. Colour the tide: low (<0.80), middle (0.80 to 0.90), high (>0.90), spring (>1.10)."
    assert [one.text for one in said(line)] == [line]


@pytest.mark.parametrize(
    "text", [" " * 30_000 + "a word", "(http://a" * 6_000, "at f (" * 9_000, "```md\n" * 9_000]
)
def test_endless_lines_are_read_in_no_time(text: str) -> None:
    assert not said(text)


@pytest.mark.parametrize(
    "hope",
    [
        "The relay should now answer within 2 ms of the press.",
        "Expected latency of the relay: 5 ms",
        "预计继电器的延迟为 5 ms。",
        "Das Relais sollte nun nach 5 ms antworten.",
    ],
)
def test_a_value_that_is_hoped_for_is_none_that_was_measured(hope: str) -> None:
    assert not said(hope, "assistant")


def test_a_question_of_the_agents_with_an_example_behind_it_is_no_fact() -> None:
    asked = "**Is there an address of the harbour office?** (such as `https://harbour.example/office`)"
    assert not said(asked, "assistant")


def test_the_rest_of_an_import_is_code() -> None:
    text = "  LampChart, HornChart, Treemap } from 'harbour-charts';\n\nKeep the horn chart above the lamp chart."
    assert [one.text for one in said(text)] == ["Keep the horn chart above the lamp chart."]


def test_of_a_manual_that_a_command_brings_nothing_was_said() -> None:
    rule = "Always keep the lamp lit while a ship is in the channel.\n"
    assert said(rule * 10, COMMAND)
    assert not said(rule * 200, COMMAND)
    assert not said(f"Please analyze this codebase and create a CLAUDE.md file of it.\n\n{rule}", COMMAND)


@pytest.mark.parametrize(
    "line",
    [
        "kim@lamp 31-01-02T03:04:05.006Z:~/harbour/tests (lamps)",
        "kim@lamp ~/harbour (main) $",
        '#3 ERROR: process "/bin/sh -c make lamps" did not complete successfully: exit code: 1',
        "#3 2.250 fatal: the lamp has no name of its own",
        "2.250 fatal: the lamp has no name of its own",
        "ERROR: failed to build: failed to solve: the lamp did not light",
        "14 | # light all lamps of the pier before the horn is tested",
        "running 12 tests",
        "test result: ok. 0 passed; 0 failed; 0 ignored; finished in 0.00s",
        "=== harbour-lamp-app ===",
        "CREATE OR REPLACE FUNCTION light_first(p_lamp_id uuid, p_harbour_id uuid)",
        "from .lamps import HarbourLamp",
        "pip install harbour lamps",
        "docker compose up -d lamps",
        "lampctl -m pier/lamp-v1.0 --level 40 -f lamps.txt",
    ],
)
def test_what_a_shell_a_build_or_a_run_of_tests_printed_is_nobodys(line: str) -> None:
    told = said(f"Keep the lamp of the pier lit by night.\n\n{line}\n\nThe horn stays off.")
    assert [one.text for one in told] == ["Keep the lamp of the pier lit by night.", "The horn stays off."]


@pytest.mark.parametrize(
    "rule", ["git push --force is forbidden on the pier.", "npm install must never run as root."]
)
def test_a_rule_about_a_command_is_a_rule(rule: str) -> None:
    assert [one.text for one in said(rule)] == [rule]


@pytest.mark.parametrize(
    "choice", ["등대는 빨강 말고 파랑으로", "灯台は赤ではなく青で", "灯塔涂蓝色而不是红色"]
)
def test_one_thing_in_the_place_of_another_is_a_choice(choice: str) -> None:
    assert [(one.kind, one.text) for one in said(choice)] == [("decision", choice)]


def test_a_stroke_at_the_end_of_a_line_is_no_part_of_it() -> None:
    texts = [
        one.text for one in said("Keep the lamp of the pier lit\\\nClose the gate of the office at night")
    ]
    assert texts == ["Keep the lamp of the pier lit", "Close the gate of the office at night"]


def test_a_wish_not_to_worry_is_no_choice() -> None:
    assert not said("걱정 말고 계속해")


def test_an_address_of_a_repository_is_a_value() -> None:
    assert said("Push the lamps to git@harbour.example:lamps/pier.git please.")


def test_of_a_pasted_log_the_line_that_says_what_went_wrong_is_kept() -> None:
    traced = [
        "Traceback (most recent call last):",
        '  File "/harbour/quay.py", line 7, in <module>',
        "    moor(boat)",
        "KeyError: 'bollard 12 of the north quay'",
        "During handling of the above exception, another exception occurred:",
        "harbour.errors.MooringError: The north quay has no free bollard. Tried 12 of 12. Consider another quay.",
    ]
    (found,) = said("\n".join(traced))
    assert found.text == "harbour.errors.MooringError: The north quay has no free bollard. Tried 12 of 12."
    shell = [
        "$ ./deploy quay",
        "cp: cannot stat '/quay/rules/*': No such file or directory",
        "./deploy: failed to copy the rules",
    ]
    assert [one.text for one in said("\n".join(shell))] == [shell[1]]
    # What somebody says beside it is theirs.
    asked = "The deployment of the quay stopped, find out why."
    assert [one.text for one in said("\n".join([asked, "", *shell]))] == [asked, shell[1]]


def test_what_copies_and_scripts_print_of_their_course_is_nobodys_words() -> None:
    copying = "harbour_rules.xml                100%  977     4.5MB/s   00:00"
    assert not said(
        f"{copying}\n{copying}\nStep 2: Validating the rules of the quay...\n[3/9] Building the quay image..."
    )
    assert not said('See "systemctl status quay.service" and "journalctl -xeu quay.service" for details.')


def test_what_is_strung_together_with_dashes_is_said_one_by_one() -> None:
    strung = (
        "bring back the single row for each boat with the lantern - keep the new badges that you put in - "
        "in other words go back to the quay plan of yesterday - ok, and paint the doors in the green of the harbour"
    )
    assert [one.text for one in said(strung)] == [
        "bring back the single row for each boat with the lantern",
        "keep the new badges that you put in",
        "in other words go back to the quay plan of yesterday",
        "ok, and paint the doors in the green of the harbour",
    ]
    short = "Paint the doors - green, as they were."
    assert [one.text for one in said(short)] == [short]


@pytest.mark.parametrize(
    "shown",
    [
        '<div class="p-6 pt-0"><label class="text-sm" for="quay">Name of the quay, as it is painted</label></div>',
        'name="quay-mode" id="q"><label class="text-sm" for="mode">Moor the boats side by side</label>',
        "main-app.js?v=1762559311485:1181 Download the tools of the harbour for a better look at the boats",
        ":3000/harbour.ico:1 Failed to load resource: the harbour responded with a status of 404 (Not Found)",
        "boats/quay.tsx (116:3) @ _c8\nThe boat of the quay must have a name that is not an empty string",
        "Show 19 ignore-listed frame(s)",
    ],
)
def test_markup_and_what_a_browser_shows_is_nobodys_words(shown: str) -> None:
    asked = "Moor the boats of the east quay side by side."
    assert [one.text for one in said(f"{asked}\n\n{shown}")] == [asked]
    # A sentence may name an element.
    named = "Put the name of the boat into the <Quay> of the page."
    assert [one.text for one in said(named)] == [named]
