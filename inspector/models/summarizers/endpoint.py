"""Endpoint with OpenAI's chat completions: streams the answer and repeats a request after a temporary error."""

from __future__ import annotations

import asyncio
import contextlib
import email.utils
import ipaddress
import json
import os
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

from inspector.core.errors import SummarizerCut, SummarizerFailed, UsageProblem
from inspector.core.text import safe_line, safe_title
from inspector.models.masking import KeyFilter, clean
from inspector.models.summarizers.base import LONGEST, PATIENCE, POLL, OnText, Reply

if TYPE_CHECKING:
    import ssl

    import httpx2

#: HTTP statuses after which a repeated request may succeed: rate limits and server errors.
_AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504, 529})
#: Maximum number of tries; the pauses between them double, up to the longest, in seconds.
TRIES, _FIRST_PAUSE, LONGEST_PAUSE = 4, 0.5, 60.0
_CONNECT = 15.0
#: Maximum size of an error's body in bytes, and of the quoted part in characters.
_ERROR_READ, _ERROR_QUOTED = 20_000, 300
#: Maximum size of a line of a stream, in bytes.
_LINE = 1_000_000
#: Maximum usage that is accepted, in tokens.
_LARGEST_COUNT = 10**15


@cache
def _certificates() -> ssl.SSLContext:
    """Return the trusted certificates. To read them takes longer than a short request."""
    import httpx2

    return httpx2.create_ssl_context()


class _Again(Exception):
    """A failure after which another try may succeed. Its text is a sentence for the user.

    `retry_after` is the number of seconds that the server asks to wait, None if it asks for no wait.
    """

    def __init__(self, sentence: str, retry_after: float | None = None) -> None:
        super().__init__(sentence)
        self.retry_after = retry_after


@dataclass(frozen=True)
class EndpointSummarizer:
    """An endpoint.

    `base` is the address before /chat/completions. `key_name` is the environment variable with the key, "" for none.
    `patience` limits all tries together, in seconds; `sleep` waits between tries.
    """

    base: str
    model: str
    key_name: str = ""
    patience: float = PATIENCE
    sleep: Callable[[float], Awaitable[None]] = field(default=asyncio.sleep, compare=False, repr=False)
    kind: ClassVar[str] = "endpoint"

    def __post_init__(self) -> None:
        import httpx2

        # Without a user and a password.
        shown = safe_line(self.base.rpartition("@")[2])
        try:
            url = httpx2.URL(self.base)
        except httpx2.InvalidURL as error:
            raise UsageProblem(f"The endpoint {shown} is no address: {error}.") from error
        if url.userinfo or "?" in self.base or "#" in self.base:
            raise UsageProblem(
                "The endpoint's address contains a user, a password, a query or a fragment; give the key with "
                "--key-env NAME."
            )
        if url.scheme not in ("http", "https") or not url.host:
            raise UsageProblem(f"The endpoint {shown} is not an address such as https://api.openai.com/v1.")
        if url.port is not None and not 0 < url.port < 65_536:
            raise UsageProblem(f"The endpoint {shown} has a port that is not from 1 to 65535.")
        if not self.model.strip():
            raise UsageProblem("An endpoint needs a model: --model NAME.")
        if self.key_name and not os.environ.get(self.key_name):
            raise UsageProblem(f"The environment variable {safe_line(self.key_name)} for the key is not set.")
        # An error about a header with such a character would quote the key in a form that is not masked.
        if not all("!" <= character <= "~" for character in self._key):
            raise UsageProblem(
                f"The key in {safe_line(self.key_name)} contains characters that a key cannot have, "
                "such as a space or a line end."
            )

    @property
    def name(self) -> str:
        """The model."""
        return self.model

    @property
    def to(self) -> str:
        """The recipient of the prompt."""
        plain = self.base.lower().startswith("http://") and not self._local
        key = f", with the key in {self.key_name}" if self.key_name else ", without a key"
        return f"{self.model} at {self.where}{key}{' (not encrypted on its way)' if plain else ''}"

    @property
    def where(self) -> str:
        """The address."""
        return safe_line(self.base.rstrip("/"))

    @property
    def _local(self) -> bool:
        import httpx2

        host = httpx2.URL(self.base).host
        if host == "localhost":
            return True
        with contextlib.suppress(ValueError):
            return ipaddress.ip_address(host).is_loopback
        return False

    def write(self, prompt: str, on_text: OnText) -> Reply:
        """Ask the endpoint. `on_text` receives the text, and "" between pieces to check for cancellation."""
        return asyncio.run(self._write_cancellable(prompt, on_text))

    async def _write_cancellable(self, prompt: str, on_text: OnText) -> Reply:
        asking = asyncio.create_task(self._write_in_time(prompt, on_text))
        try:
            while not asking.done():
                await asyncio.wait({asking}, timeout=POLL)
                on_text("")
        finally:
            if not asking.done():
                asking.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await asking
        return asking.result()

    async def _write_in_time(self, prompt: str, on_text: OnText) -> Reply:
        try:
            async with asyncio.timeout(self.patience):
                return await self._tries(prompt, on_text)
        except TimeoutError as error:
            raise SummarizerFailed(
                f"{self.where} took longer than {self.patience:g} seconds. Set a longer time with --timeout."
            ) from error

    async def _tries(self, prompt: str, on_text: OnText) -> Reply:
        import httpx2

        limits = httpx2.Timeout(None, connect=_CONNECT)
        # An endpoint on this machine is reached without a proxy.
        certificates, proxies = _certificates(), not self._local
        async with httpx2.AsyncClient(timeout=limits, verify=certificates, trust_env=proxies) as client:
            for number in range(1, TRIES + 1):
                try:
                    return await self._try(client, prompt, on_text)
                except _Again as failure:
                    if number == TRIES:
                        raise SummarizerFailed(f"{failure} It was tried {TRIES} times.") from failure
                    asked = failure.retry_after
                    own = _FIRST_PAUSE * 2 ** (number - 1)
                    if asked is not None and asked > LONGEST_PAUSE:
                        raise SummarizerFailed(
                            f"{failure} It asks to wait {asked:,.0f} seconds."
                        ) from failure
                await self.sleep(own if asked is None else asked)
        raise AssertionError("a try returns or raises")

    async def _try(self, client: httpx2.AsyncClient, prompt: str, on_text: OnText) -> Reply:
        import httpx2

        body = {
            "model": self.model,
            "messages": [{"role": "user", "content": prompt.encode("utf-8", "replace").decode()}],
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        stream = _Stream(self.where, on_text, self._key)
        try:
            async with client.stream(
                "POST", f"{self.base.rstrip('/')}/chat/completions", json=body, headers=self._headers()
            ) as response:
                if response.status_code != 200:
                    raise await self._refused(response)
                if "event-stream" not in response.headers.get("content-type", "event-stream"):
                    return _whole(stream, await _bounded(response, LONGEST, self.where))
                await stream.read(response)
        except httpx2.HTTPError as error:
            error_text = safe_title(str(error), 120).rstrip(".") or type(error).__name__
            sentence = f"The connection to {self.where} failed ({self._safely(error_text)})."
            stream.end()
            if stream.pieces:
                raise SummarizerCut(f"{sentence} The summary is incomplete.", stream.whole) from error
            raise _Again(sentence) from error
        return stream.reply()

    def _headers(self) -> dict[str, str]:
        key = self._key
        # Not compressed, so that the limits on sizes apply to the bytes that were sent.
        headers = {"Accept": "text/event-stream", "Accept-Encoding": "identity"}
        return {**headers, "Authorization": f"Bearer {key}"} if key else headers

    async def _refused(self, response: httpx2.Response) -> Exception:
        """Return the exception for an unsuccessful answer."""
        error_text = self._safely(_error_in(await _bounded(response, _ERROR_READ, self.where, cut=True)))
        status = response.status_code
        sentence = f"{self.where} answered {status}{_after_colon(error_text)}."
        if status in _AGAIN:
            return _Again(sentence, _retry_after(response.headers.get("retry-after", "")))
        advice = {
            401: " Check the key (--key-env).",
            403: " Check the key and its permissions.",
            404: " Check the address and the model.",
            413: " The prompt is too long for it.",
        }
        if 300 <= status < 400:
            return SummarizerFailed(
                f"{sentence} It redirects to another address. Nothing is sent there; give that address instead."
            )
        return SummarizerFailed(sentence + advice.get(status, ""))

    def _safely(self, text: str) -> str:
        """Return a provider's sentence for the screen, without the key and other secrets."""
        return safe_title(clean(text, self._key), _ERROR_QUOTED).rstrip(".")

    @property
    def _key(self) -> str:
        return os.environ.get(self.key_name, "") if self.key_name else ""


class _Stream:
    """The events of one answer, combined."""

    def __init__(self, where: str, on_text: OnText, key: str = "") -> None:
        self.where, self.on_text, self.key = where, on_text, key
        self._filter = KeyFilter(key)
        self.pieces: list[str] = []
        self.size_in_bytes = 0
        self.sent_tokens: int | None = None
        self.received_tokens: int | None = None
        self.model = ""
        self.finish = ""
        self.done = False

    @property
    def whole(self) -> str:
        """The text that has arrived."""
        return "".join(self.pieces).strip()

    async def read(self, response: httpx2.Response) -> None:
        rest = b""
        async for data in response.aiter_bytes():
            rest += data
            *lines, rest = rest.split(b"\n")
            for line in lines:
                self._line(line)
            if len(rest) > _LINE:
                raise SummarizerFailed(f"{self.where} sent a line of more than {_LINE:,} bytes.")
            if self.done:
                break
        else:
            self._line(rest)
        self.end()

    def _line(self, line: bytes) -> None:
        line = line.strip()
        if not line.startswith(b"data:"):
            # Event names, comments that keep the connection alive, and empty lines.
            return
        data = line[5:].strip()
        if data == b"[DONE]":
            self.done = True
            return
        event = _mapping(data, self.where, self.key)
        if event.get("error"):
            self.end()
            sentence = f"{self.where} broke off{_after_colon(self._error(event))}."
            raise SummarizerCut(sentence, self.whole) if self.pieces else SummarizerFailed(sentence)
        self._usage(event)
        for choice in _list(event.get("choices"))[:1]:
            self.finish = str(choice.get("finish_reason") or "") or self.finish
            piece = _map(choice.get("delta")).get("content")
            if isinstance(piece, str) and piece:
                self._take(piece)

    def _take(self, piece: str) -> None:
        self.size_in_bytes += len(piece.encode("utf-8", "replace"))
        if self.size_in_bytes > LONGEST:
            raise SummarizerFailed(
                f"{self.where} sent more than {LONGEST:,} bytes, the limit for a summary. The connection was closed."
            )
        self._add(self._filter.feed(piece))

    def end(self) -> None:
        """Add the text that was held back, at the end of the stream."""
        self._add(self._filter.end())

    def _add(self, piece: str) -> None:
        if piece:
            self.pieces.append(piece)
            self.on_text(piece)

    def _error(self, document: dict[str, Any]) -> str:
        return safe_title(clean(_error_of(document), self.key), _ERROR_QUOTED).rstrip(".")

    def _usage(self, event: dict[str, Any]) -> None:
        usage = _map(event.get("usage"))
        self.sent_tokens = _count(usage.get("prompt_tokens"), self.sent_tokens)
        self.received_tokens = _count(usage.get("completion_tokens"), self.received_tokens)
        self.model = safe_line(clean(str(event.get("model") or ""), self.key)) or self.model

    def reply(self) -> Reply:
        """Return the answer.

        Raise SummarizerCut if it is incomplete, even without text, and SummarizerFailed if it is complete but empty.
        """
        if self.finish == "length":
            raise SummarizerCut(f"{self.where} stopped at its limit of output tokens.", self.whole)
        if not self.done and not self.finish:
            raise SummarizerCut(
                f"{self.where} closed the connection before the end of the summary.", self.whole
            )
        if self.finish == "content_filter":
            raise SummarizerCut(f"{self.where} stopped at its content filter.", self.whole)
        if not self.whole:
            raise SummarizerFailed(f"{self.where} answered with no text.")
        return Reply(self.whole, self.sent_tokens, self.received_tokens, self.model)


def _whole(stream: _Stream, data: bytes) -> Reply:
    """Return the answer from a document that is not a stream."""
    document = _mapping(data, stream.where, stream.key)
    stream._usage(document)
    if document.get("error"):
        raise SummarizerFailed(
            f"{stream.where} answered with an error{_after_colon(stream._error(document))}."
        )
    for choice in _list(document.get("choices"))[:1]:
        stream.finish = str(choice.get("finish_reason") or "stop")
        text = _map(choice.get("message")).get("content")
        if isinstance(text, str):
            stream._take(text)
    stream.end()
    stream.done = True
    return stream.reply()


async def _bounded(response: httpx2.Response, most: int, where: str, cut: bool = False) -> bytes:
    """Return the body of an answer; a body that is too long is cut or refused."""
    body = b""
    async for data in response.aiter_bytes():
        body += data
        if len(body) > most:
            if cut:
                return body[:most]
            raise SummarizerFailed(f"{where} answered with more than {most:,} bytes.")
    return body


def _mapping(data: bytes, where: str, key: str) -> dict[str, Any]:
    try:
        document = json.loads(data)
    except (ValueError, RecursionError) as error:
        shown = safe_title(clean(data[:_ERROR_READ].decode("utf-8", "replace"), key), 80)
        raise SummarizerFailed(f"{where} sent something that is not JSON: {shown}.") from error
    if not isinstance(document, dict):
        raise SummarizerFailed(f"{where} sent JSON that is not a chat completion.")
    return document


def _after_colon(text: str) -> str:
    return f": {text}" if text else ""


def _error_in(data: bytes) -> str:
    """Return the error in the body of an answer: its message in JSON, else the text."""
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return data.decode("utf-8", "replace").strip()
    # Some endpoints send a list with one error.
    first = next(iter(_list(document)), document)
    return _error_of(first) if isinstance(first, dict) else ""


def _error_of(document: dict[str, Any]) -> str:
    """Return the message of an error, else its first other text; "" for none."""
    error = document.get("error", document)
    if isinstance(error, dict):
        return next((str(error[key]) for key in ("message", "code", "detail", "type") if error.get(key)), "")
    return str(error)


def _retry_after(value: str) -> float | None:
    """Return the pause in seconds that a header asks for, as seconds or as a date."""
    with contextlib.suppress(ValueError):
        return max(0.0, float(value))
    with contextlib.suppress(ValueError, TypeError):
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    return None


def _list(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _map(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _count(value: Any, otherwise: int | None) -> int | None:
    """Return a number of tokens that a provider reports, or `otherwise` if a database cannot store it."""
    return value if type(value) is int and 0 <= value < _LARGEST_COUNT else otherwise
