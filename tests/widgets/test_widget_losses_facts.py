"""Facts in the losses pane: display, filters, posted messages."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from inspector.quality.measures import Share, Survival
from tests.widgets.values import FACTS, KEPT, LOSSES, SAID, SCOPES, SURVIVAL, compaction, fact, life
from tests.widgets.widget_host import HOSTILE, hosting, lines, showing, shown
from widgets.intents import ChooseCompaction, CopyFacts, GoTo
from widgets.lists.fact_list import OUTCOMES, key_of, survivor_of
from widgets.panes.losses_facts import LossesFacts
from widgets.panes.losses_view import FactScope, LossesView


@pytest.mark.parametrize("size", [(70, 38), (78, 9)])
async def test_it_counts_lists_and_explains(size: tuple[int, int]) -> None:
    pane = LossesFacts()
    async with hosting(pane, size=size, set_up=lambda: pane.set_view(LOSSES)):
        assert pane.facts.entries == FACTS
        head = " ".join(pane.head.text.split())
        assert head.startswith("compaction 1 of 3 ")
        for outcome in ("lost", "value lost", "paraphrased", "verbatim"):
            assert f"1 {outcome}" in head
        first = [lines(pane.facts)[n].strip() for n in (1, 2)]
        expected = ["□", "≈"] if size[0] < 66 else ["value lost", "paraphrased"]
        assert all(line.startswith(fate) for line, fate in zip(first, expected, strict=True))
        assert "Retry 1 times" in pane.body.text
        assert "#7 of generation 1" in pane.body.text
        assert pane.body.size.height >= 3


@pytest.mark.parametrize(("pasted", "role"), [(True, "user"), (False, "user"), (True, "tool")])
async def test_a_fact_that_the_user_pasted_says_why_the_table_lacks_it(pasted: bool, role: str) -> None:
    said, pane = life(1, "uncertain", role=role), LossesFacts()
    scope = FactScope("1", (replace(said, fact=replace(said.fact, pasted=pasted)),))
    view = replace(LOSSES, scopes=(scope,))
    async with hosting(pane, size=(90, 40), set_up=lambda: pane.set_view(view)):
        found = "The user pasted it. The table and the losses of all conversations" in " ".join(
            pane.body.text.split()
        )
        assert found is (pasted and role == "user")


@pytest.mark.parametrize("outcome", OUTCOMES)
async def test_every_fate_has_a_sign_a_word_and_an_ink(outcome: str) -> None:
    pane = LossesFacts()
    view = replace(LOSSES, scopes=(FactScope("1", (fact(1, outcome),)),))
    async with hosting(pane, size=(90, 38), set_up=lambda: pane.set_view(view)) as host:
        assert lines(pane.facts)[0].strip(" ▌›").startswith(outcome)
        await host.pilot.resize_terminal(60, 38)
        await host.settle()
        assert lines(pane.facts)[0].strip(" ▌›").startswith(OUTCOMES[outcome][0])
        assert outcome in pane.body.text
    assert len({sign for sign, _ in OUTCOMES.values()}) == len(OUTCOMES)


async def test_the_table_of_survival_counts_uncertain_facts_apart() -> None:
    survival = replace(
        LOSSES.survival, shares={"constraint": (Share(1, 2, 1), Share(0, 2, 7), Share(0, 0, 3))}
    )
    pane = LossesFacts()
    view = replace(LOSSES, survival=survival, chosen=2)
    async with hosting(pane, size=(70, 38), set_up=lambda: pane.set_view(view)) as host:
        row = " ".join(lines(pane.table)[1].split())
        assert row == "constraint 50% 1/2 ±1 0% 0/2 ±7 – ±3 – ±3"
        await host.pilot.resize_terminal(44, 38)
        await host.settle()
        assert "0% 0/2 ±7" in lines(pane.table)[1]
        assert "50% ±" in lines(pane.table)[1]
        assert "50% 1/2" not in lines(pane.table)[1]
        await host.pilot.resize_terminal(42, 38)
        await host.settle()
        assert "50%  " in lines(pane.table)[1]


async def test_the_table_of_survival_stands_on_top_where_it_is_known_and_there_is_room() -> None:
    async with showing(LossesFacts(), LOSSES, size=(70, 38)) as (pane, host):
        drawn = lines(pane.table)
        assert drawn[0].split() == ["kept", "after", "▸1", "2◇", "3?", "last"]
        # Kinds without a summarized fact have no line, and no line is chosen.
        assert [line.split()[0] for line in drawn[1:]] == ["constraint", "value"]
        assert pane.table.region.bottom <= pane.filters.region.y
        await host.click(pane.table, drawn[0].index("2◇"), 1)
        assert [message.index for message in host.messages_of(ChooseCompaction)] == [2]
        pane.set_view(replace(LOSSES, chosen=2))
        assert lines(pane.table)[0].split()[3] == "▸2◇"
        await host.pilot.resize_terminal(70, 22)
        await host.settle()
        assert not pane.table.display
        await host.pilot.resize_terminal(70, 38)
        pane.set_view(replace(LOSSES, survival=Survival()))
        await host.settle()
        assert not pane.table.display


async def test_filters_leave_what_they_say_and_count_what_the_others_leave() -> None:
    async with showing(LossesFacts(), LOSSES, size=(90, 40)) as (pane, host):
        pane.facts.focus()
        await host.press("c")
        assert pane.filters.choice("kind") == "constraint"
        assert pane.facts.entries == FACTS[:2]
        await host.press("f")
        assert pane.filters.choice("fate") == "lost"
        assert pane.facts.entries == FACTS[:1]
        assert pane.filters.labels("kind") == ["all", "constraint (1)"]
        pane.next_scope()
        pane.next_scope()
        await host.settle()
        assert pane.scope == "risk"
        assert pane.facts.entries == ()
        assert "No fact passes these filters." in pane.body.text
        await host.press("f", "f", "f")
        assert pane.filters.choice("fate") in ("all", "at risk")


async def test_where_room_is_short_the_head_tells_the_filters() -> None:
    async with showing(LossesFacts(), LOSSES, size=(78, 9)) as (pane, host):
        pane.facts.focus()
        await host.press("c", "w")
        assert "only constraint, user (2)" in pane.head.text
        assert not pane.filters.display


async def test_filters_replace_the_sentence_about_all_facts() -> None:
    note = "The first 2 count as losses: your rules, decisions and values."
    view = replace(LOSSES, scopes=(FactScope("1", FACTS, note),))
    async with showing(LossesFacts(), view, size=(90, 40)) as (pane, host):
        assert note in pane.head.text
        pane.facts.focus()
        await host.press("c")
        assert note not in pane.head.text
        assert "only constraint (2)" in pane.head.text


async def test_enter_goes_to_where_it_was_said_and_s_to_where_it_survives() -> None:
    async with showing(LossesFacts(), LOSSES, size=(90, 40)) as (pane, host):
        pane.facts.focus()
        await host.press("s")
        assert host.messages_of(GoTo) == []
        await host.press("enter", "J", "s")
        first, second = (message.place for message in host.messages_of(GoTo))
        assert first == SAID
        assert second[:2] == KEPT[:2]
        await host.press("C")
        (wanted,) = host.messages_of(CopyFacts)
        assert [fact.key for fact in wanted.facts] == ["k1", "k2", "k3", "k4"]
        assert not wanted.at_risk


@pytest.mark.parametrize(
    ("text", "excerpt", "found"),
    [
        ("ask me before you post.", "## Active Task User asked: 'Yes, post it.'", "post"),
        ("Use port 9 at home.", "the server listens on 9, not elsewhere", "9"),
        ("Port 8080 is held by it alone.", "…etch.' ## Goal Move the checkout step by step", "checkout"),
    ],
)
def test_a_paraphrase_is_found_by_a_word_that_stands_in_it(text: str, excerpt: str, found: str) -> None:
    said = life(1, "weakened", text=text, values=(), index=3, excerpt=excerpt)
    place = survivor_of(said.fact, said.fate)
    assert place is not None
    assert place.find == found


async def test_the_cursor_and_the_filters_stay_when_facts_come_anew() -> None:
    async with showing(LossesFacts(), LOSSES, size=(90, 40)) as (pane, host):
        pane.facts.focus()
        await host.press("w", "J")
        assert pane.filters.choice("role") == "user"
        more = FactScope("1", (fact(8, "lost"), *FACTS))
        pane.set_view(replace(LOSSES, scopes=(more, *SCOPES[1:])))
        await host.settle()
        assert pane.filters.choice("role") == "user"
        assert key_of(pane.facts.entries[pane.facts.cursor]) == "k2@1"


async def test_the_chosen_compaction_says_whose_facts_and_others_are_turned_to() -> None:
    async with showing(LossesFacts(), LOSSES, size=(70, 38)) as (pane, host):
        turned = []
        for _ in range(3):
            pane.next_scope()
            await host.settle()
            turned.append((pane.scope, pane.head.text.split("  ")[0]))
        assert turned == [("pruned", "pruned"), ("risk", "at risk"), ("1", "compaction 1 of 3")]
        pane.next_scope()
        await host.settle()
        pane.set_view(replace(LOSSES, chosen=2))
        assert (pane.scope, len(pane.facts.entries)) == ("2", 2)
        pane.set_view(replace(LOSSES, chosen=3))
        assert pane.head.text.startswith("compaction 3 of 3   no facts")
        pane.set_view(replace(LOSSES, chosen=0))
        assert pane.scope == "risk", "before any compaction, what is at risk"


async def test_waiting_nothing_and_hostile_text() -> None:
    async with showing(LossesFacts(), LossesView(), size=(60, 30)) as (pane, host):
        assert "Looking for facts" in pane.head.text
        pane.set_view(LossesView(note="Half of it is read."))
        assert "Half of it is read." in pane.head.text
        pane.set_view(LossesView((FactScope("1", ()),), 1, SURVIVAL))
        await host.settle()
        assert "no facts" in pane.head.text
        unseen = replace(SURVIVAL.compactions[0], before=0)
        pane.set_view(LossesView((), 1, replace(SURVIVAL, compactions=(unseen,), shares={})))
        assert "Its losses are unknown" in pane.head.text
        bad = fact(1, "lost", text=HOSTILE, values=(HOSTILE, ""), excerpt=HOSTILE, changed=HOSTILE)
        pane.set_view(LossesView((FactScope("1", (bad,)),), 1))
        await host.settle()
        assert "\x1b" not in shown(pane)
        assert "[/foo]" in shown(pane)


async def test_every_fate_stays_in_a_narrow_filter() -> None:
    pane = LossesFacts()
    facts = tuple(fact(number, outcome) for number, outcome in enumerate(OUTCOMES) if outcome != "at risk")
    view = replace(LOSSES, scopes=(FactScope("1", facts),))
    async with hosting(pane, size=(70, 38), set_up=lambda: pane.set_view(view)):
        fates = next(line for line in shown(pane).splitlines() if line.startswith("fate"))
        assert fates.split()[:4] == ["fate", "●", "all", f"{OUTCOMES['lost'][0]}1"]
        assert all(f"{OUTCOMES[fact.fate.outcome][0]}1" in fates for fact in facts)


async def test_what_survives_an_encrypted_summary_is_unknown() -> None:
    pane = LossesFacts()
    first, *others, last = SURVIVAL.compactions
    survival = replace(SURVIVAL, compactions=(first, *others, replace(last, encrypted=True, summary=None)))
    async with hosting(pane, size=(70, 38), set_up=lambda: pane.set_view(replace(LOSSES, survival=survival))):
        assert [line.split()[-1] for line in lines(pane.table)][1:] == ["–"] * len(survival.kinds)


@pytest.mark.parametrize("size", [(110, 38), (78, 9)])
async def test_losses_of_a_list_with_a_missing_part_are_unknown_in_part(size: tuple[int, int]) -> None:
    survival = Survival((compaction(1, whole=False), compaction(2, before=0, whole=False)))
    pane = LossesFacts()
    view = replace(LOSSES, survival=survival, chosen=1)
    async with hosting(pane, size=size, set_up=lambda: pane.set_view(view)):
        assert "Its losses are unknown in part" in shown(pane)
        pane.set_view(replace(view, chosen=2))
        assert "Its losses are unknown: the list before it is not in the files." in shown(pane)


@pytest.mark.parametrize("height", [24, 28, 38])
async def test_the_selected_fact_keeps_room_below_a_long_list(height: int) -> None:
    pane, note = LossesFacts(), "The first 3 count as losses: your rules, decisions and values."
    facts = tuple(life(number, "lost") for number in range(1, 31))
    view = replace(
        LOSSES, scopes=(FactScope("1", facts, f"{note} Of the uncertain facts, 2 may count too."),)
    )
    async with hosting(pane, size=(53, height), set_up=lambda: pane.set_view(view)):
        assert pane.body.size.height >= 3
        assert pane.facts.size.height >= 3
