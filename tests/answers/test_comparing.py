"""Two folders of sessions compared, with intervals."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from inspector.answers.answers import Answers
from inspector.answers.attempting import place_of
from inspector.answers.comparing import FolderComparison, Side, side_of
from inspector.answers.fact_results import Aftermath
from inspector.answers.inspection import Inspection
from inspector.answers.judging import subject_of
from inspector.answers.losses import facts_of, read_aftermath
from inspector.answers.repeats import repeat_prompts
from inspector.commands.cli import commands
from inspector.core.conversations import Compaction
from inspector.core.errors import StoreDamaged, UsageProblem
from inspector.core.places import Place
from inspector.export.comparing import comparison_page, comparison_table
from inspector.models.kept import default_attempts
from inspector.models.masking import Masker
from inspector.models.summarizers.command import CommandSummarizer
from inspector.quality.aftermath import AftermathEvent
from inspector.quality.measures import Share
from inspector.stores.detect import open_store
from tests.stores.writer import Writer, create, talk


@given(st.integers(0, 10_000), st.integers(0, 10_000))
def test_an_interval_holds_its_share(count: int, more: int) -> None:
    share = Share(count, count + more)
    low, high = share.interval
    assert 0 <= low <= high <= 1
    if share.value is not None:
        assert low - 1e-9 <= share.value <= high + 1e-9


@pytest.mark.parametrize(
    ("count", "of", "low", "high"), [(7, 10, 0.397, 0.892), (0, 20, 0.0, 0.161), (50, 100, 0.404, 0.596)]
)
def test_intervals_are_those_of_wilson(count: int, of: int, low: float, high: float) -> None:
    assert Share(count, of).interval == pytest.approx((low, high), abs=0.001)


def test_only_intervals_that_do_not_overlap_differ() -> None:
    few, many = Share(3, 4), Share(90, 100)
    assert not few.differs(Share(1, 4))
    assert many.differs(Share(40, 100))
    sides = (Side("a", kept={"constraint": many}), Side("b", kept={"constraint": Share(40, 100)}))
    assert FolderComparison(*sides).differs == ("constraint", "facts")
    assert [row[3] for row in comparison_table(FolderComparison(*sides)) if row[0] == "constraint kept"] == [
        "differs"
    ]


def test_a_share_that_is_nearly_whole_is_not_shown_as_whole() -> None:
    sides = (Side("a", kept={"constraint": Share(399, 400)}), Side("b", kept={"constraint": Share(1, 400)}))
    (row,) = [row for row in comparison_table(FolderComparison(*sides)) if row[0] == "constraint kept"]
    assert row[1].startswith("399 of 400: 99% (")
    assert row[2].startswith("1 of 400: <1% (")


def test_the_command_compares_two_folders(fixtures_dir: Path) -> None:
    words = [
        "check",
        str(fixtures_dir / "hermes-0.13-rotating.db"),
        "--against",
        str(fixtures_dir / "hermes-0.19-in-place.db"),
    ]
    found = json.loads(CliRunner().invoke(commands, [*words, "--json"]).stdout)
    assert [side["compactions"] for side in found["sides"]] == [6, 5]
    assert all(side["all_kept"]["of"] > 0 for side in found["sides"])
    assert "facts kept" in CliRunner().invoke(commands, words).stdout
    assert isinstance(CliRunner().invoke(commands, [*words, "--format", "junit"]).exception, UsageProblem)


def test_pasted_rules_are_not_counted_as_kept_or_lost(tmp_path: Path) -> None:
    writer = Writer(create(tmp_path / "state.db"))
    writer.begin(title="Harbor")
    said = "Never sound the foghorn at night.\n\n> Never open both gates at once.\n> Never moor on Mondays."
    writer.say([{"role": "user", "content": said}, *talk(12)])
    writer.compact(0, 44, f"## Goal\n{said}")
    store = open_store(writer.end())
    assert side_of(Answers(store, {}, None), "a").kept["constraint"] == Share(1, 1)
    store.close()


@pytest.mark.parametrize(("named", "hurt"), [(False, 1), (True, 0)])
def test_files_that_the_user_names_are_no_repeated_work_of_a_compaction(
    fixtures_dir: Path, monkeypatch: pytest.MonkeyPatch, named: bool, hurt: int
) -> None:
    reading = AftermathEvent(1, "read again", Place(2, 3, 9), None, "pier.py", 10, named=named)
    monkeypatch.setattr(
        "inspector.answers.comparing.read_conversation_aftermath",
        lambda answers, name: Aftermath(1, 0, (reading, reading)),
    )
    store = open_store(fixtures_dir / "hermes-0.19-in-place.db")
    side = side_of(Answers(store, {}, None), "a")
    conversations = len(store.conversations())
    store.close()
    assert side.aftermath == {"read again": conversations}
    assert side.hurt.count == hurt * conversations


def test_a_folder_compared_with_itself_does_not_differ(fixtures_dir: Path) -> None:
    database = str(fixtures_dir / "hermes-0.19-in-place.db")
    found = json.loads(
        CliRunner().invoke(commands, ["check", database, "--against", database, "--json"]).stdout
    )
    assert found["differs"] == []
    one, other = found["sides"]
    assert one == other


def test_an_unreadable_conversation_is_noted_once(
    fixtures_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A conversation can be in both folders, and the answer has the note too."""

    def unreadable(self: Inspection) -> tuple[Compaction, ...]:
        raise StoreDamaged("The page is torn.")

    monkeypatch.setattr(Inspection, "compactions", unreadable)
    path = str(fixtures_dir / "agents" / "codex")
    done = CliRunner().invoke(commands, ["check", path, "--against", path])
    assert done.stdout.count("The page is torn.") == 1
    assert str(done.exception) == "The answer is incomplete: 2 conversations are left out."
    found = FolderComparison(Side("a", unread=("Torn.",)), Side("b", unread=("Torn.", "Cut.")))
    assert comparison_page(found, False).count("Torn.") == 1


@pytest.mark.parametrize("html", [True, False], ids=["html", "markdown"])
def test_a_page_has_every_row_and_shows_hostile_names_as_text(html: bool) -> None:
    label = "<script>alert(1)</script>|a"
    found = FolderComparison(
        Side(label, 3, 2, {"constraint": Share(1, 4)}, unread=("<b>x</b> | y",)), Side("b" * 60)
    )
    page = comparison_page(found, html)
    assert "<script>" not in page
    assert "<b>x" not in page
    assert "(nothing)" not in page
    for name, *_ in comparison_table(found)[1:]:
        assert name in page


def test_the_decisions_of_a_model_make_no_difference_between_folders(
    fixtures_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    path = tmp_path / "state.db"
    shutil.copy(fixtures_dir / "hermes-0.19-in-place.db", path)
    answers = Answers(open_store(path), {}, None)
    before = side_of(answers, "a")
    inspection, _ = answers.opened("20260217_080000_6f1178")
    lives = facts_of(inspection, by_rules=True).undecided(1)
    statements = [{"id": life.fact.key[:8], "fate": "lost", "evidence": ""} for life in lives]
    place = place_of(inspection.store, inspection.conversation.row, 1)
    answer = json.dumps({"statements": statements})
    default_attempts().keep_answer(
        "key", place, CommandSummarizer("mine"), answer, subject_of(inspection.compaction(1))
    )
    assert any(life.fate.model for life in facts_of(inspection).lives)
    (prompt,) = repeat_prompts(inspection, 1, Masker())
    later, earlier = (text.split("[USER] ")[1][:40] for text in (prompt.after, prompt.piece))
    answer = json.dumps({"statements": [{"later": later, "earlier": earlier}]})
    default_attempts().keep_answer("other", place, CommandSummarizer("mine"), answer, prompt.subject)
    assert any(event.model for event in read_aftermath(inspection, facts_of(inspection)))
    assert side_of(answers, "a") == before
