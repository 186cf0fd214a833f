"""A server that draws the app in a browser, for one user on one machine.

Every address needs the token; requests of other origins and for other hosts are refused. Each tab runs a process of its
own. The page loads nothing from anywhere else.
"""

from __future__ import annotations

import hmac
import secrets
import shlex
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import aiohttp_jinja2
import jinja2
from aiohttp import web
from textual_serve.server import Server

from inspector.core.errors import UsageProblem

#: The cookie that holds the token behind the first page.
_COOKIE = "compaction_inspector_token"
_TEMPLATES = Path(__file__).with_name("templates")
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]", "::1")
#: Characters of a conversation's name in a link.
_LONGEST = 300
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class AppServer(Server):
    """Serves `compaction-inspector open WORDS` to one user.

    `words` are the arguments of the app. Raises UsageProblem for a host other than loopback without `public`.
    """

    def __init__(self, words: Sequence[str], host: str, port: int, public: bool = False) -> None:
        if host not in _LOOPBACK and not public:
            raise UsageProblem(
                f"{host} can be reached by other machines. The sessions are private: serve on 127.0.0.1, or give "
                "--public if you mean it."
            )
        self.words = tuple(words)
        self.token = secrets.token_urlsafe(24)
        shown = f"[{host}]" if ":" in host and not host.startswith("[") else host
        super().__init__(
            self.command_for({}), host=host, port=port, title="compaction-inspector", templates_path=_TEMPLATES,
            public_url=f"http://{shown}:{port}",
        )  # fmt: skip

    @property
    def address(self) -> str:
        """The address to open, with the token."""
        return f"{self.public_url}/?token={self.token}"

    def command_for(self, place: dict[str, str]) -> str:
        """The command of one tab, at the place that its link names (conversation, compaction)."""
        command = [sys.executable, "-m", "inspector", "open", *self.words]
        conversation, compaction = place.get("conversation", "")[:_LONGEST], place.get("compaction", "")
        if conversation and not conversation.startswith("-"):
            command.append(conversation)
            if (
                compaction.isascii()
                and compaction.isdecimal()
                and 0 < len(compaction) < 7
                and int(compaction)
            ):
                command += ["--compaction", compaction]
        return shlex.join(command)

    def make_app(self) -> web.Application:
        """The web application: the page, the socket of each tab, files that the app hands over, and its scripts."""
        app = web.Application(middlewares=[self._guard])
        aiohttp_jinja2.setup(app, loader=jinja2.FileSystemLoader(self.templates_path))
        app.add_routes(
            [
                web.get("/", self._index, name="index"),
                web.get("/ws", self._socket, name="websocket"),
                web.get("/ws/{conversation}/{compaction}", self._socket, name="place"),
                web.get("/download/{key}", self.handle_download, name="download"),
                web.static("/static", self.statics_path, name="static"),
            ]
        )
        return app

    def run(self) -> None:
        """Serve until ctrl+c."""
        web.run_app(self.make_app(), host=self.host.strip("[]"), port=self.port, print=None)

    @web.middleware
    async def _guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Refuse other hosts, other origins, and requests without the token."""
        public_host = urlsplit(self.public_url).netloc
        if request.headers.get("Host") not in self._hosts(public_host):
            raise web.HTTPForbidden(text="This server answers for its own address alone.")
        origin = request.headers.get("Origin")
        if origin is not None and urlsplit(origin).netloc != request.headers["Host"]:
            raise web.HTTPForbidden(text="Requests of other pages are refused.")
        if request.path.startswith("/static/"):
            return await handler(request)
        given = request.query.get("token") or request.cookies.get(_COOKIE, "")
        if not hmac.compare_digest(given.encode(), self.token.encode()):
            raise web.HTTPForbidden(text="Open the address that the program printed: it holds the token.")
        if request.path.startswith("/ws") and origin is None:
            raise web.HTTPForbidden(text="Only the page itself may connect.")
        response = await handler(request)
        if not response.prepared:
            response.set_cookie(_COOKIE, self.token, httponly=True, samesite="Strict")
            response.headers["Content-Security-Policy"] = (
                "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
                "connect-src 'self' ws: wss:; img-src 'self' data:; frame-ancestors 'none'"
            )
            response.headers["Referrer-Policy"] = "no-referrer"
        return response

    def _hosts(self, public_host: str) -> tuple[str, ...]:
        if urlsplit(self.public_url).hostname in ("127.0.0.1", "localhost", "::1"):
            return (public_host, *(f"{name}:{self.port}" for name in ("127.0.0.1", "localhost", "[::1]")))
        return (public_host,)

    async def _index(self, request: web.Request) -> web.Response:
        size = request.query.get("fontsize", "")
        context: dict[str, Any] = {
            "static": "/static/",
            "socket": f"ws://{request.headers['Host']}/ws",
            "font_size": int(size)
            if size.isascii() and size.isdecimal() and 6 <= int(size[:3]) <= 72
            else 16,
            "title": self.title,
        }
        return aiohttp_jinja2.render_template("page.html", request, context)

    async def _socket(self, request: web.Request) -> web.WebSocketResponse:
        place = {name: unquote(value) for name, value in request.match_info.items()}
        return await _Tab(self, self.command_for(place)).handle_websocket(request)


class _Tab(Server):
    """The server of one tab, whose command names its place."""

    def __init__(self, server: AppServer, command: str) -> None:
        super().__init__(
            command, host=server.host, port=server.port, title=server.title, public_url=server.public_url
        )
        self.download_manager = server.download_manager
