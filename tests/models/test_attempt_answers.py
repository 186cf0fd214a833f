"""Prompts of a compaction, facts that an attempt keeps, whole lives, and recall, on the bundled conversations."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inspector.answers.answers import Answers
from inspector.answers.attempt_life import LifeOrder, life_curve, life_of, life_sending, make_life
from inspector.answers.attempt_survival import outcomes_of
from inspector.answers.attempting import Order, PromptWording, ask_for, carry_out, recorded_list, sending_of
from inspector.answers.fact_reading import pruned_by, read_facts
from inspector.answers.inspection import Inspection
from inspector.answers.recall import Exam, exams_of
from inspector.app.conversation.attempt_views import AttemptsRead, attempts_view
from inspector.commands.sources import open_source
from inspector.core.errors import UsageProblem
from inspector.engines.base import Settings
from inspector.export.attempts import outcome_rows
from inspector.models.attempt import Attempt
from inspector.models.consent import Allowance
from inspector.models.kept import KeptAttempts
from inspector.models.masking import Masker
from inspector.models.summarizers.base import OnText, Reply
from inspector.models.summarizers.command import CommandSummarizer
from inspector.stores.detect import open_store
from tests.examples import also
from tests.program import Run
from tests.recipes import recipe
from widgets.panes.attempt_lines import attempt_lines, head_lines, kept_words, table_lines

ROOT = Path(__file__).resolve().parents[2]
ROTATING = "Move checkout to orders-v2"
STAND_IN = f"{shlex.quote(sys.executable)} {shlex.quote(str(ROOT / 'fixtures' / 'summarizer.py'))}"


class Writing:
    """A summarizer that writes the result of a function of the prompt."""

    kind, model, to = "command", "", "nobody"

    def __init__(self, make: Callable[[str], str], name: str = "writing") -> None:
        self.make, self.name, self.where = make, name, name
        self.prompts: list[str] = []

    def write(self, prompt: str, on_text: OnText) -> Reply:
        self.prompts.append(prompt)
        on_text("")
        return Reply(self.make(prompt))


def opened(name: str) -> tuple[Inspection, Settings]:
    inspection, resolved = Answers(open_source(None, True), {}, None).opened(name)
    return inspection, resolved.settings


def made_by(
    make: Callable[[str], str], name: str, compaction: int, kept: KeptAttempts
) -> tuple[Inspection, Settings, Attempt]:
    inspection, settings = opened(name)
    masker = Masker()
    ask = ask_for(recorded_list(inspection, settings, compaction), settings, PromptWording(), masker=masker)
    orders = [Order(ask, Writing(make))]
    (made,) = carry_out(orders, inspection, kept, Allowance(sending_of(orders, masker)), lambda *_: None)
    return inspection, settings, made


CONVERSATIONS = [
    (ROTATING, 1), (ROTATING, 3), ("Nightly orders import loses rows", 1), ("Nightly orders import loses rows", 3),
    ("Search cluster to OpenSearch 2.19.1", 2), ("小程序首页改版", 1),
]  # fmt: skip
#: Half of the conversations in the test command, all with --slow.
SOME = [one if at % 2 else pytest.param(*one, marks=pytest.mark.slow) for at, one in enumerate(CONVERSATIONS)]


@pytest.mark.parametrize(("name", "compaction"), SOME)
def test_an_attempt_with_the_recorded_text_keeps_the_recorded_facts(
    name: str, compaction: int, kept: KeptAttempts
) -> None:
    """An attempt equal to the recorded text has the recorded fates, for any place of the summary in the list."""
    inspection, settings = opened(name)
    recorded = inspection.compactions()[compaction - 1]
    inspection, settings, made = made_by(lambda _: recorded.summary or "", name, compaction, kept)
    own, again = outcomes_of(inspection, settings, compaction, [made])
    assert own.attempt is None
    assert again.attempt == made
    assert [(life.fact.key, life.outcome) for life in own.lives] == [
        (life.fact.key, life.outcome) for life in again.lives
    ]
    assert own.lives
    # Releases from 0.19.0 on add the last request to the summary, here in other words.
    assert own.retained - own.tokens == again.retained - again.tokens
    if "Historical Task Snapshot" not in (recorded.summary or ""):
        assert own.tokens == again.tokens


@pytest.mark.parametrize(("name", "compaction"), SOME)
def test_recorded_fates_equal_those_of_the_full_reading(
    name: str, compaction: int, kept: KeptAttempts
) -> None:
    inspection, settings = opened(name)
    facts = read_facts(inspection, None, None, pruned_by(inspection, settings)).facts
    (own,) = outcomes_of(inspection, settings, compaction, [])
    assert [(life.fact.key, life.outcome) for life in own.lives] == [
        (life.fact.key, life.outcome) for life in facts.of(compaction)
    ]


def test_texts_that_the_agent_adds_keep_no_fact_of_the_recorded_summary(tmp_path: Path) -> None:
    lines = recipe("claude_lines")
    session = lines.Session("5e55a000-0000-4000-8000-000000000001")
    session.user("Never write to /home/dev/x.jsonl.")
    session.answer(lines.text("I will not."))
    around = "read the full transcript at: /home/dev/x.jsonl"
    session.compact(
        f"{lines.nine_sections(primary=['Count the berths.'])}\n\nIf you need specific details from before, {around}"
    )
    session.user("Go on.")
    answers = Answers(open_store(session.write(tmp_path / "a.jsonl")), {}, None)
    (row,) = answers.store.conversations()
    inspection, resolved = answers.opened(row.id)
    assert around in (inspection.compactions()[0].summary or "")
    whole = read_facts(inspection).facts
    (own,), (again,) = (outcomes_of(inspection, resolved.settings, 1, (), facts) for facts in (whole, None))
    assert [life.outcome for life in again.lives] == [life.outcome for life in own.lives] == ["lost"]
    answers.store.close()


def test_the_whole_text_keeps_everything_and_an_empty_summary_loses_it(kept: KeptAttempts) -> None:
    def everything(prompt: str) -> str:
        return prompt.partition("<messages>\n")[2].partition("\n</messages>")[0]

    inspection, settings, all_of_it = made_by(everything, ROTATING, 2, kept)
    _, _, nothing = made_by(lambda _: "None.", ROTATING, 2, kept)
    own, best, worst = outcomes_of(inspection, settings, 2, [all_of_it, nothing])
    assert best.kept == best.of > worst.kept
    assert worst.kept <= own.kept
    assert best.retained - worst.retained == best.tokens - worst.tokens > 0


def test_the_prompt_has_the_middle_and_the_summary_before() -> None:
    inspection, settings = opened(ROTATING)
    second = recorded_list(inspection, settings, 2)
    ask = ask_for(second, settings, PromptWording(focus="the pool"))
    recorded = inspection.compaction(2)
    assert (second.plan.head_end, second.plan.tail_start) == (recorded.head_end, recorded.tail_start)
    assert (inspection.compactions()[0].summary or "")[:200] in ask.prompt
    assert "the pool" in ask.prompt
    head, tail = second.plan.regions()
    assert ask.settings["messages"] == tail - second.plan.summarized_from
    assert ask.budget == ask_for(second, settings, PromptWording()).budget == second.plan.summary_budget
    assert f"about {ask.budget} tokens" in ask.prompt
    assert "about 300 tokens" in ask_for(second, settings, PromptWording(), 300).prompt
    assert head > 0


@pytest.mark.parametrize("budget", [0, 99, 100_001, -5])
def test_a_budget_out_of_range_is_refused(budget: int) -> None:
    inspection, settings = opened(ROTATING)
    with pytest.raises(UsageProblem, match="between 100 and 100,000"):
        ask_for(recorded_list(inspection, settings, 1), settings, PromptWording(), budget)


def test_an_unknown_compaction_is_an_error() -> None:
    inspection, settings = opened(ROTATING)
    with pytest.raises(UsageProblem, match="no compaction 9; it has 1, 2, 3, 4"):
        recorded_list(inspection, settings, 9)


@pytest.mark.parametrize("agent", also("codex", "claude-code", "pi", "opencode"))
def test_attempts_for_other_agents(agent: str, kept: KeptAttempts) -> None:
    answers = Answers(open_source(None, True), {}, None)
    tried = 0
    for row in answers.store.conversations():
        if row.agent != agent:
            continue
        inspection, resolved = answers.opened(row.id)
        for recorded in inspection.compactions():
            tried += 1
            listed = recorded_list(inspection, resolved.settings, recorded.index)
            ask = ask_for(listed, resolved.settings, PromptWording())
            assert "not known" in ask.settings["note"]
            orders = [Order(ask, Writing(lambda _: "## Goal\nNone of it."))]
            made = carry_out(
                orders, inspection, kept, Allowance(sending_of(orders, Masker())), lambda *_: None
            )
            own, again = outcomes_of(inspection, resolved.settings, recorded.index, made)
            assert len(own.lives) == len(again.lives)
            assert all(life.outcome != "unknown" for life in again.lives)
    assert tried


def test_every_summary_of_a_compaction_is_counted_over_the_same_facts(kept: KeptAttempts) -> None:
    """Little is known of an encrypted summary, so it counts as neither better nor worse than a readable summary."""
    answers = Answers(open_source(None, True), {}, None)
    seen = 0
    for row in answers.store.conversations():
        inspection, resolved = answers.opened(row.id)
        for recorded in filter(lambda one: one.encrypted, inspection.compactions()):
            seen += 1
            ask = ask_for(
                recorded_list(inspection, resolved.settings, recorded.index),
                resolved.settings,
                PromptWording(),
            )
            orders = [Order(ask, Writing(lambda _: "## Goal\nNone of it."))]
            made = carry_out(
                orders, inspection, kept, Allowance(sending_of(orders, Masker())), lambda *_: None
            )
            outcomes = outcomes_of(inspection, resolved.settings, recorded.index, made)
            own, again = outcomes
            assert own.open > again.open == 0
            assert [(one.kind, one.of) for one in own.survival()] == [
                (one.kind, one.of) for one in again.survival()
            ]
            assert own.of == again.of == len(own.lives) > 0
            assert (own.tokens, own.retained) == (None, None)
            assert next(row[-3:-1] for row in outcome_rows(outcomes)) == ["–", "–"]
            view = attempts_view(AttemptsRead(recorded.index, outcomes), recorded)
            heads = "\n".join(line.text for line in head_lines(view.attempts[0], view.recorded))
            assert "recorded unknown" in heads
            kept_text = kept_words(view.attempts[0], view.recorded)
            assert kept_text.endswith(
                f"{again.kept} of {again.of} facts, recorded {own.kept} of {own.of} (±{own.open})"
            )
            table = "\n".join(line.text for line in table_lines(view, 120))
            for one in own.survival():
                assert f"{one.kept}/{one.of}{f' ±{one.open}' if one.open else ''}" in table
            # No answer compares it with an unreadable summary.
            assert "added" not in [span.style for line in attempt_lines(view) for span in line.spans]
    assert seen


def test_a_curve_leaves_out_facts_that_only_an_unreadable_summary_may_have(kept: KeptAttempts) -> None:
    answers = Answers(open_source(None, True), {}, None)
    seen = 0
    for row in answers.store.conversations():
        inspection, resolved = answers.opened(row.id)
        encrypted = [one for one in inspection.compactions() if one.encrypted]
        for recorded in encrypted[:1]:
            seen += 1
            order = LifeOrder(Writing(lambda _: "## Goal\nNone of it."), PromptWording(), recorded.index)
            allowance = Allowance(life_sending(inspection, resolved.settings, order))
            made = make_life(inspection, resolved.settings, order, kept, allowance, lambda *_: None)
            (own, *_) = outcomes_of(inspection, resolved.settings, recorded.index, made[:1])
            point = life_curve(inspection, resolved.settings, {one.place.compaction: one for one in made})[0]
            assert (point.of, point.recorded) == (own.kept, own.kept)
            assert point.recorded_tokens is None
    assert seen


def test_a_life_builds_on_its_own_summaries_and_resumes(kept: KeptAttempts) -> None:
    inspection, settings = opened(ROTATING)
    count = 0

    def numbered(_: str) -> str:
        nonlocal count
        count += 1
        if count == 3:
            raise KeyboardInterrupt
        return f"## Goal\nSummary number {count}."

    first = Writing(numbered, "one")
    order = LifeOrder(first, PromptWording(), 1)
    with pytest.raises(KeyboardInterrupt):
        make_life(
            inspection,
            settings,
            order,
            kept,
            Allowance(life_sending(inspection, settings, order)),
            lambda *_: None,
        )
    done = life_of(kept.all(), 1)
    assert list(done) == [1, 2]
    assert "Summary number 1." in first.prompts[1]
    assert (inspection.compactions()[0].summary or "")[:200] not in first.prompts[1]

    second = Writing(lambda _: "## Goal\nGone on.", "two")
    again = LifeOrder(second, PromptWording(), 1, None, done, 1)
    sending = life_sending(inspection, settings, again)
    assert (sending.requests, sending.growing) == (2, True)
    made = make_life(inspection, settings, again, kept, Allowance(sending), lambda *_: None)
    assert [one.place.compaction for one in made] == [1, 2, 3, 4]
    assert "Summary number 2." in second.prompts[0]
    assert {one.life for one in made} == {1}
    assert list(life_of(kept.all(), 1)) == [1, 2, 3, 4]
    with pytest.raises(UsageProblem, match="already made again"):
        life_sending(
            inspection, settings, LifeOrder(second, PromptWording(), 1, None, life_of(kept.all(), 1), 1)
        )


def run(program: Run, *words: str) -> Any:
    done = program(*words, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_batch_is_every_summarizer_by_compaction_by_budget(program: Run) -> None:
    found = run(
        program, "attempt", "--demo", ROTATING, "--compaction", "1", "--compaction", "3", "--budget", "300",
        "--budget", "2000", "--command", STAND_IN, "--command", f"{STAND_IN} --size 150", "--send",
    )  # fmt: skip
    assert found["sending"]["prompts"] == len(found["attempts"]) == 8
    assert [entry["attempt"] and entry["attempt"]["id"] for entry in found["summaries"]] == [
        None, 1, 2, 3, 4, None, 5, 6, 7, 8,
    ]  # fmt: skip
    for entry in found["summaries"]:
        assert entry["of"] == sum(kind["of"] for kind in entry["survival"].values())
        assert entry["kept"] == sum(kind["kept"] for kind in entry["survival"].values())
        assert entry["open"] == sum(kind["open"] for kind in entry["survival"].values())
        assert len(entry["facts"]) == entry["of"]
    listed = run(program, "attempts")
    assert [one["id"] for one in listed] == list(range(1, 9))
    assert listed == found["attempts"]
    beside = run(program, "attempts", "--demo", ROTATING)
    assert sorted(str(entry["attempt"]) for entry in beside) == sorted(
        str(entry["attempt"]) for entry in found["summaries"]
    )
    assert run(program, "attempts", "--show", "3")["prompt_text"].count("<messages>") == 1
    assert run(program, "attempts", "--delete", "3", "--delete", "4") == {"deleted": 2}
    assert [one["id"] for one in run(program, "attempts")] == [1, 2, 5, 6, 7, 8]


def test_a_conversation_has_the_same_attempts_in_a_file_and_in_its_folder(program: Run) -> None:
    file = ROOT / "fixtures" / "agents" / "codex" / "rollout-2026-07-12-loom.jsonl"
    made = run(program, "attempt", str(file), "--compaction", "1", "--command", STAND_IN, "--send")[
        "attempts"
    ]
    for path in (file, file.parent):
        assert run(program, "attempts", str(path)) == made
        outcomes = run(program, "attempts", str(path), "The loom loses threads")
        assert [outcome["attempt"] for outcome in outcomes] == [None, *made]


def test_attempts_are_listed_only_for_the_named_store(program: Run) -> None:
    found = run(program, "attempt", "--demo", ROTATING, "--compaction", "1", "--command", STAND_IN, "--send")
    (made,) = found["attempts"]
    folder, name = Path(made["store"]).parent, Path(made["store"]).name
    for same in (["--demo"], [str(folder / name)], [str(folder / ".." / folder.name / name)]):
        assert run(program, "attempts", *same) == [made], same
    other = program("attempts", str(folder / "agents" / "pi"), "--json")
    assert json.loads(other.stdout) == []
    assert "1 attempt of other stores not shown" in other.stderr
    assert program("attempts", str(folder / "gone.db")).returncode == 1
    named = program("attempts", "--life", "1")
    assert (named.returncode, named.stdout) == (2, "")


def test_attempts_without_a_text_are_named(program: Run) -> None:
    made = program("attempt", "--demo", ROTATING, "--compaction", "1", "--command", "false", "--send")
    assert made.returncode == 1
    listed = program("attempts", "--demo", ROTATING, "--json")
    assert [entry["attempt"] for entry in json.loads(listed.stdout)] == [None]
    assert "1 attempt without a text not shown; `attempts` lists all." in listed.stderr


def test_an_attempt_at_a_planned_compaction(program: Run) -> None:
    words = ("--step", "60", "--context-length", "64000", "--threshold", "0.2")
    found = run(program, "attempt", "--demo", ROTATING, *words, "--command", STAND_IN, "--send")
    (entry,) = found["summaries"]
    assert entry["attempt"]["step"] == 60
    assert entry["of"] > 0
    assert 0 < entry["kept"] <= entry["of"]


def test_a_life_on_the_command_line_has_its_curve(program: Run) -> None:
    found = run(
        program,
        "life",
        "--demo",
        ROTATING,
        "--compaction",
        "2",
        "--command",
        f"{STAND_IN} --size 200",
        "--send",
    )
    assert [point["compaction"] for point in found["curve"]] == [2, 3, 4]
    for point in found["curve"]:
        assert 0 <= point["made"] <= point["of"]
        assert 0 <= point["recorded"] <= point["of"]
    assert run(program, "attempts", "--demo", ROTATING, "--life", str(found["life"])) == found["curve"]


def test_recall_is_judged_by_the_value_and_shows_agreement(program: Run) -> None:
    run(
        program,
        "attempt",
        "--demo",
        ROTATING,
        "--compaction",
        "1",
        "--command",
        f"{STAND_IN} --size 300",
        "--send",
    )
    found = run(program, "recall", "--demo", ROTATING, "--compaction", "1", "--command", STAND_IN, "--send")
    assert [entry["attempt"] for entry in found["recall"]] == [None, 1]
    for entry in found["recall"]:
        agreed = entry["agreement"]
        assert entry["asked"] == len(entry["questions"]) > 3
        assert entry["right"] == sum(one["right"] for one in entry["questions"])
        assert agreed["of"] + agreed["open"] == entry["asked"]
        for one in entry["questions"]:
            assert one["value"] not in one["question"]


def test_recall_asks_about_finished_attempts_and_keeps_answers_despite_a_failure(
    program: Run, tmp_path: Path
) -> None:
    makes = ("attempt", "--demo", ROTATING, "--compaction", "1", "--send", "--command")
    run(program, *makes, STAND_IN)
    assert program(*makes, f"{sys.executable} -c 'print(\"half\"); exit(1)'").returncode == 1
    once = tmp_path / "once.sh"
    once.write_text(f"#!/bin/sh\nmkdir {tmp_path}/asked && exec {STAND_IN}\n")
    once.chmod(0o755)
    asks = ("recall", "--demo", ROTATING, "--compaction", "1", "--send", "--command")
    found = run(program, *asks, str(once))
    assert [entry["attempt"] for entry in found["recall"]] == [None]
    (problem,) = found["problems"]
    assert problem.startswith("The list with attempt 1: ")
    assert program(*asks, "false").returncode == 1
    assert "known fates. Kept, but not answered: " in program(*asks, STAND_IN).stdout
    chosen = run(program, *asks, STAND_IN, "--attempt", "2")
    assert [entry["attempt"] for entry in chosen["recall"]] == [None, 2]


@pytest.mark.parametrize("answer", ["<html>502 Bad gateway</html>", "The conversation does not say.", "{}"])
def test_an_answer_without_numbered_lines_is_no_answer_to_recall(program: Run, answer: str) -> None:
    ended = program(
        "recall", "--demo", ROTATING, "--compaction", "1", "--send", "--command", f"echo '{answer}'"
    )
    assert (ended.returncode, ended.stdout) == (1, "")
    assert "The list with the recorded summary: The answer has no numbered line" in ended.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("attempt", "--demo", ROTATING, "--compaction", "1"),
        ("life", "--demo", ROTATING, "--compaction", "4"),
        ("judge", "--demo", ROTATING, "--compaction", "1"),
        ("judge", "--demo", ROTATING, "--compaction", "1", "--repeats"),
        ("score", "--no-profiles"),
    ],
)
def test_nothing_is_asked_if_the_answer_cannot_be_stored(
    words: tuple[str, ...], program: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tmp_path / "data"
    data.write_bytes(b"a file, not a folder")
    monkeypatch.setenv("XDG_DATA_HOME", str(data))
    ended = program(*words, "--send", "--command", f"touch {tmp_path / 'asked'}")
    assert ended.returncode == 1
    assert "attempts.db cannot be used" in ended.stderr
    assert not (tmp_path / "asked").exists()


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["recall", "--compaction", "1", "--attempt", "7"], 1, "no attempt 7 with a text; it has none"),
        (["life", "--compaction", "9"], 2, "no compaction 9; it has 1, 2, 3, 4"),
        (["life", "--resume", "3"], 1, "no life 3"),
    ],
)
def test_an_unknown_attempt_or_life_is_an_error(
    program: Run, words: list[str], code: int, message: str
) -> None:
    done = program(words[0], "--demo", ROTATING, *words[1:], "--command", "cat", "--send")
    assert done.returncode == code, done.stderr
    assert message in done.stderr
    shown = program("attempts", "--demo", ROTATING, "--life", "3")
    assert (shown.returncode, "no life 3" in shown.stderr) == (1, True)


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["--command", "cat"], 2, "Give either --compaction K"),
        (["--compaction", "1", "--step", "5", "--command", "cat"], 2, "Give either"),
        (["--compaction", "one", "--command", "cat"], 2, "takes a number"),
        (["--compaction", "7", "--command", "cat"], 2, "no compaction 7"),
        (["--compaction", "1"], 2, "Name the model"),
        (["--compaction", "1", "--model", "m"], 2, "need --endpoint"),
        (["--compaction", "1", "--endpoint", "https://example.org"], 2, "--model NAME"),
        (["--compaction", "1", "--command", "cat", "--prompt", "/no/such"], 1, "cannot be read"),
        (["--compaction", "1", "--command", "false", "--send"], 1, "No complete summary was made"),
        (["--compaction", "1", "--command", "cat", "--budget", "300", "--release-prompt", "/no"], 2, "its own budget"),
        (["--step", "3", "--command", "cat"], 2, "would not compact"),
        (["--step", "99999", "--command", "cat"], 2, "no step"),
    ],
)  # fmt: skip
def test_impossible_requests_are_errors(program: Run, words: list[str], code: int, message: str) -> None:
    done = program("attempt", "--demo", ROTATING, *words)
    assert done.returncode == code, done.stderr
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_the_users_data_are_unchanged(program: Run, fixtures_dir: Path) -> None:
    path = fixtures_dir / "hermes-0.19-in-place.db"
    before = path.read_bytes()
    run(program, "attempt", str(path), "Nightly", "--compaction", "all", "--command", STAND_IN, "--send")
    assert path.read_bytes() == before


def test_the_text_of_an_endpoint_is_made_safe(program: Run, server: Any) -> None:
    from inspector.core.text import is_safe
    from tests.models.server import DONE, event, stream

    hostile = "## Goal\n\x1b]52;c;aGVsbG8=\x07 [bold]markup[/] \u202eturned\x00 \ud800 <script>"
    server.answers = [stream(event(hostile, more="x"), DONE)]
    to = ("--endpoint", server.base, "--model", "evil\x1b[31m", "--send")
    done = program("attempt", "--demo", ROTATING, "--compaction", "1", *to)
    shown = program("attempts", "--show", "1")
    listed = program("attempts")
    for out in (done, shown, listed):
        assert out.returncode == 0
        assert is_safe(out.stdout.replace("\n", " "))
        assert "\x1b" not in out.stdout + out.stderr
    assert "[bold]markup[/]" in shown.stdout


def test_the_stand_in_is_deterministic() -> None:
    inspection, settings = opened(ROTATING)
    ask = ask_for(recorded_list(inspection, settings, 1), settings, PromptWording())
    texts = {CommandSummarizer(STAND_IN).write(ask.prompt, lambda _: None).text for _ in range(2)}
    assert len(texts) == 1


def exams(path: Path, masker: Masker) -> tuple[Exam, ...]:
    inspection, resolved = Answers(open_store(path), {}, None).opened("5e55a000")
    return exams_of(inspection, outcomes_of(inspection, resolved.settings, 1, []), 9, masker)


def test_recall_asks_for_no_masked_value(tmp_path: Path) -> None:
    made = recipe("claude_lines").Session("5e55a000-0000-4000-8000-000000000009")
    made.user("Always sign in at the gate with --token=tide-4821-ebb-77 and never as the guest.")
    made.user("We decided that the public port of the gate stays 8443 for now.")
    made.compact(recipe("claude_lines").nine_sections(primary=["Draw the harbour"]), before=155_000)
    path = made.write(tmp_path / "a.jsonl")
    (masked,), (unmasked,) = exams(path, Masker()), exams(path, Masker(False))
    assert [one.value.text for one in unmasked.questions] == ["8443", "--token=tide-4821-ebb-77"]
    assert [one.value.text for one in masked.questions] == ["8443"]


def test_recall_shows_the_texts_that_decide_the_fates(tmp_path: Path) -> None:
    made = recipe("claude_lines").Session("5e55a000-0000-4000-8000-000000000009")
    made.user("We decided that the public port of the gate stays 8443 for now.")
    made.answer({"type": "tool_use", "id": "c1", "name": "Write", "input": {
        "file_path": f"{made.cwd}/CLAUDE.md", "content": "- Port 8443 stays."}})  # fmt: skip
    made.result("c1", "written")
    made.compact(recipe("claude_lines").nine_sections(primary=["Draw the harbour"]), before=155_000)
    made.user("Go on.")
    (exam,) = exams(made.write(tmp_path / "a.jsonl"), Masker())
    assert "[SYSTEM]: - Port 8443 stays." in exam.prompt
