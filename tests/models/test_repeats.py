"""A model of the user finds what the user said again: a stand-in, checked quotes, and every answer that follows."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest

from inspector.answers.answers import Answers
from inspector.answers.fact_results import read_losses
from inspector.answers.judging import JudgePrompt, ask_judge, judge_sending
from inspector.answers.losses import facts_of, read_aftermath
from inspector.answers.repeats import repeat_answers, repeat_prompts
from inspector.commands.sources import open_source
from inspector.core.errors import UsageProblem
from inspector.models.consent import Allowance
from inspector.models.kept import default_attempts
from inspector.models.masking import Masker
from inspector.quality.judgement import repeated_quotes
from tests.models.test_judging import Judge
from tests.program import Run
from tests.recipes import recipe

RULE = "The tide tables stay in metres above chart datum, whatever the pilots ask for."
AGAIN = "Why do I read feet again? Sailors here think in the unit of the charts."
NEW = "Print the table of Dover too."


def session(path: Path, *after: str, encrypted: bool = False, said: str = RULE) -> Path:
    """Write a session of Codex: a rule and a wish, a compaction that loses both, and messages of the user after it."""
    rollout = recipe("other_lines").CodexRollout("019f53c2-0000-7000-8000-000000000000")
    rollout.says("user", said)
    rollout.says("assistant", "Understood.")
    rollout.says("user", "Draw the harbours as a list.")
    rollout.says("assistant", "I draw them.")
    summary = "" if encrypted else "The harbours are drawn. Next: the printed page."
    rollout.compact([rollout.message("user", "Go on.")], message=summary, encrypted=encrypted)
    for text in after:
        rollout.says("user", text)
        rollout.says("assistant", "The page is printed.")
    path.write_text(rollout.text(), encoding="utf-8")
    return path


def pairs(*found: tuple[str, str]) -> str:
    return json.dumps({"statements": [{"later": later, "earlier": earlier} for later, earlier in found]})


def asked(path: Path, reply: str) -> tuple[Answers, tuple[JudgePrompt, ...], tuple[str, ...], Judge]:
    answers = Answers(open_source(str(path), False), {}, None)
    inspection = answers.opened("019f53c2")[0]
    prompts, judge = repeat_prompts(inspection, 1, Masker()), Judge(lambda _: reply)
    allowance = Allowance(judge_sending(prompts, judge, Masker(), default_attempts()))
    return (
        answers,
        prompts,
        ask_judge(prompts, judge, default_attempts(), allowance, lambda *_: None),
        judge,
    )


def test_a_prompt_has_what_the_user_said_before_and_after(tmp_path: Path) -> None:
    inspection = Answers(open_source(str(session(tmp_path / "a.jsonl", AGAIN, NEW)), False), {}, None).opened(
        "019f53c2"
    )[0]
    (prompt,) = repeat_prompts(inspection, 1, Masker())
    assert f"[USER] {RULE}" in prompt.piece
    assert AGAIN not in prompt.piece
    assert f"[USER] {AGAIN}" in prompt.after
    assert "[AGENT] ... The page is printed." in prompt.after
    assert RULE not in prompt.after
    with pytest.raises(UsageProblem, match="2"):
        repeat_prompts(inspection, 2, Masker())


@pytest.mark.parametrize("encrypted", [False, True])
def test_a_statement_in_other_words_is_an_event_and_the_worst_loss(tmp_path: Path, encrypted: bool) -> None:
    path = session(tmp_path / "a.jsonl", NEW, AGAIN, encrypted=encrypted)
    before = Answers(open_source(str(path), False), {}, None).opened("019f53c2")[0]
    assert [event.kind for event in read_aftermath(before, facts_of(before))] == []
    answers, prompts, problems, judge = asked(path, pairs((AGAIN, RULE), ("never said", RULE)))
    assert problems == ()
    assert [answer.dropped for answer in repeat_answers(prompts, judge, default_attempts())] == [1]
    inspection = answers.opened("019f53c2")[0]
    (event,) = read_aftermath(inspection, facts_of(inspection))
    assert (event.kind, event.compaction, event.decided_by) == ("said again", 1, "model stand-in")
    assert (event.text, event.fact) == (AGAIN, RULE)
    assert (event.place.generation, event.earlier and event.earlier.generation) == (2, 1)
    (loss,) = read_losses(answers, inspection.conversation.id).compactions
    assert loss.aftermath == {"said again": 1}
    if not encrypted:
        assert (loss.facts[0].text, loss.facts[0].said_again) == (RULE, AGAIN)


def test_without_messages_on_both_sides_nothing_is_asked(program: Run, tmp_path: Path) -> None:
    path = session(tmp_path / "a.jsonl")
    done = program("judge", str(path), "--repeats", "--send", "--command", "false")
    assert (done.returncode, done.stdout) == (0, "")
    assert "so nothing is asked" in " ".join(done.stderr.split())


def test_the_command_prints_the_events_and_other_commands_have_them(program: Run, tmp_path: Path) -> None:
    path, script = session(tmp_path / "a.jsonl", AGAIN), tmp_path / "judge.py"
    script.write_text(f"import sys\nsys.stdin.read()\nprint({pairs((AGAIN, RULE))!r})\n")
    words = ("judge", str(path), "--repeats")
    command = f"{shlex.quote(sys.executable)} {shlex.quote(str(script))}"
    assert RULE in program(*words, "--show-prompt").stdout
    note = "said again in other words"
    assert note in " ".join(program("aftermath", str(path)).stderr.split())
    done = program(*words, "--send", "--command", command)
    assert done.returncode == 0, done.stderr
    assert "said again" in done.stdout
    assert "found by model" in done.stdout
    again = json.loads(program(*words, "--send", "--json", "--command", command).stdout)
    assert (again["sending"]["to"], again["dropped"]) == ([], 0)
    (event,) = again["repeats"]
    assert (event["kind"], event["text"], event["fact"]) == ("said again", AGAIN, RULE)
    assert (
        json.loads(program("aftermath", str(path), "--json").stdout)[0]["decided_by"] == event["decided_by"]
    )
    assert note not in " ".join(program("aftermath", str(path)).stderr.split())
    assert "The user had to repeat a statement" in " ".join(program("findings", str(path)).stdout.split())
    assert f"said again later: {AGAIN}" in " ".join(program("losses", str(path)).stdout.split())


def test_an_answer_that_is_no_json_is_named_and_not_stored(tmp_path: Path) -> None:
    _, _, problems, _ = asked(session(tmp_path / "a.jsonl", AGAIN), "Nothing was repeated.")
    assert "Compaction 1, piece 1 of 1" in problems[0]
    with pytest.raises(ValueError, match="JSON"):
        repeated_quotes("Nothing was repeated.", RULE, AGAIN)


def test_a_model_that_fails_does_not_find_nothing(program: Run, tmp_path: Path) -> None:
    path = session(tmp_path / "a.jsonl", AGAIN)
    done = program("judge", str(path), "--repeats", "--send", "--command", "false")
    assert (done.returncode, done.stdout) == (1, "")
    assert "no usable answer" in " ".join(done.stderr.split())
    done = program("judge", str(path), "--repeats", "--send", "--command", 'echo {\\"statements\\":[]}')
    assert (done.returncode, done.stdout) == (0, "The model found nothing that the user had to say again.\n")
    # Entries that are no pairs are counted, and no answer reads as "nothing".
    done = program("judge", str(path), "--repeats", "--send", "--command", "echo [null,5]")
    assert done.stdout.startswith("The model found no usable repetition.")
    assert "Not used, because a quote is not in the messages: 2 pairs." in " ".join(done.stdout.split())


def test_both_questions_are_asked_together(program: Run, tmp_path: Path) -> None:
    path, script = session(tmp_path / "a.jsonl", AGAIN), tmp_path / "judge.py"
    script.write_text(
        f"import sys\nprint({pairs((AGAIN, RULE))!r} if '<later>' in sys.stdin.read() else '[]')\n"
    )
    words = ("judge", "--demo", "Move checkout to orders-v2", "--compaction", "1")
    prompts = [
        program(*words, *options, "--show-prompt").stdout for options in (("--uncertain",), ("--repeats",))
    ]
    both = program(*words, "--repeats", "--uncertain", "--show-prompt").stdout
    assert all(prompt.strip() in both for prompt in prompts)
    command = f"{shlex.quote(sys.executable)} {shlex.quote(str(script))}"
    done = json.loads(
        program(
            "judge", str(path), "--repeats", "--uncertain", "--send", "--json", "--command", command
        ).stdout
    )
    assert [event["text"] for event in done["repeats"]] == [AGAIN]
    assert (done["decided"], done["dropped"], done["problems"]) == (0, 0, [])


def test_secrets_are_masked_in_every_form(program: Run, tmp_path: Path) -> None:
    token = "ghp_" + "a1B2c3D4e5F6" * 3
    said = f"Push the tables with {token}, and never with another token than this one."
    path, script = session(tmp_path / "a.jsonl", AGAIN, said=said), tmp_path / "judge.py"
    answer = pairs((AGAIN, "and never with another token than this one"))
    script.write_text(f"import sys\nprint({answer!r} if '<later>' in sys.stdin.read() else '[]')\n")
    command = f"{shlex.quote(sys.executable)} {shlex.quote(str(script))}"
    words = ("judge", str(path), "--repeats", "--uncertain", "--send", "--command", command)
    for options in ((), ("--json",)):
        done = program(*words, *options)
        assert "never with another token" in " ".join(done.stdout.split())
        assert token not in done.stdout + done.stderr
    assert token in "".join(program(*words, "--no-mask").stdout.split())


def test_a_size_of_pieces_is_for_whole_messages(program: Run) -> None:
    done = program("judge", "--demo", "--repeats", "--piece", "4000", "--show-prompt")
    assert done.returncode == UsageProblem.exit_code
    assert "--piece without --uncertain and --repeats" in " ".join(done.stderr.split())
