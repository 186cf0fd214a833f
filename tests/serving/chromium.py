"""A headless Chromium, controlled by its debugging protocol: pages, keys, mouse, and the text of a terminal."""

from __future__ import annotations

import asyncio
import base64
import itertools
import os
import re
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp

#: Timeout of every wait, in seconds.
PATIENCE = 90.0
_ESCAPES = re.compile(rb"\x1b(?:\[[0-9;?<>=]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")


def program() -> str | None:
    """Return the path of Chromium; None if it is not installed."""
    names = ("chromium", "chromium-browser", "google-chrome", "chrome")
    return next(filter(None, map(shutil.which, names)), None)


class Page:
    """A tab."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._numbers = itertools.count(1)
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._changed = asyncio.Event()
        self._reading = asyncio.create_task(self._read())
        #: Output to the terminal so far, without escape sequences.
        self.text = ""
        #: Messages in the page's console, and the addresses that it requested.
        self.console: list[str] = []
        self.asked: list[str] = []

    async def begin(self) -> None:
        """Listen to the network and the console."""
        for domain in ("Page", "Network", "Runtime"):
            await self.send(f"{domain}.enable")

    async def send(self, method: str, **params: Any) -> dict[str, Any]:
        """Call a method of the protocol."""
        number = next(self._numbers)
        answer = self._answers[number] = asyncio.get_running_loop().create_future()
        await self._socket.send_json({"id": number, "method": method, "params": params})
        found = await asyncio.wait_for(answer, PATIENCE)
        assert "error" not in found, found
        result: dict[str, Any] = found["result"]
        return result

    async def open(self, address: str) -> None:
        """Go to an address."""
        self.text = ""
        await self.send("Page.navigate", url=address)

    async def reload(self) -> None:
        """Load the page again."""
        self.text = ""
        await self.send("Page.reload")

    async def evaluate(self, script: str) -> Any:
        """Return the value of a script in the page."""
        found = await self.send("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        return found["result"].get("value")

    async def key(self, key: str, code: str = "", number: int = 0) -> None:
        """Press a key: a character, or a named key with its code and number."""
        text = key if len(key) == 1 else "\r" if key == "Enter" else ""
        common = {"key": key, "code": code, "windowsVirtualKeyCode": number or ord(key[0].upper())}
        await self.send("Input.dispatchKeyEvent", type="keyDown", text=text, **common)
        await self.send("Input.dispatchKeyEvent", type="keyUp", **common)

    async def click(self, x: float, y: float) -> None:
        """Click a place of the page."""
        for kind in ("mousePressed", "mouseReleased"):
            await self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    async def until(self, words: str) -> None:
        """Wait until the terminal has some words."""
        async with asyncio.timeout(PATIENCE):
            while words not in self.text:
                self._changed.clear()
                await self._changed.wait()

    async def picture(self) -> bytes:
        """Return a PNG of the page."""
        return base64.b64decode((await self.send("Page.captureScreenshot", format="png"))["data"])

    async def close(self) -> None:
        """Close the tab."""
        await self.send("Page.close")
        self._reading.cancel()

    async def _read(self) -> None:
        async for message in self._socket:
            event = message.json()
            params = event.get("params", {})
            match event.get("method"):
                case None:
                    self._answers.pop(event["id"]).set_result(event)
                case "Network.webSocketFrameReceived":
                    if params["response"]["opcode"] == 2:
                        data = base64.b64decode(params["response"]["payloadData"])
                        self.text += _ESCAPES.sub(b"", data).decode(errors="replace")
                        self._changed.set()
                case "Runtime.consoleAPICalled":
                    self.console += [str(one.get("value")) for one in params["args"]]
                case "Runtime.exceptionThrown":
                    self.console.append(str(params["exceptionDetails"].get("text")))
                case "Network.requestWillBeSent":
                    self.asked.append(params["request"]["url"])


class Browser:
    """A running Chromium."""

    def __init__(self, session: aiohttp.ClientSession, address: str) -> None:
        self._session, self._address = session, address

    async def page(self) -> Page:
        """Open a new tab."""
        async with self._session.put(f"{self._address}/json/new?about:blank") as answer:
            tab = await answer.json()
        socket = await self._session.ws_connect(tab["webSocketDebuggerUrl"], max_msg_size=0)
        page = Page(socket)
        await page.begin()
        return page


@asynccontextmanager
async def chromium(path: str) -> AsyncIterator[Browser]:
    """Run Chromium with a separate profile, without a screen."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        process = await asyncio.create_subprocess_exec(
            path, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-extensions",
            "--disable-background-networking", "--disable-sync", "--disable-component-update", "--window-size=1280,800",
            "--remote-debugging-port=0", "--remote-allow-origins=*", f"--user-data-dir={folder}", "about:blank",
            stderr=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.DEVNULL, env={**os.environ, "HOME": folder},
        )  # fmt: skip
        try:
            port = ""
            async with asyncio.timeout(PATIENCE):
                # It prints the address that it listens on.
                while not port:
                    assert process.stderr is not None
                    found = re.search(
                        rb"DevTools listening on ws://[^:]+:(\d+)/", await process.stderr.readline()
                    )
                    port = found[1].decode() if found else ""
            async with aiohttp.ClientSession() as session:
                yield Browser(session, f"http://127.0.0.1:{port}")
        finally:
            process.kill()
            await process.wait()
