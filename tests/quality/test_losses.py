"""Rules for losses: which facts count, at which compaction, in what order."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from inspector.answers.store_losses import (
    CompactionLoss,
    ConversationLosses,
    ListedLoss,
    decide_uncertain,
    in_all,
    left_out,
    losses_of_facts,
    nothing_listed,
    uncertain_losses,
    unknown_losses,
)
from inspector.core.conversations import ConversationRow
from inspector.core.places import Place
from inspector.export.fact_results import loss_documents, loss_words, print_losses
from inspector.quality.aftermath import AftermathEvent
from inspector.quality.facts.fact import (
    OUTCOMES,
    Contradiction,
    ConversationFacts,
    Fact,
    Fate,
    Kind,
    Life,
    Outcome,
    Saying,
)
from inspector.quality.losses import LostFacts, grave, losses_of
from tests.program import Run
from tests.stores.writer import Writer, create, talk

SAYING = Saying(0, 1, 0, 100, "s", "user", (0, 0), 1)


def life(
    *outcomes: Outcome, kind: Kind = "constraint", key: str = "k", first: int = 1, rank: float = 1.0
) -> Life:
    """Return a fact with these outcomes, from compaction `first` on."""
    fact = Fact(key, kind, f"text {key}", "", (), (), "rule", 5, (0, 0), "user", (SAYING,), 0, rank)
    return Life(fact, first, tuple(Fate(first + n, outcome) for n, outcome in enumerate(outcomes)))


def test_a_fact_is_lost_at_the_compaction_after_which_it_is_missing() -> None:
    (found,) = losses_of([life("verbatim", "lost", "verbatim", "value lost", "lost")])
    assert (found.compaction, found.lost, found.weakened) == (4, {"constraint": 1}, 0)
    assert [(one.text, one.outcome) for one in found.worst] == [("text k", "value lost")]


def test_a_lost_fact_that_is_lost_again_has_the_place_of_its_first_loss() -> None:
    again = replace(SAYING, generation=2, compaction=2)
    first, second = life("lost", "lost"), life("lost", first=2)
    both = [replace(one, fact=replace(one.fact, sayings=(SAYING, again))) for one in (first, second)]
    (found,) = losses_of(both)
    assert [(one.compaction, one.saying) for one in found.worst] == [(1, SAYING)]


def test_gaps_are_worse_than_repeated_reading_and_better_than_a_lost_value() -> None:
    gap, value = (
        CompactionLoss(1, gaps=("gap",)),
        CompactionLoss(1, {"value": 1}),
    )
    again = CompactionLoss(1, aftermath={"read again": 9})
    assert value.order > gap.order > again.order


def test_files_that_the_user_names_make_no_compaction_worse() -> None:
    named = CompactionLoss(1, aftermath={"read again": 9}, named=9)
    assert (named.again, named.order) == (0, CompactionLoss(1).order)
    assert CompactionLoss(1, aftermath={"read again": 9}, named=8).order > named.order


def test_a_statement_that_the_user_repeated_is_worse_than_a_loss_without_consequences() -> None:
    forgotten = CompactionLoss(1, {"constraint": 9}, standing=9)
    assert CompactionLoss(1, aftermath={"said again": 1}).order > forgotten.order
    repeated = {"b"}
    unsure = [life("uncertain", key=key) for key in "ab"]
    unsure = [replace(one, fact=replace(one.fact, text=one.fact.key)) for one in unsure]
    (found,) = losses_of(unsure, repeated)
    assert (found.uncertain, [one.text for one in found.worst]) == (2, ["b"])


def test_one_lasting_rule_is_worse_than_several_details_of_requests() -> None:
    saying = replace(SAYING, span=(0, 24))
    detail = life("lost", key="a")
    rule = Fact(
        "k",
        "constraint",
        "Never sail without lamps",
        "",
        (),
        (),
        "en.never",
        9,
        (0, 5),
        "user",
        (saying,),
        0,
        1.0,
    )
    (rules,) = losses_of([Life(rule, 1, (Fate(1, "lost"),))])
    (details,) = losses_of([detail, replace(detail, fact=replace(detail.fact, key="b"))])
    assert (rules.standing, details.standing) == (1, 0)

    def order(lost: LostFacts) -> tuple[int, ...]:
        return CompactionLoss(1, lost.lost, standing=lost.standing).order

    assert order(rules) > order(details)


def test_uncertain_facts_are_counted_besides_the_losses() -> None:
    unsure = [life("paraphrased", "uncertain", key="a"), life("uncertain", "verbatim", key="b")]
    (found,) = losses_of([life("verbatim", "lost"), *unsure])
    assert (found.compaction, found.total, found.uncertain) == (2, 1, 1)
    assert [(one.compaction, one.total, one.uncertain) for one in losses_of(unsure)] == [(2, 0, 1)]


def test_unknown_and_uncertain_facts_are_never_silent() -> None:
    lives = (
        life("lost", key="a"), life("uncertain", key="b"), life("uncertain", key="c", first=2),
        life("uncertain", "uncertain", key="d"), life("unknown", key="g", first=3), life("unknown", kind="statement"),
        replace(life("unknown", key="f", first=3), back=SAYING),
    )  # fmt: skip
    inspection: Any = SimpleNamespace(compactions=lambda: (), conversation=SimpleNamespace(has_unread=False))
    found = losses_of_facts(inspection, ConversationFacts((), lives))
    counts = [(one.compaction, one.uncertain, one.unknown) for one in found.compactions]
    assert counts == [(1, 2, 0), (2, 1, 0), (3, 0, 1)]
    assert (found.unknown, found.uncertain) == (1, 3)
    (unreadable,) = unknown_losses([found])
    (uncertain,) = decide_uncertain([found])
    assert not uncertain_losses([found])
    assert unreadable.startswith("The fate of 1 fact is unknown")
    assert uncertain.startswith("3 facts are uncertain and may be lost.")


def test_a_reading_behind_a_lost_rule_counts_only_if_the_user_does_not_name_the_file() -> None:
    inspection: Any = SimpleNamespace(compactions=lambda: (), conversation=SimpleNamespace(has_unread=False))
    reading = AftermathEvent(
        1,
        "read again",
        Place(2, 3, 9),
        None,
        "pier.py",
        10,
        fact="text k",
        category="constraint",
        fate="lost",
    )
    facts = ConversationFacts((), (life("lost"),))
    asked = replace(reading, named=True)
    for events, broken, named in (
        ((reading, reading), 1, 0),
        ((asked, asked), 0, 1),
        ((asked, reading), 1, 0),
    ):
        (found,) = losses_of_facts(inspection, facts, events).compactions
        assert (found.aftermath, found.broken, found.named) == ({"read again": 1}, broken, named)


def test_a_compaction_that_left_only_uncertain_constraints_is_listed_with_their_number(
    capsys: pytest.CaptureFixture[str],
) -> None:
    rule, value = life("uncertain", key="a"), life("uncertain", key="b", kind="value")
    inspection: Any = SimpleNamespace(compactions=lambda: (), conversation=SimpleNamespace(has_unread=False))
    (found,) = losses_of_facts(inspection, ConversationFacts((), (rule, value))).compactions
    assert (found.total, found.uncertain, found.uncertain_constraints) == (0, 2, 1)
    listed = [ListedLoss(ConversationRow("a", "a", "t", "", "", ("a",), 1, 1, 0.0, 0.0), found)]
    (document,) = loss_documents(listed)
    assert (document["uncertain"], document["uncertain_constraints"]) == (2, 1)
    print_losses(listed, "")
    assert ": 2 uncertain (1 constraint)\n" in capsys.readouterr().out


def test_facts_that_no_loss_counts_come_without_an_all_clear(capsys: pytest.CaptureFixture[str]) -> None:
    lost = life("lost", kind="statement", key="p")
    pasted = replace(lost, fact=replace(lost.fact, pasted=True))
    plain = (life("lost", kind="statement", key="a"), life("uncertain", kind="statement", key="b"))
    inspection: Any = SimpleNamespace(compactions=lambda: (), conversation=SimpleNamespace(has_unread=False))
    found = losses_of_facts(inspection, ConversationFacts((), (pasted, *plain)))
    assert (found.total, found.apart) == (0, (1, 0, 1, 1))
    row = ConversationRow("a", "a", "t", "", "", ("a",), 1, 1, 0.0, 0.0)
    print_losses([ListedLoss(row, *found.compactions)], "")
    counted = "1 lost in pasted text, 1 plain statement lost, 1 other uncertain"
    assert f"compaction 1: {counted}\n" in capsys.readouterr().out
    assert left_out([found]) == [f"Not counted: {counted}. `facts` lists them."]
    assert nothing_listed([found], False) == "No loss that counts is known."
    print_losses([ListedLoss(row, *found.compactions, foreign=True)], "")
    foreign = "constraints in the language of the user are not recognized"
    assert f"compaction 1: {foreign}, 1 lost in pasted text" in capsys.readouterr().out


def test_a_lost_rule_names_the_earlier_one_that_the_list_still_has(program: Run, tmp_path: Path) -> None:
    writer = Writer(create(tmp_path / "state.db"))
    writer.begin(title="Harbor")
    first = {"role": "user", "content": "Set the limit of berths to 72 and never more."}
    later = {"role": "user", "content": "Set the limit of berths to 39 and never more."}
    writer.say([first, {"role": "assistant", "content": "Set."}, later, *talk(12)])
    # The head keeps the first rule, the summary lacks the later one.
    writer.compact(2, len(writer.live) - 3, "## Goal\nPaint the crane")
    writer.db.close()
    (entry,) = json.loads(program("losses", str(tmp_path / "state.db"), "--json").stdout)
    assert [(fact["text"], fact["stale"]) for fact in entry["facts"]] == [
        (later["content"], first["content"])
    ]
    findings = program("findings", str(tmp_path / "state.db")).stdout
    assert f"It still has the earlier “{first['content'].rstrip('.')}”." in " ".join(findings.split())
    printed = " ".join(program("losses", str(tmp_path / "state.db")).stdout.split())
    assert f"the list still has the earlier: {first['content']}" in printed


def test_an_unreadable_summary_never_reads_as_no_loss(capsys: pytest.CaptureFixture[str]) -> None:
    row = ConversationRow("a", "a", "t", "", "", ("a",), 1, 1, 0.0, 0.0)
    print_losses([ListedLoss(row, CompactionLoss(1, aftermath={"read again": 1}, unreadable=True))], "")
    assert "compaction 1: its summary cannot be read\n" in capsys.readouterr().out
    (sentence,) = unknown_losses([ConversationLosses(unread=3)])
    assert sentence.startswith("3 summaries cannot be read.")


@pytest.mark.parametrize("unknown", [True, False])
def test_without_a_known_loss_unknown_ones_are_not_denied(unknown: bool) -> None:
    assert ("some losses are unknown" in nothing_listed([], unknown)) is unknown


def test_a_plain_statement_that_was_still_needed_is_a_loss_besides_the_rules() -> None:
    needed = replace(life("lost", kind="statement"), needed=True)
    (found,) = losses_of([needed, life("lost", key="b"), life("lost", kind="statement", key="c")])
    assert (found.lost, [one.kind for one in found.worst]) == (
        {"constraint": 1, "statement": 1},
        ["statement", "constraint"],
    )
    assert loss_words(found.lost, 0) == "1 constraint, 1 statement lost"


def test_lost_requests_are_counted_where_a_compaction_is_listed_for_uncertain_facts_or_a_gap() -> None:
    request = replace(life("lost"), fact=replace(life("lost").fact, rule="en.request"))
    inspection: Any = SimpleNamespace(compactions=lambda: (), conversation=SimpleNamespace(has_unread=False))
    alone, unsure = (request,), (request, life("uncertain", key="b"))
    assert losses_of_facts(inspection, ConversationFacts((), alone)).compactions == ()
    for lives, gaps in ((unsure, {}), (alone, {1: ("a gap",)})):
        (found,) = losses_of_facts(inspection, ConversationFacts((), lives), gaps=gaps).compactions
        assert (found.lost, found.others, found.uncertain) == ({}, 1, len(lives) - 1)


def test_weakened_facts_are_counted_besides_lost_facts() -> None:
    (found,) = losses_of([life("weakened", "weakened"), life("lost", "lost", key="other", kind="value")])
    assert (found.compaction, found.lost, found.weakened, found.total) == (1, {"value": 1}, 1, 1)
    assert [one.outcome for one in found.worst] == ["weakened", "lost"]


def test_repeated_or_withdrawn_facts_are_no_loss() -> None:
    gone = life("lost")
    other = Contradiction("other", "2", SAYING)
    assert losses_of([replace(gone, back=SAYING)]) == ()
    assert losses_of([replace(gone, contradicted=other)]) == ()
    (plain,) = losses_of([life("lost", kind="statement")])
    assert (plain.total, plain.apart) == (0, (0, 0, 1, 0))
    assert losses_of([replace(gone, fates=())]) == ()


def test_a_fact_that_several_compactions_removed_counts_once() -> None:
    lives = [life("verbatim", "verbatim", "lost"), life("verbatim", "lost", first=2), life("lost", first=3)]
    (found,) = losses_of(lives)
    assert (found.compaction, found.total) == (3, 1)


def test_constraints_come_first_then_the_rank() -> None:
    (found,) = losses_of(
        [
            life("lost", kind="value", key="a", rank=99.0),
            life("lost", key="b", rank=1.0),
            life("lost", key="c", rank=2.0),
            life("lost", kind="decision", key="d", rank=50.0),
        ]
    )
    assert [one.fact.key for one in found.worst] == ["c", "b", "d", "a"]
    agents = replace(life("lost", key="e"), fact=replace(life("lost", key="e").fact, role="assistant"))
    asked = replace(life("lost", key="f"), fact=replace(life("lost", key="f").fact, rule="en.request"))
    (mixed,) = losses_of([agents, asked, life("lost", kind="value", key="a")])
    assert ([one.fact.key for one in mixed.worst], mixed.total, mixed.others) == (["a"], 1, 2)


def test_an_answer_to_what_happens_now_counts_apart() -> None:
    answer = replace(life("lost", key="n").fact, rule="any.answer", text="yes ← Shall I paint the boat now?")
    lasting = replace(answer, key="l", text="red ← Which colour do the boats have?")
    (found,) = losses_of([replace(life("lost", key=one.key), fact=one) for one in (answer, lasting)])
    assert ([one.fact.key for one in found.worst], found.others) == (["l"], 1)


@pytest.mark.parametrize(
    ("text", "once"),
    [
        ("yes ← Should I add the tides to the chart?", True),
        ("ok ← Do you want me to paint the second boat?", True),
        ("no ← Should I add the tides to the chart?", False),
        ("yes ← Should I use the old chart?", False),
        ("yes ← Do the boats have names?", False),
    ],
)
def test_an_answer_that_lets_the_agent_do_a_task_counts_apart(text: str, once: bool) -> None:
    lost = life("lost")
    (found,) = losses_of(
        [replace(life("lost", key="b")), replace(lost, fact=replace(lost.fact, rule="any.answer", text=text))]
    )
    assert found.others == once


def test_facts_of_pasted_texts_count_apart() -> None:
    pasted = replace(life("lost", key="p"), fact=replace(life("lost", key="p").fact, pasted=True))
    (both,) = losses_of([pasted, life("lost", key="b")])
    assert (both.total, both.pasted) == (1, 1)
    assert [one.fact.key for one in both.worst] == ["b"]
    (alone,) = losses_of([pasted])
    assert (alone.total, alone.pasted) == (0, 1)


def test_a_constraint_is_graver_than_any_number_of_values() -> None:
    (found,) = losses_of([life("lost", key="b", rank=1.0)])
    assert grave(found.lost, 0) > grave({"value": 40}, 3)
    assert grave({"constraint": 1}, 1) > grave({"constraint": 1}, 0)


@given(st.lists(st.lists(st.sampled_from(OUTCOMES), min_size=1, max_size=6), max_size=6))
def test_every_fact_counts_once_and_only_where_it_is_gone_today(fates: list[list[Outcome]]) -> None:
    last = max(map(len, fates), default=0)
    lives = [life(*outcomes, key=str(n), first=last - len(outcomes) + 1) for n, outcomes in enumerate(fates)]
    found = losses_of(lives)
    assert sum(one.total for one in found) == sum(
        outcomes[-1] in ("lost", "value lost", "contradicted") for outcomes in fates
    )
    assert sum(one.weakened for one in found) == sum(outcomes[-1] == "weakened" for outcomes in fates)
    for one in found:
        for lost in one.worst:
            assert lost.fate.compaction == one.compaction
            assert lost.fate.gone or lost.outcome == "weakened"
    assert losses_of(reversed(lives)) == found


def test_the_compactions_that_a_correction_followed_are_named() -> None:
    loss = CompactionLoss(2, aftermath={"said again": 1})
    found = ConversationLosses((loss, replace(loss, compaction=3, aftermath={"read again": 4})), recorded=2)
    assert found.corrected == (2,)
    quiet = ConversationLosses(recorded=2)
    sentence = in_all([found, quiet], ["Berths", "Tides"])
    assert sentence.endswith("or the agent broke a constraint, after 1 compaction: compaction 2 of “Berths”.")
    assert "Tides" not in sentence
    assert in_all([found, found]).endswith("or the agent broke a constraint, after 2 compactions.")
    assert in_all([quiet]) == "2 compactions: no constraint of the user was recognized."
    assert in_all([replace(quiet, rules=1)]).endswith(
        "0 of 1 constraint was word for word in the list after its first compaction."
    )
    assert in_all([replace(quiet, rules=2)]).endswith(
        "0 of 2 constraints were word for word in the list after their first compaction."
    )


def test_constraints_in_a_language_without_a_lexicon_are_named_as_unrecognized() -> None:
    def found(text: str) -> ConversationLosses:
        inspection: Any = SimpleNamespace(
            compactions=lambda: (), conversation=SimpleNamespace(has_unread=False)
        )
        one = life("lost", kind="statement")
        reworded = replace(one, fact=replace(one.fact, text=text))
        return losses_of_facts(inspection, ConversationFacts((), (reworded,)))

    (sentence,) = uncertain_losses([found("Die Boote sind immer vor der Flut im Hafen.")])
    assert sentence.startswith("In 1 conversation, the user mostly writes in another language")
    assert not uncertain_losses([found("The boats are in the harbour before the flood.")])
    assert not uncertain_losses([found("船在涨潮前回港")])


def test_summaries_in_another_language_than_the_user_are_named() -> None:
    def sentences(said: str, *summaries: str) -> list[str]:
        inspection: Any = SimpleNamespace(
            compactions=lambda: [
                SimpleNamespace(
                    index=1, at=0.0, summary=text, encrypted=False, fallback=False, before=9, whole=True
                )
                for text in summaries
            ],
            conversation=SimpleNamespace(has_unread=False),
        )
        one = life("lost", kind="statement")
        reworded = replace(one, fact=replace(one.fact, text=said))
        return uncertain_losses([losses_of_facts(inspection, ConversationFacts((), (reworded,)))])

    english, chinese = "The boats are in the harbour before the flood.", "船在涨潮前回港，禁止夜间卸货"
    (sentence,) = sentences(chinese, english, english, chinese, "")
    # The list may have their quotes.
    assert sentence.startswith(
        "2 summaries are in another language than the user's words, so fates there may be uncertain."
    )
    assert not sentences(english, english)
    assert not sentences("7.5", chinese)
