"""The user's model judges compactions: a stand-in, a command, and a real HTTP server with every failure."""

from __future__ import annotations

import errno
import json
import re
import shlex
import shutil
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from unittest.mock import MagicMock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.answers.answers import Answers
from inspector.answers.attempt_survival import outcomes_of
from inspector.answers.inspection import Inspection
from inspector.answers.judging import (
    JudgePrompt,
    ask_judge,
    fact_prompts,
    judge_prompts,
    judge_sending,
    judgement_of,
    kept_judgements,
)
from inspector.answers.kept_results import basis_of
from inspector.answers.losses import facts_of
from inspector.app.conversation.deciding import uncertain_facts
from inspector.app.conversation.judged_scopes import judged_scopes
from inspector.app.conversation.model_form import Form
from inspector.commands.sources import open_source
from inspector.core.errors import NotAllowed, OutputProblem, SummarizerFailed, UsageProblem
from inspector.core.watching import Watch
from inspector.engines.base import Settings
from inspector.export.judging import decided_document, decided_lives, print_decided
from inspector.models.consent import Allowance
from inspector.models.kept import KeptAttempts, default_attempts
from inspector.models.masking import Masker
from inspector.models.summarizers.base import OnText, Reply, Summarizer
from inspector.models.summarizers.command import CommandSummarizer
from inspector.models.summarizers.endpoint import EndpointSummarizer
from inspector.quality.facts.fact import Life
from inspector.quality.judgement import Decided, Judged, agreement, decided, judged, letters, pieces_of
from tests.models.server import DONE, Server, event, stream
from tests.program import Run
from tests.recipes import compacted_session, recipe

ROTATING = "Move checkout to orders-v2"


class Judge:
    """A model that answers with the result of a function of the prompt."""

    kind, model, to, name, where = "command", "", "a stand-in", "stand-in", "stand-in"

    def __init__(self, make: Callable[[str], str]) -> None:
        self.make = make
        self.prompts: list[str] = []

    def write(self, prompt: str, on_text: OnText) -> Reply:
        self.prompts.append(prompt)
        on_text("")
        return Reply(self.make(prompt))


def first_user_line(prompt: str) -> str:
    piece = prompt[prompt.rindex("<piece>") : prompt.rindex("</piece>")]
    line = next(line for line in piece.splitlines() if line.startswith("[USER] "))
    return line.removeprefix("[USER] ")


def answer(*entries: dict[str, object]) -> str:
    return "Sure:\n```json\n" + json.dumps({"statements": entries}) + "\n```"


def lost(quote: str, **more: object) -> dict[str, object]:
    entry = {
        "quote": quote,
        "role": "user",
        "kind": "constraint",
        "importance": 3,
        "fate": "lost",
        "evidence": "",
    }
    return entry | more


@pytest.fixture
def inspection() -> Inspection:
    return Answers(open_source(None, True), {}, None).opened(ROTATING)[0]


def prompts_of(inspection: Inspection, compaction: int = 1) -> tuple[JudgePrompt, ...]:
    return judge_prompts(inspection, compaction, Masker())


def ask(prompts: tuple[JudgePrompt, ...], judge: Summarizer, kept: KeptAttempts) -> tuple[str, ...]:
    allowance = Allowance(judge_sending(prompts, judge, Masker(), kept))
    return ask_judge(prompts, judge, kept, allowance, lambda *_: None)


def test_statements_have_their_message_are_compared_with_the_rules_and_stored(
    inspection: Inspection, kept: KeptAttempts
) -> None:
    prompts, facts = prompts_of(inspection), facts_of(inspection)
    rule = next(life for life in facts.of(1) if life.role == "user" and life.fact.text in prompts[0].piece)
    judge = Judge(
        lambda prompt: answer(lost(rule.fact.text), lost("never said anywhere in this conversation"))
    )
    assert kept_judgements(inspection, kept, facts) == ()
    assert ask(prompts, judge, kept) == ()
    direct = judgement_of(inspection, prompts, judge, kept, facts)
    (statement,) = direct.statements
    assert statement.message == rule.saying.message
    assert direct.dropped == 1
    assert direct.agreement.both == 1
    assert direct.agreement.only_rules == len(facts.of(1)) - 1
    # The stored answers are read as facts.
    (judgement,) = kept_judgements(inspection, kept, facts)
    assert judgement.statements == direct.statements
    assert (judgement.compaction, judgement.dropped, judgement.agreement) == (
        1,
        direct.dropped,
        direct.agreement,
    )
    (scope,) = judged_scopes((judgement,), facts)[1]
    (life,) = scope.facts
    assert isinstance(life, Life)
    assert life.fact.judged
    assert (life.text, life.outcome, life.saying.message) == (rule.fact.text, "lost", rule.saying.message)
    assert f"the rules say {rule.outcome}" in life.fact.evidence
    assert "The rules found 1 of them" in scope.note


def test_an_answer_is_stored_and_never_requested_twice(inspection: Inspection, kept: KeptAttempts) -> None:
    prompts = prompts_of(inspection)
    judge = Judge(lambda prompt: answer(lost(first_user_line(prompt))))
    ask(prompts, judge, kept)
    assert judge_sending(prompts, judge, Masker(), kept).recipients == ()
    ask(prompts, judge, kept)
    assert len(judge.prompts) == len(prompts)


def test_an_interrupted_run_continues_where_it_ended(inspection: Inspection, kept: KeptAttempts) -> None:
    prompts = judge_prompts(inspection, 1, Masker(), 2_000)
    assert len(prompts) > 2

    def once(prompt: str) -> str:
        if len(judge.prompts) > 2:
            raise KeyboardInterrupt
        return answer(lost("x"))

    judge = Judge(once)
    with pytest.raises(KeyboardInterrupt):
        ask(prompts, judge, kept)
    again = Judge(lambda prompt: answer())
    ask(prompts, again, kept)
    assert len(again.prompts) == len(prompts) - 2


def test_nothing_is_sent_without_consent(inspection: Inspection, kept: KeptAttempts) -> None:
    prompts, judge = prompts_of(inspection), Judge(lambda prompt: answer())
    other = Judge(lambda prompt: answer())
    other.where = "elsewhere"
    allowance = Allowance(judge_sending(prompts, other, Masker(), kept))
    problems = ask_judge(prompts, judge, kept, allowance, lambda *_: None)
    assert judge.prompts == []
    assert all("did not allow" in problem for problem in problems)
    assert issubclass(NotAllowed, Exception)


def test_an_unusable_answer_is_an_error_message_and_not_stored(
    inspection: Inspection, kept: KeptAttempts
) -> None:
    prompts = prompts_of(inspection)
    for text in ("", "no JSON", "[1, 2", '{"statements": 5}'):
        problems = ask(prompts, Judge(lambda prompt, text=text: text), kept)  # type: ignore[misc]
        assert len(problems) == len(prompts)
        assert "JSON" in problems[0]
    judgement = judgement_of(inspection, prompts, Judge(str), kept, facts_of(inspection))
    assert (judgement.answered, judgement.statements) == (0, ())


def test_pieces_out_of_range_and_unknown_compactions(inspection: Inspection) -> None:
    with pytest.raises(UsageProblem):
        judge_prompts(inspection, 1, Masker(), 5)
    with pytest.raises(UsageProblem):
        judge_prompts(inspection, 99, Masker())


@pytest.mark.parametrize(("unreadable", "named"), [(1, "compaction 1"), (2, "compactions 1, 2")])
def test_compactions_with_unreadable_summaries_are_named(
    program: Run, tmp_path: Path, unreadable: int, named: str
) -> None:
    rollout = recipe("other_lines").CodexRollout("019f53c2-0000-7000-8000-000000000000")
    for message in (*[""] * unreadable, "The limit is 512 threads."):
        rollout.says("user", "Never touch the release branch.")
        rollout.says("assistant", "I look for the limit of threads.")
        rollout.compact([rollout.message("user", "Go on.")], message=message, encrypted=not message)
    rollout.says("assistant", "Done.")
    path = tmp_path / "rollout.jsonl"
    path.write_text(rollout.text())
    done = program("judge", str(path), "--command", "cat", "--show-prompt")
    assert "The limit is 512 threads." in done.stdout
    assert f"Left out, because the summary cannot be read: {named}." in done.stderr


def test_one_piece_and_one_statement_are_singular(program: Run, tmp_path: Path) -> None:
    script = tmp_path / "judge.py"
    script.write_text("import sys; sys.stdin.read(); print(sys.argv[1])")
    words = ("judge", "--demo", ROTATING, "--compaction", "1", "--send", "--command")
    judge = f"{shlex.quote(sys.executable)} {shlex.quote(str(script))}"
    failed = program(*words, f"{judge} nothing")
    assert "no usable answer for 1 of 1 piece\n" in failed.stdout
    found = answer(lost("Keep stripe-node pinned to 14.21.0")).partition("\n")[2]
    done = program(*words, f"{judge} {shlex.quote(found)}")
    assert done.returncode == 0, done.stderr
    assert "  1 statement. Dropped" in done.stdout


def test_a_command_judges(inspection: Inspection, kept: KeptAttempts, tmp_path: Path) -> None:
    script = tmp_path / "judge.py"
    script.write_text("import sys, json; sys.stdin.read(); print(json.dumps({'statements': []}))")
    command = CommandSummarizer(f"{shlex.quote(sys.executable)} {shlex.quote(str(script))}", 30.0)
    prompts = prompts_of(inspection)
    assert ask(prompts, command, kept) == ()
    assert judgement_of(inspection, prompts, command, kept, facts_of(inspection)).answered == len(prompts)


def test_an_endpoint_judges_and_fails_with_a_message(
    inspection: Inspection, kept: KeptAttempts, server: Server
) -> None:
    prompts = prompts_of(inspection)
    endpoint = EndpointSummarizer(server.base, "m", "", 10.0)
    server.answers = [stream(event('{"statements"'), cut=True)]
    (problem,) = ask(prompts, endpoint, kept)
    assert "piece 1" in problem
    server.answers = [stream(event('{"statements": ['), event("]}", "stop"), DONE)]
    assert ask(prompts, endpoint, kept) == ()
    assert issubclass(SummarizerFailed, Exception)


# Facts that the rules leave uncertain.


def decide(entries: dict[str, tuple[str, str]]) -> Judge:
    """A judge that gives a fate and its evidence to statements by their words, and loses every other statement."""

    def write(prompt: str) -> str:
        statements = re.findall(r"^\[([0-9a-f]{8})\] (.+)$", prompt, re.MULTILINE)
        return json.dumps({"statements": [
            {"id": identity, "fate": entries.get(text, ("lost", ""))[0], "evidence": entries.get(text, ("", ""))[1]}
            for identity, text in statements
        ]})  # fmt: skip

    return Judge(write)


HOLDS = "show me that it holds under 300 requests a second."


def test_a_model_decides_facts_that_the_rules_leave_uncertain(inspection: Inspection) -> None:
    kept = default_attempts()
    rules = facts_of(inspection, by_rules=True)
    lives = rules.undecided(1)
    assert {life.outcome for life in lives} == {"uncertain"}
    assert HOLDS in [life.text for life in lives]
    prompts = fact_prompts(inspection, 1, Masker(), lives)
    assert "These are the eight dashboards I look at" in prompts[0].piece
    judge = decide({HOLDS: ("paraphrased", "34 of 40 connections at 300 rps")})
    before = basis_of(inspection.store, inspection.conversation.id, "losses")
    assert ask(prompts, judge, kept) == ()
    # Stored results are computed again.
    assert basis_of(inspection.store, inspection.conversation.id, "losses") != before
    now = {life.fact.key: life for life in facts_of(inspection, "changes").of(1)}
    for life in lives:
        fate = now[life.fact.key].fate
        assert fate.outcome == ("paraphrased" if life.text == HOLDS else "lost")
        assert fate.model == judge.where
        assert now[life.fact.key].by_rules().outcome == "uncertain"
    holds = next(life for life in now.values() if life.text == HOLDS)
    assert (holds.fate.where, holds.fate.excerpt) == ("summary", "34 of 40 connections at 300 rps")
    # What the rules decide stays, and the prompts too, so that nothing is sent twice.
    assert {life.fact.key: life.outcome for life in rules.of(1)} == {
        key: life.by_rules().outcome for key, life in now.items()
    }
    again = fact_prompts(inspection, 1, Masker(), facts_of(inspection, by_rules=True).undecided(1))
    assert judge_sending(again, judge, Masker(), kept).recipients == ()
    # Answers about facts are no facts of the model.
    assert kept_judgements(inspection, kept, rules) == ()
    # Attempts are judged by rules alone, so the recorded summary next to them is too.
    (recorded,) = outcomes_of(inspection, Settings(), 1, (), facts_of(inspection))
    assert {life.outcome for life in recorded.lives if life.text == HOLDS} == {"uncertain"}


def test_an_answer_about_another_summary_decides_nothing(program: Run, tmp_path: Path) -> None:
    script, path = tmp_path / "judge.py", tmp_path / "rollout.jsonl"
    script.write_text(
        "import json, re, sys\n"
        "ids = re.findall(r'^\\[([0-9a-f]{8})\\] ', sys.stdin.read(), re.MULTILINE)\n"
        "print(json.dumps({'statements': [{'id': i, 'fate': 'lost', 'evidence': ''} for i in ids]}))\n"
    )

    def write(summary: str) -> None:
        said = "The pilots want the tide table in the west office before the ferry leaves."
        compacted_session(path, said, summary)

    def fates() -> list[tuple[str, bool]]:
        facts = json.loads(program("facts", str(path), "--json").stdout)
        return [(fact["fate"], fact["decided_by"] != "rules") for fact in facts]

    write("The pilots asked for a table in an office.")
    judge = f"{shlex.quote(sys.executable)} {shlex.quote(str(script))}"
    done = program("judge", str(path), "--uncertain", "--send", "--command", judge)
    assert done.returncode == 0, done.stderr
    assert fates() == [("lost", True)]
    write("The pilots need a table of tides at their office.")
    assert fates() == [("uncertain", False)]


def test_fates_without_evidence_and_unknown_facts_are_not_used() -> None:
    entries = [
        {"id": "11111111", "fate": "paraphrased", "evidence": "the port is 9"},
        {"id": "22222222", "fate": "weakened", "evidence": "Port: 8443"},
        {"id": "33333333", "fate": "lost", "evidence": "made up"},
        {"id": "44444444", "fate": "uncertain", "evidence": "Port: 8443"},
        {"id": "55555555", "fate": "lost", "evidence": ""},
        {"id": "33333333", "fate": "verbatim", "evidence": "Port: 8443"},
        {"id": 6, "fate": "lost"},
    ]
    known = ("11111111", "22222222", "33333333", "44444444")
    found = decided(json.dumps({"statements": entries}), known, "the port: 8443")
    assert found.fates == {"22222222": ("weakened", "Port: 8443"), "33333333": ("lost", "")}
    assert found.unproven == 1
    assert found.wrong_words == ('id "55555555"', "no id")
    with pytest.raises(ValueError, match="JSON"):
        decided("no", known, "")


def test_the_command_tells_what_the_model_decided_and_facts_follow(program: Run, tmp_path: Path) -> None:
    script = tmp_path / "judge.py"
    script.write_text(
        "import json, re, sys\n"
        "ids = re.findall(r'^\\[([0-9a-f]{8})\\] ', sys.stdin.read(), re.MULTILINE)\n"
        "print(json.dumps({'statements': [{'id': i, 'fate': 'lost', 'evidence': ''} for i in ids[1:]]}))\n"
    )
    words = ("judge", "--demo", ROTATING, "--compaction", "1", "--uncertain")
    judge = f"{shlex.quote(sys.executable)} {shlex.quote(str(script))}"
    shown = program(*words, "--show-prompt").stdout
    asked = len(re.findall(r"^\[[0-9a-f]{8}\] ", shown, re.MULTILINE))
    assert asked > 1
    done = program(*words, "--send", "--command", judge)
    assert done.returncode == 0, done.stderr
    model = f"model {judge}"[:40]
    assert model in done.stdout
    assert f" decided {asked - 1}: {asked - 1} lost." in " ".join(done.stdout.split())
    facts = json.loads(program("facts", "--demo", ROTATING, "--after", "1", "--json").stdout)
    assert sum(fact["decided_by"] != "rules" for fact in facts if fact["compaction"] == 1) == asked - 1
    # The same question costs nothing.
    again = json.loads(program(*words, "--send", "--json", "--command", judge).stdout)
    assert again["sending"]["to"] == []
    assert (again["asked"], again["decided"]) == (asked, asked - 1)
    assert (again["unproven"], again["wrong_words"]) == (0, [])


def test_without_uncertain_facts_nothing_is_asked(program: Run, tmp_path: Path) -> None:
    rule = "Never touch the release branch."
    path = compacted_session(tmp_path / "rollout.jsonl", rule, f"Rule: {rule}")
    done = program("judge", str(path), "--uncertain", "--send", "--command", "false")
    assert done.returncode == 0, done.stderr
    assert "The rules decide every fact of the user" in done.stderr


def test_every_count_with_fates_of_a_model_says_so(program: Run, tmp_path: Path) -> None:
    rule = "Always sign every commit of the payment service with the release key."
    path = compacted_session(tmp_path / "rollout.jsonl", rule, "Commits of the payment service are reviewed.")
    before = json.loads(program("losses", str(path), "--json").stdout)
    assert [one["uncertain_constraints"] for one in before] == [1]
    script = tmp_path / "judge.py"
    script.write_text(
        "import json, re, sys\n"
        "(one,) = re.findall(r'^\\[([0-9a-f]{8})\\] ', sys.stdin.read(), re.MULTILINE)\n"
        "evidence = 'Commits of the payment service are reviewed.'\n"
        "fate = {'id': one, 'fate': sys.argv[1], 'evidence': evidence if sys.argv[1] != 'lost' else ''}\n"
        "print(json.dumps({'statements': [fate]}))\n"
    )
    judge = f"{shlex.quote(sys.executable)} {shlex.quote(str(script))}"
    words = ("judge", str(path), "--uncertain", "--send", "--command")
    assert program(*words, f"{judge} paraphrased").returncode == 0
    sentence = "A model decided the fate of 1 fact"
    listed = program("losses", str(path))
    assert "No loss is known." in listed.stdout
    assert sentence in listed.stderr
    assert sentence in program("check", str(path), "--allow-unknown").stdout
    assert sentence in program("measures", str(path)).stderr
    # The newest answer counts; a finding names the model too.
    assert program(*words, f"{judge} lost").returncode == 0
    (finding,) = (
        one
        for one in json.loads(program("findings", str(path), "--json").stdout)
        if one["rule"] == "constraint-lost"
    )
    assert "as the model " in finding["text"]
    assert sentence in program("losses", str(path)).stderr


def test_the_fates_of_another_model_are_not_credited_to_the_asked_one(
    inspection: Inspection, capsys: pytest.CaptureFixture[str]
) -> None:
    kept, lives = default_attempts(), facts_of(inspection, by_rules=True).undecided(1)
    prompts = fact_prompts(inspection, 1, Masker(), lives)
    first, second = decide({}), Judge(lambda prompt: answer())
    second.where = "another"
    for judge in (first, second):
        assert ask(prompts, judge, kept) == ()
    print_decided(decided_lives({1: lives}, facts_of(inspection)), Decided())
    said = capsys.readouterr().out
    assert f"model stand-in decided {len(lives)}: {len(lives)} lost." in said
    assert "another" not in said


@pytest.mark.parametrize("words", [("--uncertain",), ()])
def test_a_named_compaction_with_an_unreadable_summary_is_refused(
    program: Run, tmp_path: Path, words: tuple[str, ...]
) -> None:
    path = compacted_session(tmp_path / "rollout.jsonl", "Never touch the release branch.", "")
    done = program("judge", str(path), "--compaction", "1", "--send", "--command", "false", *words)
    assert done.returncode == 2
    assert "The summary of compaction 1 cannot be read" in done.stderr


def test_a_secret_at_the_edge_of_the_shown_part_is_masked(program: Run, tmp_path: Path) -> None:
    secret, key = "kestrel7#Harbour2", "sk-ant-api03-" + "Ab3dEf6hIj" * 9
    statement = "Always sign every commit of the payment service with the release key."
    early = f"The password is {secret} " + "so read on. " * 32
    late = "Read on now. " * 29 + key
    said = f"{early}\n{statement}\n{late}"
    path = compacted_session(tmp_path / "rollout.jsonl", said, "Commits of the payment service are reviewed.")
    shown = program("judge", str(path), "--uncertain", "--show-prompt").stdout
    assert statement in shown
    assert secret[-6:] not in shown
    assert key[:20] not in shown
    assert secret in program("judge", str(path), "--uncertain", "--show-prompt", "--no-mask").stdout


# Parsing of an answer.


def test_a_fate_without_evidence_is_uncertain() -> None:
    piece, after = "Never push to main. The port is 8443.", "- Do not push to main!"
    entries = answer(
        lost("Never push to main.", fate="paraphrased", evidence="do not push to main"),
        lost("The port is 8443.", fate="verbatim", evidence="the port is 8443"),
        lost("The port is 8443", fate="lost"),
        lost("Never   push to\nMAIN", fate="kept"),
        lost(""),
    )
    found = judged(entries, piece, after)
    assert [(one.fate, bool(one.evidence)) for one in found.statements] == [
        ("paraphrased", True), ("uncertain", False), ("lost", False),
    ]  # fmt: skip
    assert (found.dropped, found.unproven, found.wrong_words) == (1, 1, ('fate "kept"',))


@given(st.text(max_size=300))
def test_any_answer_is_parsed_or_refused(text: str) -> None:
    with suppress(ValueError):
        assert isinstance(judged(text, "piece", "after"), Judged)


@given(st.lists(st.text("ab ", max_size=40), max_size=12), st.integers(3, 30))
def test_pieces_have_every_text_within_their_size(texts: list[str], limit: int) -> None:
    pieces = pieces_of(texts, limit)
    assert re.sub(r"\s", "", "".join(pieces)) == re.sub(r"\s", "", "".join(texts))
    assert all(len(piece) <= limit + 2 * len(texts) for piece in pieces)


def test_the_rules_have_a_statement_that_is_a_part_of_their_sentence(tmp_path: Path) -> None:
    said = "I told you already: never touch gates/plc.py, and always round the fee up!"
    path = compacted_session(tmp_path / "rollout.jsonl", said, "The crane works.")
    inspection = Answers(open_source(str(path), False), {}, None).opened("019f53c2")[0]
    lives = facts_of(inspection).of(1)
    quotes = ("Never touch gates/plc.py", "Always round the fee up.", "Never open two gates.")
    found = judged(answer(*map(lost, quotes)), " ".join(quotes), "").statements
    compared = agreement(found, lives)
    assert (compared.both, compared.same, compared.only_model) == (2, 2, 1)
    assert compared.only_rules == 0


def test_a_fact_with_two_uncertain_fates_is_one_fact_and_unused_evidence_is_counted(
    inspection: Inspection, capsys: pytest.CaptureFixture[str]
) -> None:
    first = facts_of(inspection, by_rules=True).undecided(1)[0]
    lives = [first, first.seen(2)]
    unused = Decided({}, 3, ('fate "gone"',))
    print_decided(lives, unused)
    said = " ".join(capsys.readouterr().out.split())
    assert "1 fact that the rules leave uncertain, with 2 fates; the model decided 0." in said
    assert said.count("Compaction 1") == 2
    assert "their evidence is not in the text: 3." in said
    assert 'a word of the answer is unknown: 1 (fate "gone").' in said
    document = decided_document(inspection.conversation.row, lives, unused)
    assert (document["asked"], document["asked_fates"], document["unproven"]) == (1, 2, 3)


def test_two_empty_results_agree() -> None:
    assert agreement([], []).both == 0
    assert letters("  A-b, c! ") == "abc"


def test_decisions_are_read_from_a_folder_that_cannot_be_written_and_nothing_is_asked(
    inspection: Inspection, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, lives = default_attempts(), facts_of(inspection, by_rules=True).undecided(1)
    prompts = fact_prompts(inspection, 1, Masker(), lives)
    assert ask(prompts, decide({}), kept) == ()
    kept.close()

    def refused(path: Path) -> None:
        raise PermissionError(errno.EROFS, "Read-only file system", str(path))

    monkeypatch.setattr("inspector.models.kept.prepare_private", refused)
    decided_now = {life.fact.key for life in facts_of(inspection).of(1) if life.fate.model}
    assert decided_now == {life.fact.key for life in lives}
    # An answer that cannot be stored is not paid for.
    other = Judge(lambda prompt: answer())
    other.where = "another"
    with pytest.raises(OutputProblem):
        judge_sending(prompts, other, Masker(), kept)
    assert other.prompts == []


def test_the_arguments_of_a_call_in_the_list_are_evidence(inspection: Inspection) -> None:
    at, arguments = next(
        (at, call.arguments)
        for at, message, _ in inspection.list_after(inspection.compaction(1))
        for call in message.tool_calls
        if call.arguments not in message.text
    )
    kept, lives = default_attempts(), facts_of(inspection, by_rules=True).undecided(1)
    prompts = fact_prompts(inspection, 1, Masker(), lives)
    assert arguments in prompts[0].prompt
    assert ask(prompts, decide({HOLDS: ("paraphrased", arguments)}), kept) == ()
    (life,) = (life for life in facts_of(inspection).of(1) if life.text == HOLDS)
    assert (life.outcome, life.fate.index) == ("paraphrased", at)


def test_the_app_says_that_a_model_has_answered_instead_of_sending_nothing(
    inspection: Inspection, tmp_path: Path
) -> None:
    script = tmp_path / "judge.py"
    script.write_text("import sys; sys.stdin.read(); print('{\"statements\": []}')")
    form = Form(command=f"{shlex.quote(sys.executable)} {shlex.quote(str(script))}")
    look = uncertain_facts(inspection, 1).look
    watch = MagicMock(spec=Watch)
    looked = look(form, watch)
    assert looked.send(Allowance(looked.sending), watch) == ()
    with pytest.raises(UsageProblem, match="already answered"):
        look(form, watch)


def test_a_copy_of_a_file_has_the_decisions_without_another_question(
    program: Run, tmp_path: Path, fixtures_dir: Path
) -> None:
    script = tmp_path / "judge.py"
    script.write_text(
        "import json, re, sys\n"
        "ids = re.findall(r'^\\[([0-9a-f]{8})\\] ', sys.stdin.read(), re.MULTILINE)\n"
        "print(json.dumps({'statements': [{'id': i, 'fate': 'lost', 'evidence': ''} for i in ids]}))\n"
    )
    answers = []
    for name in ("first.db", "copy.db"):
        shutil.copy(fixtures_dir / "hermes-0.19-in-place.db", tmp_path / name)
        words = ("judge", str(tmp_path / name), "20260217_080000_6f1178", "--uncertain", "--send", "--json")
        judge = f"{shlex.quote(sys.executable)} {shlex.quote(str(script))}"
        answers.append(json.loads(program(*words, "--command", judge).stdout))
    first, copy = answers
    assert copy["sending"]["to"] == []
    assert (copy["asked"], copy["decided"]) == (first["asked"], first["decided"])
    assert first["decided"] == first["asked"] > 0


def test_a_fact_that_is_dismissed_while_the_model_answers_is_left_out(inspection: Inspection) -> None:
    facts = facts_of(inspection, by_rules=True)
    first, *others = facts.undecided(1)
    lives = decided_lives({1: (first, *others)}, facts.without({first.fact.key}))
    assert len(lives) == len(others)
    assert first.text not in [life.text for life in lives]
