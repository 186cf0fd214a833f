"""What brings a lost fact back: its own words, not the act that breaks it."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from inspector.quality.facts.gather import gather
from inspector.quality.facts.lives import lives_of
from inspector.quality.facts.passages import ListText, PassageIndex
from inspector.quality.losses import losses_of
from tests.quality.facts.made_facts import step


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
