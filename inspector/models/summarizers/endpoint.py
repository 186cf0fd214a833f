"""Endpoint with OpenAI's chat completions: streams the answer and repeats a request after a temporary error."""

from __future__ import annotations

import asyncio
import contextlib
import email.utils
import ipaddress
import os
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, ClassVar

from inspector.core.errors import SummarizerCut, SummarizerFailed, UsageProblem
from inspector.core.text import safe_line
from inspector.models.summarizers.base import LONGEST, PATIENCE, POLL, OnText, Reply, seconds_words
from inspector.models.summarizers.chat_answer import (
    MAX_ERROR,
    ChatAnswer,
    after_colon,
    body_of,
    error_in,
    quoted,
)

if TYPE_CHECKING:
    import ssl

    import httpx2

#: HTTP statuses after which a repeated request may succeed: rate limits and server errors.
_TEMPORARY = frozenset({408, 425, 429, 500, 502, 503, 504, 529})
#: Maximum number of tries; the pauses between them double, up to the longest, in seconds.
TRIES, _FIRST_PAUSE, LONGEST_PAUSE = 4, 0.5, 60.0
_CONNECT_SECONDS = 15.0
#: Advice after a status.
_ADVICE = {
    401: " Check the key (--key-env).",
    403: " Check the key and its permissions.",
    404: " Check the address and the model.",
    413: " The prompt is too long for it.",
}


@cache
def _certificates() -> ssl.SSLContext:
    """Return the trusted certificates. To read them takes longer than a short request."""
    import httpx2

    return httpx2.create_ssl_context()


class _TemporaryFailure(Exception):
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
        task = asyncio.create_task(self._write_in_time(prompt, on_text))
        try:
            while not task.done():
                await asyncio.wait({task}, timeout=POLL)
                on_text("")
        finally:
            if not task.done():
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await task
        return task.result()

    async def _write_in_time(self, prompt: str, on_text: OnText) -> Reply:
        try:
            async with asyncio.timeout(self.patience):
                return await self._write_repeatedly(prompt, on_text)
        except TimeoutError as error:
            raise SummarizerFailed(
                f"{self.where} took longer than {seconds_words(self.patience)}. Set a longer time with --timeout."
            ) from error

    async def _write_repeatedly(self, prompt: str, on_text: OnText) -> Reply:
        import httpx2

        limits = httpx2.Timeout(None, connect=_CONNECT_SECONDS)
        # An endpoint on this machine is reached without a proxy.
        certificates, proxies = _certificates(), not self._local
        async with httpx2.AsyncClient(timeout=limits, verify=certificates, trust_env=proxies) as client:
            for number in range(1, TRIES + 1):
                try:
                    return await self._write_once(client, prompt, on_text)
                except _TemporaryFailure as failure:
                    if number == TRIES:
                        raise SummarizerFailed(f"{failure} It was tried {TRIES} times.") from failure
                    pause = failure.retry_after
                    if pause is None:
                        pause = _FIRST_PAUSE * 2 ** (number - 1)
                    elif pause > LONGEST_PAUSE:
                        raise SummarizerFailed(
                            f"{failure} It asks to wait {pause:,.0f} seconds."
                        ) from failure
                await self.sleep(pause)
        raise AssertionError("a try returns or raises")

    async def _write_once(self, client: httpx2.AsyncClient, prompt: str, on_text: OnText) -> Reply:
        import httpx2

        body = {
            "model": self.model,
            "messages": [{"role": "user", "content": prompt.encode("utf-8", "replace").decode()}],
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        address = f"{self.base.rstrip('/')}/chat/completions"
        answer = ChatAnswer(self.where, on_text, self._key)
        try:
            async with client.stream("POST", address, json=body, headers=self._headers()) as response:
                if response.status_code != 200:
                    raise await self._refused(response)
                if "event-stream" in response.headers.get("content-type", "event-stream"):
                    await answer.read_stream(response)
                else:
                    answer.read_document(await body_of(response, LONGEST, self.where))
        except httpx2.HTTPError as error:
            reason = quoted(str(error), self._key, 120) or type(error).__name__
            sentence = f"The connection to {self.where} failed ({reason})."
            answer.end()
            if answer.pieces:
                raise SummarizerCut(f"{sentence} The summary is incomplete.", answer.text) from error
            raise _TemporaryFailure(sentence) from error
        return answer.reply()

    def _headers(self) -> dict[str, str]:
        key = self._key
        # Not compressed, so that the limits on sizes apply to the bytes that were sent.
        headers = {"Accept": "text/event-stream", "Accept-Encoding": "identity"}
        return {**headers, "Authorization": f"Bearer {key}"} if key else headers

    async def _refused(self, response: httpx2.Response) -> Exception:
        """Return the exception for an unsuccessful answer."""
        reason = error_in(await body_of(response, MAX_ERROR, self.where, cut=True))
        status = response.status_code
        sentence = f"{self.where} answered {status}{after_colon(quoted(reason, self._key))}."
        if status in _TEMPORARY:
            return _TemporaryFailure(sentence, _retry_after(response.headers.get("retry-after", "")))
        if 300 <= status < 400:
            return SummarizerFailed(
                f"{sentence} It redirects to another address. Nothing is sent there; give that address instead."
            )
        return SummarizerFailed(sentence + _ADVICE.get(status, ""))

    @property
    def _key(self) -> str:
        return os.environ.get(self.key_name, "") if self.key_name else ""


def _retry_after(value: str) -> float | None:
    """Return the pause in seconds that a header asks for, as seconds or as a date."""
    with contextlib.suppress(ValueError):
        return max(0.0, float(value))
    with contextlib.suppress(ValueError, TypeError):
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    return None
