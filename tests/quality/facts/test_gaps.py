"""Signs that a summary omits something."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from inspector.quality.facts.extract import chosen
from inspector.quality.facts.fact import MessageFacts, Saying, SpokenMessage
from inspector.quality.facts.gaps import Gap, gaps_of, unrecorded
from inspector.quality.facts.gather import gather
from inspector.quality.facts.lives import lives_of
from tests.quality.facts.made_facts import searchable, steps


def gaps(summary: str, *messages: str | tuple[str, str], before: Sequence[str] = ()) -> list[Gap]:
    made = steps(*messages)
    lives = lives_of(gather(made), made, [len(made)], {1: searchable(summary)}).lives
    return list(gaps_of(summary, lives, lambda generation, index: before))


def kinds(found: Sequence[Gap]) -> list[tuple[str, str]]:
    return [(gap.kind, gap.text) for gap in found]


def test_a_list_of_the_users_messages_may_shorten_a_paste() -> None:
    for label in ("## All user messages", "6. All user messages:", "Let me list all user messages:"):
        listed = f'{label}\n- "Implement this: [detailed plan with 4 steps]"\n'
        assert gaps(listed, "Add a loading indicator to the list.") == []


def test_a_program_that_quotes_the_start_of_a_message_elides_nothing() -> None:
    assert gaps('## Last task\n"Add a loading indicator to the ...[truncated]"') == []


@pytest.mark.parametrize(
    ("said", "missing"),
    [
        ("Paint the pier in the morning.\nSound the bay, then\nchart it for the pilots.", ""),
        ("Paint the pier\nin the morning.", ""),
        ("Moor the ferry.", "2"),
    ],
)
def test_quotes_of_messages_that_are_not_recorded(said: str, missing: str) -> None:
    quotes = '1. "Paint the pier in the morning"\n2. "Sound the bay... [Request interrupted]"\n3. "go on"\n'
    found = list(unrecorded(f"## 6. All user messages\n{quotes}", lambda: said))
    assert [gap.more for gap in found] == [missing] * bool(missing)
    assert not list(unrecorded(f"## Goal\n{quotes}", lambda: ""))


@pytest.mark.parametrize(
    ("line", "elided"),
    [
        ('- "Do this: [detailed plan with 4 steps]"', "detailed plan with 4 steps"),
        ("- the log said [output truncated]", "output truncated"),
        ("- 日志：[其余省略]", "其余省略"),
        ("- [Previous decisions preserved]: all remain valid", "Previous decisions preserved"),
        ("- [x] a full list of files", ""),
        ("- [the full text](https://example.org/a)", ""),
        ("```\nrows[list of rows]\n```", ""),
        ("- read config [tool: terminal]", ""),
    ],
)
def test_brackets_where_a_text_stood(line: str, elided: str) -> None:
    assert [gap.text for gap in gaps(f"## Goal\n{line}\n")] == ([elided] if elided else [])


LIST = "Findings:\n5. The loop is quadratic in comments\n7. The wrapper function is unused\n8. Two names are exported\n"


def test_a_choice_by_number_whose_list_is_gone() -> None:
    summary = "## Goal\n- The user said: skip 5, 7 and do the rest.\n"
    (gap,) = gaps(summary, "skip 5, 7 and do the rest.", before=[LIST])
    assert gap.sentence(2).startswith("Summary 2 keeps “skip 5, 7 and do the rest.” without the meaning of ")
    assert (gap.kind, gap.more) == ("dangling", "5, 7")
    longer = f"{summary}- Skip the quadratic loop in comments.\n- Leave the unused wrapper function.\n"
    assert gaps(longer, "skip 5, 7 and do the rest.", before=[LIST]) == []
    named = f"{summary}- **Item 5 Loops**: done\n- Item 7 Wrappers: done\n"
    assert gaps(named, "skip 5, 7 and do the rest.", before=[LIST]) == []
    assert gaps(summary, "skip 5, 7 and do the rest.", before=["No list here."]) == []
    assert gaps("## Goal\nA parser.", "skip 5, 7 and do the rest.", before=[LIST]) == []


def test_a_choice_alone_whose_list_is_gone() -> None:
    saying = Saying(0, 1, 0, 1, "s", "user", (0, 0), 1)
    made = [SpokenMessage(saying, 0, MessageFacts(chosen("skip 5", LIST)))]

    def found(summary: str) -> list[Gap]:
        lives = lives_of(gather(made), made, [1], {1: searchable(summary)}).lives
        return list(gaps_of(summary, lives, lambda generation, index: [LIST]))

    assert kinds(found('## Goal\n- "skip 5"\n')) == [("dangling", "skip 5")]
    assert found('## Goal\n- "skip 5" (5: the quadratic loop)\n') == []
    assert found("## Goal\n- A parser.\n") == []


def test_all_is_done_except_an_unmentioned_task() -> None:
    claim = "## Pending\nNone: all requested items have been addressed.\n"
    (gap,) = gaps(claim, "Add a migration for the invoices table.")
    assert (gap.kind, gap.text) == ("claimed", "Add a migration for the invoices table.")
    assert gap.more == "all requested items"
    summary = f"{claim}## Done\n- Add a migration for the invoices table.\n"
    assert gaps(summary, "Add a migration for the invoices table.") == []
    assert gaps("## Pending\nThe review.\n", "Add a migration for the invoices table.") == []
