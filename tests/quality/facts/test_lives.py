"""Return of a lost fact: by its own words, not by the act that breaks it."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from inspector.quality.facts.fact import Fate
from inspector.quality.facts.gather import gather
from inspector.quality.facts.lives import lives_of
from inspector.quality.facts.passages import ListText, PassageIndex
from inspector.quality.losses import losses_of
from tests.quality.facts.made_facts import step


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        (
            "The docs page lives at https://www.pier.dev/a.",
            "The docs page lives at https://pier.dev/a.",
            True,
        ),
        ("Pin the tide driver to v2.1.0.", "Pin the tide driver to 2.1.0 please.", True),
        ("Pin the tide driver to v2.1.0.", "Pin the tide driver to 2.2.0 please.", False),
        ("The tide loader lives in src/app/tides.py.", "The tide loader lives in app/tides.py.", True),
        # Both rules hold.
        ("Never open port 8080 of the lock.", "Never open port 9090 of the lock.", True),
        ("Never write below /srv/alpha/.", "Never write below /srv/beta/.", True),
        ("Ask me before you change src/auth/.", "Ask me before you change src/tides/.", True),
        (
            "Hard rule: do not touch anything under a/old/.",
            "Hard rule: do not touch anything under b/new/.",
            True,
        ),
        ("Keep src/tides.py below 300 lines.", "Keep src/tides.py below 400 lines.", False),
        ("Never open more than 40 locks.", "Never open more than 50 locks.", False),
        ("The port of the lock must be 8080.", "The port of the lock must be 9090.", False),
    ],
)
def test_only_another_value_of_the_same_thing_takes_a_statement_back(
    first: str, second: str, same: bool
) -> None:
    steps = [step(0, first), replace(step(1, second, compaction=None), task=1)]
    after = PassageIndex([ListText("summary", 0, "summary", "Summary: worked on tests.")])
    lives = lives_of(gather(steps), steps, [1], {1: after}).lives
    assert all((life.contradicted is None) == same for life in lives if life.text == first)
    assert any(life.text == first for life in lives)


@pytest.mark.parametrize(
    ("role", "text", "calls", "lost"),
    [
        ("assistant", "", (("edit_file", '{"path": "config/prod.yaml"}'),), 1),
        ("assistant", "I edited config/prod.yaml now.", (), 1),
        ("tool", "config/prod.yaml\nREADME.md", (), 1),
        ("user", "Never edit config/prod.yaml.", (), 0),
    ],
)
def test_a_later_use_of_its_names_does_not_bring_a_lost_rule_back(
    role: str, text: str, calls: tuple[tuple[str, str], ...], lost: int
) -> None:
    later = step(1, text, role, calls, compaction=None)
    steps = [
        step(0, "Never edit config/prod.yaml."),
        replace(later, saying=replace(later.saying, generation=2)),
    ]
    after = PassageIndex([ListText("summary", 0, "summary", "Summary: worked on tests.")])
    facts = lives_of(gather(steps), steps, [1], {1: after})
    assert sum(sum(losses.lost.values()) for losses in losses_of(facts.lives)) == lost


@pytest.mark.parametrize(
    ("later", "back"),
    [
        ("Today berth 7 got 12 crates of nets.", False),
        ("The crane of berth 7 now lifts 9 crates at once, the belt 4.", False),
        ("As I said, the crane of berth 7 lifts 12 crates at once.", True),
    ],
)
def test_a_later_report_with_other_numbers_does_not_bring_a_lost_statement_back(
    later: str, back: bool
) -> None:
    steps = [step(0, "The crane of berth 7 lifts 12 crates at once."), step(1, later, compaction=None)]
    after = PassageIndex([ListText("summary", 0, "summary", "Summary: worked on tests.")])
    lives = lives_of(gather(steps), steps, [1], {1: after}).lives
    (life,) = (life for life in lives if life.compaction == 1)
    assert life.outcome == "lost"
    assert (None if life.back is None else (life.back.step, life.back.span != (0, 0))) == (
        (1, True) if back else None
    )


@pytest.mark.parametrize(
    ("kept", "outcome"),
    [
        ("Never edit config/prod.yaml.", "verbatim"),
        ("The file config/prod.yaml must never be edited.", "paraphrased"),
        ("Look at config/prod.yaml.", "unknown"),
        ("Paint the crane.", "unknown"),
    ],
)
def test_a_summary_that_cannot_be_read_leaves_a_fate_unknown_unless_a_message_has_it(
    kept: str, outcome: str
) -> None:
    steps = [step(0, "Never edit config/prod.yaml.")]
    after = PassageIndex([ListText("tail", 1, "user", kept)])
    (life,) = lives_of(gather(steps), steps, [1], {1: after}, unreadable=[1]).lives
    assert life.outcome == outcome


@pytest.mark.parametrize(
    ("text", "later", "outcome"),
    [
        ("Show the crane logs in plain words.", "- Logs of the crane in words.", "lost"),
        # A summary may have a value without its statement.
        ("Show the crane logs on port 8080.", "- Port 8080 is open.", "uncertain"),
    ],
)
def test_words_of_the_user_that_a_summary_no_longer_quotes_are_lost(
    text: str, later: str, outcome: str
) -> None:
    steps = [step(0, text)]
    quoting = PassageIndex([ListText("summary", 0, "summary", f'Messages of the user:\n- "{text}"')])
    after = PassageIndex([ListText("summary", 0, "summary", later)])
    (alone,) = lives_of(gather(steps), steps, [1], {1: after}).lives
    assert alone.outcome == "uncertain"
    (life,) = lives_of(gather(steps), steps, [1, 1], {1: quoting, 2: after}).lives
    assert [fate.outcome for fate in life.fates] == ["verbatim", outcome]


def test_a_fact_that_stays_lost_after_the_fate_of_a_model_names_the_model() -> None:
    steps = [step(0, "Never edit config/prod.yaml.")]
    lists = {number: PassageIndex([ListText("summary", 0, "summary", "Tests.")]) for number in (1, 2)}
    decided = [Fate(1, "lost", model="m"), Fate(2, "uncertain")]
    (life,) = lives_of(
        gather(steps),
        steps,
        [1, 1],
        lists,
        follow_fates=lambda asked, *_: dict.fromkeys(asked.facts, decided),
    ).lives
    assert [(fate.outcome, fate.model) for fate in life.fates] == [("lost", "m"), ("lost", "m")]
    assert {fate.outcome for fate in life.by_rules().fates} == {"uncertain"}
