"""The app in a real Chromium: it draws, takes keys and mouse, keeps its place, and tabs are apart."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

pytest.importorskip("textual_serve", reason="the extra `serve` is not installed")

from aiohttp.test_utils import TestServer

from inspector.app.served import PlaceTeller, sequence
from inspector.serving.server import AppServer
from tests.serving.chromium import PATIENCE, Browser, Page, chromium, program

pytestmark = pytest.mark.slow

CHECKOUT = "20260312_054216_3a4ebc"
TITLE = "Move checkout to orders-v2"


@pytest.fixture
async def browser() -> AsyncIterator[Browser]:
    path = program()
    if path is None:
        pytest.skip("no Chromium is installed")
    async with chromium(path) as found:
        yield found


@pytest.fixture
async def address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[str]:
    """Start a server for the bundled sessions; return its address."""
    for name in ("XDG_STATE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    app_server = AppServer(["--demo"], "127.0.0.1", 0)
    server = TestServer(app_server.make_app())
    await server.start_server()
    app_server.port = server.port or 0
    yield f"http://127.0.0.1:{server.port}/?token={app_server.token}"
    await server.close()


async def until_address(page: Page, ending: str) -> None:
    """Wait until the page's address ends with something."""
    async with asyncio.timeout(PATIENCE):
        while not str(await page.evaluate("location.href")).endswith(ending):
            # The app reports its place a few times per second.
            await asyncio.sleep(0.1)


async def until_left(page: Page, ending: str) -> None:
    """Press escape until the page's address ends with something: a screen that still opens takes no key."""
    async with asyncio.timeout(PATIENCE):
        while not str(await page.evaluate("location.href")).endswith(ending):
            await page.key("Escape", "Escape", 27)
            # The app reports its place a few times per second.
            await asyncio.sleep(3)


async def until_focus(page: Page) -> None:
    """Wait until keys reach the terminal of the page."""
    async with asyncio.timeout(PATIENCE):
        while await page.evaluate("document.activeElement.className") != "xterm-helper-textarea":
            await asyncio.sleep(0.1)


async def opened(browser: Browser, address: str, words: str = TITLE) -> Page:
    page = await browser.page()
    await page.open(address)
    await page.until(words)
    await until_focus(page)
    return page


async def test_it_draws_and_takes_keys_and_the_mouse(browser: Browser, address: str) -> None:
    page = await opened(browser, address)
    empty = len(await page.picture())
    assert empty > 20_000, "a page without text is a small picture"
    page.text = ""
    await page.key("?")
    await page.until("Signs on this screen")
    page.text = ""
    await page.key("Escape", "Escape", 27)
    # The column heads are in the second line: a click sorts by title.
    height = await page.evaluate("document.querySelector('.xterm-screen').clientHeight / 30")
    page.text = ""
    await page.click(30, 1.5 * height)
    await page.until("title")
    assert {urlsplit(one).netloc for one in page.asked} == {urlsplit(address).netloc}
    assert not [line for line in page.console if "rror" in line]


async def test_a_link_opens_its_place_and_a_reload_comes_back(browser: Browser, address: str) -> None:
    page = await opened(browser, f"{address}#conversation={CHECKOUT}&compaction=2", "compaction 2 of")
    await page.key("]")
    await until_address(page, f"#conversation={CHECKOUT}&compaction=3")
    await page.reload()
    await page.until("compaction 3 of")
    await until_focus(page)
    await until_left(page, urlsplit(address).query)
    await page.reload()
    await page.until("Lighthouse status page")


async def test_tabs_share_no_state(browser: Browser, address: str) -> None:
    pages = [await opened(browser, address) for _ in range(10)]
    for page in pages:
        page.text = ""
    await pages[1].open(f"{address}#conversation={CHECKOUT}&compaction=1")
    await pages[1].until("compaction 1 of")
    for page in (pages[0], *pages[2:]):
        assert "compaction 1 of" not in page.text
        assert await page.evaluate("location.hash") == ""


async def test_another_page_cannot_connect(browser: Browser, address: str) -> None:
    page = await opened(browser, address)
    assert page.text
    other = await browser.page()
    socket = address.replace("http://", "ws://").replace("/?", "/ws?")
    script = f"""new Promise((done) => {{
        const socket = new WebSocket({socket!r});
        socket.onopen = () => done("open");
        socket.onerror = () => done("refused");
    }})"""
    assert await other.evaluate(script) == "refused"
    fetched = f"fetch({address!r}).then(() => 'read', () => 'refused')"
    assert await other.evaluate(fetched) == "refused"


def test_a_user_who_leaves_before_the_first_place_gets_a_message() -> None:
    sent: list[str] = []
    teller = PlaceTeller()
    teller.write = sent.append
    for place in (None, None, ("a", 1), ("a", 1), None):
        teller(place)
    assert sent == [sequence(None), sequence(("a", 1)), sequence(None)]


def test_the_sequence_of_a_place() -> None:
    assert sequence(None) == "\x1b]7770;;\x07"
    assert sequence(("a b;\x07", 2)) == "\x1b]7770;a%20b%3B%07;2\x07"
    page = (Path(__file__).resolve().parents[2] / "inspector/serving/templates/page.html").read_text()
    assert re.search(r"\\x1b\\\]7770;", page)
