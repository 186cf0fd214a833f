"""Stored attempts: before sending, while text arrives, after a kill. They can be listed and deleted."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from inspector.core.errors import OutputProblem
from inspector.models.attempt import Ask, AttemptPlace
from inspector.models.consent import Allowance, sending_of
from inspector.models.kept import KeptAttempts
from inspector.models.making import make_attempt
from inspector.models.masking import Masker
from inspector.models.summarizers.base import OnText, Reply, Summarizer
from inspector.models.summarizers.command import CommandSummarizer
from inspector.models.summarizers.endpoint import EndpointSummarizer
from tests.models.server import DONE, USAGE, Server, event, stream, whole

ROOT = Path(__file__).resolve().parents[2]
ASK = Ask(
    AttemptPlace("/a/state.db", "root", 2), "the prompt \ud800", "ours", 2_000, {"profile": "hermes-0.19"}
)


def allow(summarizer: Summarizer) -> Allowance:
    return Allowance(sending_of([(summarizer, ASK.prompt, 2_000)], Masker()))


def test_a_finished_attempt_has_everything(server: Server, kept: KeptAttempts) -> None:
    server.answers = [stream(event("## Goal\n"), event("Ship it."), USAGE, DONE)]
    summarizer = EndpointSummarizer(server.base, "gpt-4o")
    came: list[int] = []
    made = make_attempt(
        kept, ASK, summarizer, allow(summarizer), came.append, title="A title", agent="hermes"
    )
    assert kept.get(made.id) == made
    assert (made.state, made.summary, made.problem) == ("finished", "## Goal\nShip it.", "")
    assert (made.sent, made.received, made.reported) == (1234, 56, True)
    assert made.cost == pytest.approx((1234 * 2.5 + 56 * 10) / 1e6)
    assert made.prices
    assert (made.kind, made.model, made.where) == ("endpoint", "gpt-4o", server.base)
    assert (made.prompt, made.prompt_name, made.budget) == ("the prompt ?", "ours", 2_000)
    assert made.settings == {"profile": "hermes-0.19"}
    assert (made.title, made.agent, made.place) == ("A title", "hermes", ASK.place)
    assert came[-1] == len("## Goal\nShip it.")


def test_a_failed_attempt_has_its_reason(server: Server, kept: KeptAttempts) -> None:
    server.answers = [whole(400, {"error": {"message": "too long"}})]
    summarizer = EndpointSummarizer(server.base, "m")
    made = make_attempt(kept, ASK, summarizer, allow(summarizer), lambda _: None)
    assert (made.state, made.summary, made.cost) == ("failed", "", None)
    assert "too long" in made.problem


def test_a_cut_attempt_keeps_its_text(server: Server, kept: KeptAttempts) -> None:
    server.answers = [stream(event("half"), cut=True)]
    summarizer = EndpointSummarizer(server.base, "m")
    made = make_attempt(kept, ASK, summarizer, allow(summarizer), lambda _: None)
    assert (made.state, made.summary) == ("unfinished", "half")


class Writer:
    """Writes a given text, then calls a function."""

    kind, name, model, to, where = "command", "writer", "", "nobody", "writer"

    def __init__(self, then: object) -> None:
        self.then = then

    def write(self, prompt: str, on_text: OnText) -> Reply:
        on_text("some text")
        assert callable(self.then)
        self.then()
        return Reply("some text")


def test_an_interrupted_attempt_keeps_its_text(kept: KeptAttempts) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make_attempt(kept, ASK, Writer(interrupt), allow(Writer(None)), lambda _: None)
    (one,) = kept.all()
    assert (one.state, one.summary, one.problem) == ("unfinished", "some text", "It was interrupted.")


def test_an_attempt_is_stored_before_anything_is_sent(kept: KeptAttempts) -> None:
    seen: list[str] = []
    make_attempt(
        kept,
        ASK,
        Writer(lambda: seen.extend(one.state for one in kept.all())),
        allow(Writer(None)),
        lambda _: None,
    )
    assert seen == ["unfinished"]


def test_nothing_is_sent_if_it_cannot_be_stored(tmp_path: Path) -> None:
    path = tmp_path / "attempts.db"
    path.write_bytes(b"no database at all, but long enough to be taken for one" * 40)
    asked: list[str] = []
    with pytest.raises(OutputProblem, match="cannot be used"):
        make_attempt(
            KeptAttempts(path), ASK, Writer(lambda: asked.append("x")), allow(Writer(None)), lambda _: None
        )
    assert not asked
    assert path.read_bytes().startswith(b"no database")


def test_a_killed_attempt_stays_unfinished(tmp_path: Path) -> None:
    """A process is killed while text arrives; another process finds the attempt with its prompt and text."""
    path = tmp_path / "attempts.db"
    code = textwrap.dedent(
        """
        import sys, signal
        from pathlib import Path
        from inspector.models import making
        from tests.models.test_kept import ASK, Writer, allow
        from inspector.models.kept import KeptAttempts
        making._KEEP = 0.0
        def wait():
            print("waits", flush=True)
            signal.pause()
        making.make_attempt(KeptAttempts(Path(sys.argv[1])), ASK, Writer(wait), allow(Writer(None)), lambda _: None)
        """
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, cwd=ROOT, text=True
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "waits\n"
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
    kept = KeptAttempts(path)
    (one,) = kept.all()
    assert one.prompt == ""
    one = kept.get(one.id)
    assert one is not None
    assert (one.state, one.summary, one.prompt) == ("unfinished", "some text", "the prompt ?")
    # The file is still intact.
    other = CommandSummarizer("cat")
    assert make_attempt(kept, ASK, other, allow(other), lambda _: None).id == one.id + 1


def test_attempts_are_found_by_conversation_and_deleted(kept: KeptAttempts) -> None:
    places = [
        AttemptPlace("/a", "one", 1),
        AttemptPlace("/a", "two", 1),
        AttemptPlace("/b", "one", 1, step=7),
        AttemptPlace("/a", "one", 2),
    ]
    made = [kept.begin(Ask(place, "p", "ours", 1), "command", "cat", "") for place in places]
    assert [one.id for one in made] == [1, 2, 3, 4]
    assert [one.id for one in kept.of("/a", "one")] == [1, 4]
    assert kept.of("/b", "one")[0].place.step == 7
    assert kept.delete([1, 99]) == 1
    assert kept.get(1) is None
    assert [one.id for one in kept.all()] == [2, 3, 4]


def test_only_the_user_can_read_attempts(kept: KeptAttempts) -> None:
    kept.begin(ASK, "command", "cat", "")
    assert stat.S_IMODE(kept.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(kept.path.parent.stat().st_mode) == 0o700


def test_listing_attempts_makes_no_file(kept: KeptAttempts) -> None:
    assert kept.all() == ()
    assert not kept.path.exists()


def test_a_deleted_text_is_no_longer_in_the_file(kept: KeptAttempts) -> None:
    kept.begin(Ask(ASK.place, "a prompt about tulips " * 400, "ours", 1), "command", "cat", "")
    kept.delete([1])
    for file in kept.path.parent.iterdir():
        assert b"tulips" not in file.read_bytes(), file


def test_an_attempt_deleted_while_running_is_an_error(kept: KeptAttempts) -> None:
    with pytest.raises(OutputProblem, match="was deleted"):
        make_attempt(kept, ASK, Writer(lambda: kept.delete([1])), allow(Writer(None)), lambda _: None)
