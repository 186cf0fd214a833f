"""The server of the app: token, origin, host, the command of a tab, the page."""

from __future__ import annotations

import shlex
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from inspector.commands.cli import commands
from inspector.core.errors import NotAStore, StoreMissing, UsageProblem

pytest.importorskip("textual_serve", reason="the extra `serve` is not installed")

from aiohttp.test_utils import TestClient, TestServer

from inspector.serving.server import AppServer


@pytest.fixture
async def served() -> AsyncIterator[tuple[AppServer, TestClient]]:
    app_server = AppServer(["--demo"], "127.0.0.1", 0)
    server = TestServer(app_server.make_app())
    await server.start_server()
    app_server.port = server.port or 0
    client = TestClient(server)
    yield app_server, client
    await client.close()


async def test_the_page_needs_the_token(served: tuple[AppServer, TestClient]) -> None:
    app_server, client = served
    assert (await client.get("/")).status == 403
    assert (await client.get("/", params={"token": "x" * len(app_server.token)})).status == 403
    page = await client.get("/", params={"token": app_server.token})
    assert page.status == 200
    text = await page.text()
    assert "/static/js/textual.js" in text
    # Nothing is loaded from other hosts.
    assert "http://" not in text
    assert "https://" not in text
    # From then on the cookie has the token.
    assert (await client.get("/")).status == 200


async def test_other_origins_and_hosts_are_refused(served: tuple[AppServer, TestClient]) -> None:
    app_server, client = served
    good = {"token": app_server.token}
    assert (await client.get("/", params=good, headers={"Host": "example.org"})).status == 403
    assert (await client.get("/", params=good, headers={"Origin": "http://example.org"})).status == 403
    assert (await client.get("/ws", params=good)).status == 403
    assert (await client.get("/ws", params=good, headers={"Origin": "http://example.org"})).status == 403
    assert (await client.get("/download/none", params=good)).status == 404


async def test_scripts_are_there(served: tuple[AppServer, TestClient]) -> None:
    _, client = served
    assert (await client.get("/static/js/textual.js")).status == 200
    assert (await client.get("/static/../server.py")).status in (403, 404)


def test_a_link_names_a_place() -> None:
    server = AppServer(["/data/state.db"], "127.0.0.1", 8000)
    words = shlex.split(server.command_for({"conversation": "Fix the login", "compaction": "2"}))
    assert words[-5:] == ["open", "/data/state.db", "Fix the login", "--compaction", "2"]
    assert shlex.split(server.command_for({}))[-2:] == ["open", "/data/state.db"]


@given(st.text(max_size=400), st.text(max_size=20))
def test_a_hostile_link_is_one_word_of_the_command(conversation: str, compaction: str) -> None:
    server = AppServer(["--demo"], "127.0.0.1", 8000)
    words = shlex.split(server.command_for({"conversation": conversation, "compaction": compaction}))
    rest = words[5:]
    assert words[3:5] == ["open", "--demo"]
    if conversation and not conversation.startswith("-"):
        assert rest[0] == conversation[:300]
        rest = rest[1:]
    assert rest == [] or (rest[0] == "--compaction" and rest[1].isdecimal() and len(rest) == 2)


def test_other_machines_are_kept_out_unless_allowed() -> None:
    with pytest.raises(UsageProblem):
        AppServer([], "0.0.0.0", 8000)
    assert AppServer([], "0.0.0.0", 8000, public=True).address.startswith("http://0.0.0.0:8000/?token=")


def test_usage_problems_are_sentences() -> None:
    assert isinstance(CliRunner().invoke(commands, ["serve", "--port", "99999"]).exception, UsageProblem)
    assert isinstance(CliRunner().invoke(commands, ["serve", "x", "--demo"]).exception, UsageProblem)


def test_a_path_without_sessions_is_not_served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(AppServer, "run", lambda self: pytest.fail("It is served."))
    (tmp_path / "notes.txt").write_text("hello")
    for name, problem in (("gone.db", StoreMissing), ("notes.txt", NotAStore)):
        assert isinstance(CliRunner().invoke(commands, ["serve", str(tmp_path / name)]).exception, problem)
