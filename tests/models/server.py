"""An HTTP server on 127.0.0.1 that answers each request with the next prepared answer."""

from __future__ import annotations

import json
import socket
import sys
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Handler(BaseHTTPRequestHandler):
    """A request; `server.owner` has the answer."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        owner: Server = self.server.owner  # type: ignore[attr-defined]
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        answer = owner.next(self.path, dict(self.headers.items()), body)
        try:
            answer(self)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def log_message(self, *_: Any) -> None:
        """Log nothing."""


Answer = Callable[[Handler], None]


class _Silent(ThreadingHTTPServer):
    """A server that prints nothing if a client disconnects."""

    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class Server:
    """The server. `requests` has (path, headers, body as JSON) of each request, in order."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        self.answers: list[Answer] = []
        #: Set by a test to continue a waiting answer, and by the server at its end.
        self.go_on = threading.Event()
        #: Set by a waiting answer.
        self.waits = threading.Event()
        self._server = _Silent(("127.0.0.1", 0), Handler)
        self._server.owner = self  # type: ignore[attr-defined]

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def next(self, path: str, headers: dict[str, str], body: bytes) -> Answer:
        self.requests.append((path, headers, json.loads(body)))
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]

    def __enter__(self) -> Server:
        # Stopping the server waits for its next check of the stop flag.
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.go_on.set()
        self._server.shutdown()
        self._server.server_close()


def event(text: str = "", finish: str | None = None, **more: Any) -> bytes:
    """Return a piece of a streamed answer."""
    choice = {"index": 0, "delta": {"content": text} if text else {}, "finish_reason": finish}
    return b"data: " + json.dumps({"model": "told-model", "choices": [choice], **more}).encode() + b"\n\n"


USAGE = b'data: {"choices": [], "usage": {"prompt_tokens": 1234, "completion_tokens": 56}}\n\n'
DONE = b"data: [DONE]\n\n"


def stream(*pieces: bytes, cut: bool = False, before: Callable[[], object] | None = None) -> Answer:
    """Return a streamed answer. `cut` closes the connection in the middle; `before` runs before the last piece."""

    def answer(handler: Handler) -> None:
        handler.send_response(200)
        handler.send_header("content-type", "text/event-stream; charset=utf-8")
        handler.send_header("transfer-encoding", "chunked")
        handler.end_headers()
        for number, piece in enumerate(pieces):
            if before is not None and number == len(pieces) - 1:
                before()
            handler.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
            handler.wfile.flush()
        if cut:
            handler.connection.shutdown(socket.SHUT_RDWR)
            handler.close_connection = True
        else:
            handler.wfile.write(b"0\r\n\r\n")

    return answer


def whole(
    status: int, body: bytes | dict[str, Any] | list[Any], kind: str = "application/json", **headers: str
) -> Answer:
    """Return an answer that is not streamed."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()

    def answer(handler: Handler) -> None:
        handler.send_response(status)
        handler.send_header("content-type", kind)
        handler.send_header("content-length", str(len(data)))
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(data)

    return answer


def hangs_up(handler: Handler) -> None:
    """Close the connection without an answer."""
    handler.connection.shutdown(socket.SHUT_RDWR)
    handler.close_connection = True
