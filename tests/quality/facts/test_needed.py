"""Lost requests and plain statements whose loss counts, because they were still needed."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.answers.fact_reading import read_facts
from inspector.answers.inspection import Inspection
from inspector.answers.store_losses import losses_of_facts
from inspector.stores.detect import open_store
from tests.recipes import recipe

lines = recipe("claude_lines")
SUMMARY = lines.nine_sections(primary=["Move the harbor importer"], current=["tests of the parser"])
GERMAN = "Der Import der Hafendaten ist fertig, und die Tests laufen noch nicht mit dem neuen Leser."
CHINESE = "港口数据的导入已经完成，解析器的测试还没有通过，下一步是修复解析器并重新运行所有的测试。"


def lost(
    folder: Path, *told: tuple[str, str], after: str = "Go on.", summary: str = SUMMARY
) -> list[tuple[str, str]]:
    """The kinds and texts of the listed losses of a session with turns before and a message after a compaction."""
    made = lines.Session("5e55a000-0000-4000-8000-0000000000bb")
    for words, answer in told:
        made.user(words)
        made.answer(lines.text(answer))
    made.compact(summary)
    made.user(after)
    made.answer(lines.text("Done."))
    store = open_store(made.write(folder / "a.jsonl"))
    (row,) = store.conversations()
    inspection = Inspection.open(store, row.id)
    found = losses_of_facts(inspection, read_facts(inspection).facts)
    store.close()
    return [(fact.category, fact.text) for loss in found.compactions for fact in loss.facts]


REQUEST = "Rename the lamps of the old pier in the table."
OTHERS = (("Hello there.", "Yes?"), ("Which tide is it?", "It is high tide."))


@pytest.mark.parametrize(
    ("told", "count"),
    [
        # The agent does something else.
        (((REQUEST, "The tests of the parser pass."), *OTHERS), 1),
        # It does it, or the request is old.
        (((REQUEST, "The lamps of the pier have new names."), *OTHERS), 0),
        (((REQUEST, "The tests of the parser pass."), *OTHERS, ("And the moon?", "It is full.")), 0),
        # Its answer in another language proves nothing.
        (((REQUEST, "Die Boote sind nicht mehr im alten Hafen und das ist gut."),), 0),
    ],
)
def test_a_late_request_that_the_agent_never_mentions_is_a_loss(
    tmp_path: Path, told: tuple[tuple[str, str], ...], count: int
) -> None:
    assert lost(tmp_path, *told) == [("decision", REQUEST)] * count


def test_a_plain_statement_that_the_user_comes_back_to_is_a_loss(tmp_path: Path) -> None:
    plain = "just like the identity part, as the chart wrote it, and we can sail the same way"
    told = ((plain, "The identity part of the chart is fine."), *OTHERS, *OTHERS, *OTHERS)
    assert lost(tmp_path, *told) == []
    again = "no, not this one, look at the identity part and at what the chart wrote"
    assert lost(tmp_path, *told, after=again) == [("statement", plain)]


def test_a_statement_without_a_lexicon_is_a_loss_unless_the_agent_used_its_name(tmp_path: Path) -> None:
    rule = "Merk dir, dass du die alten Boote immer erst nach Rücksprache mit mir streichst."
    link = "Kannst du bitte die Karte in /hafen/karten/tiden.csv für mich noch einmal lesen."
    told = ((rule, "Alles klar, ich frage dich."), (link, "Die Datei /hafen/karten/tiden.csv hat 9 Zeilen."))
    assert lost(tmp_path, *told, *OTHERS, *OTHERS, summary=GERMAN) == [("statement", rule)]


def test_chinese_requests_need_no_separate_sign(tmp_path: Path) -> None:
    wish = "码头那边的红灯怎么都不亮了，潮汐表也找不到"
    assert lost(tmp_path, (wish, "解析器的测试已经通过了。"), summary=CHINESE) == [("statement", wish)]
    assert lost(tmp_path, (wish, "码头那边的红灯又亮了，潮汐表也找到了。"), summary=CHINESE) == []
