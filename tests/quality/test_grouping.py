"""Findings with one cause are one entry; dismissed findings are hidden and come back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from inspector.answers.answers import Answers
from inspector.answers.fact_reading import read_facts
from inspector.answers.fact_results import read_losses
from inspector.answers.findings import TitledFinding, read_findings
from inspector.answers.inspection import Inspection
from inspector.answers.losses import facts_of
from inspector.answers.overview import read_overview, stored_overview
from inspector.commands.cli import commands
from inspector.config.dismissals import Dismissals
from inspector.core.conversations import Compaction
from inspector.export.findings import print_findings
from inspector.quality.find import find
from inspector.quality.finding import Finding
from inspector.quality.grouping import dismissal_key, grouped, parted, ranges_of
from inspector.quality.losses import losses_of
from inspector.quality.measures import survival
from inspector.stores.detect import open_store
from tests.quality.made import compaction_evidence, evidence


def finding(compaction: int, rule: str = "quick-succession", cause: str = "") -> Finding:
    return Finding(rule, "warning", "s", compaction, None, None, None, f"at {compaction}", cause=cause)


def test_a_loop_of_compactions_is_one_group() -> None:
    (group,) = grouped(finding(number) for number in range(2, 212))
    assert group.text == "at 2 210 times in all, at compactions 2 to 211."
    assert group.first.compaction == 2


def test_the_heading_of_the_command_counts_groups(capsys: pytest.CaptureFixture[str]) -> None:
    print_findings(TitledFinding(finding(number), "Tides") for number in range(2, 212))
    heading = capsys.readouterr().out.splitlines()[0]
    assert heading.split() == ["Tides", "s", "1", "warning"]


def test_lost_rules_are_separate_groups() -> None:
    groups = grouped(
        [
            finding(1, "constraint-lost", "a"),
            finding(1, "constraint-lost", "b"),
            finding(2, "constraint-lost", "a"),
        ]
    )
    assert [(group.first.cause, group.compactions) for group in groups] == [("a", (1, 2)), ("b", (1,))]


def test_one_loss_is_one_group_with_its_worst_finding_first() -> None:
    found = [finding(number, rule, "a") for number, rule in ((1, "said-again"), (2, "constraint-lost"))]
    (group,) = grouped([*found, finding(1, "rule-broken", "a")])
    assert [one.rule for one in group.findings] == ["rule-broken", "constraint-lost", "said-again"]
    assert group.text == (
        "at 1 A constraint of the user is lost (compaction 2). "
        "The user had to repeat a statement (compaction 1)."
    )


def test_a_dismissed_loss_hides_its_lesser_findings_and_no_graver_one() -> None:
    broken, lost, again = (finding(1, rule, "a") for rule in ("rule-broken", "constraint-lost", "said-again"))
    assert parted((broken, lost, again), {dismissal_key(broken)}) == ((), (broken, lost, again))
    assert parted((broken, lost, again), {dismissal_key(again)}) == ((broken, lost), (again,))


@given(st.lists(st.builds(finding, st.integers(1, 5), st.sampled_from("pq"), st.sampled_from(["", "a"]))))
def test_groups_have_every_finding_once(findings: list[Finding]) -> None:
    groups = grouped(findings)
    assert sorted(map(repr, findings)) == sorted(repr(one) for group in groups for one in group.findings)
    assert len({(one.first.rule, one.first.cause) for one in groups}) == len(groups)


@pytest.mark.parametrize(
    ("numbers", "text"), [([], ""), ([3], "3"), ([1, 2], "1, 2"), ([4, 1, 2, 3, 9, 9], "1 to 4, 9")]
)
def test_numbers_are_shown_as_ranges(numbers: list[int], text: str) -> None:
    assert ranges_of(numbers) == text


def test_one_loss_gives_one_finding() -> None:
    from inspector.quality.evidence import LostRule
    from inspector.quality.facts.gaps import Gap

    rule = "Never push to main."
    found = find(
        evidence(
            compaction_evidence(
                1,
                lost=(LostRule(rule, 1, 4),),
                gaps=(Gap("claimed", rule, "No pending tasks", 1, 4),),
            )
        )
    )
    assert [one.rule for one in found if one.cause] == ["constraint-lost"]


def test_dismissals_survive_a_restart_and_bad_files(tmp_path: Path) -> None:
    key = dismissal_key(finding(1, "constraint-lost", "a"))
    assert Dismissals.load(tmp_path).toggle_finding("root", key).toggle_fact("root", "f").save()
    loaded = Dismissals.load(tmp_path)
    assert loaded.findings == {("root", key)}
    assert loaded.facts_of("root") == {"f"}
    assert loaded.facts_of("other") == frozenset()
    assert loaded.toggle_fact("root", "f").facts_stamp("root") == ""
    assert loaded.toggle_fact("other", "f").changed_since(loaded) == {"other"}
    (tmp_path / "dismissed.json").write_text('{"findings": [1, ["a"], [2, 3]], "facts": {}}')
    damaged = Dismissals.load(tmp_path)
    assert not damaged.findings
    assert not damaged.facts


def test_a_dismissed_finding_is_hidden_with_a_note(
    fixtures_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inspector.config.dismissals.state_dir", lambda: tmp_path)
    words = ["findings", str(fixtures_dir / "hermes-0.13-rotating.db"), "Move checkout to orders-v2"]
    before = CliRunner().invoke(commands, words)
    assert "No summary was made" in before.stdout
    answers = Answers(open_store(fixtures_dir / "hermes-0.13-rotating.db"), {}, None)
    inspection, _ = answers.opened("Move checkout to orders-v2")
    root = inspection.conversation.row.root
    Dismissals.load().toggle_finding(root, dismissal_key(finding(2, "summary-fallback"))).save()
    hidden = CliRunner().invoke(commands, words)
    assert "No summary was made" not in hidden.stdout
    assert "1 dismissed finding not shown" in hidden.stderr
    assert "No summary was made (dismissed)" in CliRunner().invoke(commands, [*words, "--dismissed"]).stdout


def test_the_list_counts_findings_as_they_are_listed(
    fixtures_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    store = open_store(fixtures_dir / "hermes-0.13-rotating.db")
    row = next(row for row in store.conversations() if row.title == "Move checkout to orders-v2")
    grave = [one for one in read_findings(*Answers(store, {}, None).opened(row.id)) if one.severity != "info"]
    assert read_overview(store, row, {}, None).findings == len(grouped(grave)) < len(grave)


def test_a_dismissed_fact_counts_nowhere_and_is_listed_apart(
    fixtures_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inspector.config.dismissals.state_dir", lambda: tmp_path)
    # A kept result is used if the settings are resolved without the list of prices.
    monkeypatch.setattr("inspector.answers.overview.is_kept", lambda *_: True)
    path, name = fixtures_dir / "hermes-0.13-rotating.db", "Move checkout to orders-v2"
    store = open_store(path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def everywhere() -> tuple[int, int, int, int, int, int]:
        """Count the lost facts by every answer: overview, losses, survival, at risk, report, findings."""
        row = next(row for row in store.conversations() if row.title == name)
        overview = read_overview(store, row, {}, None)
        losses = read_losses(Answers(store, {}, None), row.id)
        reading = read_facts(Inspection.open(store, name))
        shares = survival(reading.facts, Inspection.open(store, name).compactions()).shares["constraint"]
        assert stored_overview(store, row, {}, None) == overview
        return (
            overview.constraints,
            losses.lost.get("constraint", 0),
            sum(life.fact.key == lost.fact.key for life in reading.facts.lives),
            sum(share.of for share in shares if share is not None),
            losses.dismissed,
            sum(one.cause == lost.fact.text for one in read_findings(*Answers(store, {}, None).opened(name))),
        )

    inspection = Inspection.open(store, name)
    facts = facts_of(inspection)
    lost = next(life for one in losses_of(facts.lives) for life in one.worst if life.fact.binds)
    before = everywhere()
    assert before[2] > 0
    assert before[5] > 0
    Dismissals.load().toggle_fact(inspection.conversation.row.root, lost.fact.key).save()
    after = everywhere()
    assert after[0] == before[0] - 1
    assert after[1] == before[1] - 1
    assert after[2] == 0
    assert after[3] < before[3]
    assert after[4] == 1
    assert after[5] == 0
    listed = CliRunner().invoke(commands, ["facts", str(path), name, "--dismissed", "--json"])
    assert {entry["key"] for entry in json.loads(listed.stdout)} == {lost.fact.key}
    for command in ("facts", "losses"):
        done = CliRunner().invoke(commands, [command, str(path), name])
        assert "1 dismissed fact is not counted" in done.stderr
    store.close()


def test_groups_of_real_evidence_keep_their_places() -> None:
    recorded: list[Compaction] = [compaction_evidence(number).recorded for number in (1, 2, 3)]
    found = find(evidence(*(compaction_evidence(one.index, {"before": 45}) for one in recorded)))
    group = next(group for group in grouped(found) if group.first.rule == "quick-succession")
    assert group.compactions == (2, 3)


def test_a_constraint_that_the_live_list_has_again_is_no_finding(fixtures_dir: Path) -> None:
    answers = Answers(open_store(fixtures_dir / "hermes-0.13-rotating.db"), {}, None)
    inspection, resolved = answers.opened("Move checkout to orders-v2")
    facts = facts_of(inspection)
    back = {life.text for life in facts.lives if life.fact.binds and life.died and life.fates[-1].alive}
    lost = {one.cause for one in read_findings(inspection, resolved, facts) if one.rule == "constraint-lost"}
    assert "Keep stripe-node pinned to 14.21.0." in back
    assert lost
    assert not lost & back
