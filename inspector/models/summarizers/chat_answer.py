"""The answer of an endpoint to a chat completion, as a stream of events or as one document."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from inspector.core.errors import SummarizerCut, SummarizerFailed
from inspector.core.text import safe_line, safe_title
from inspector.models.masking import KeyFilter, clean
from inspector.models.summarizers.base import LONGEST, OnText, Reply

if TYPE_CHECKING:
    import httpx2

#: Maximum size of an error's body in bytes, and of the quoted part in characters.
MAX_ERROR, _MAX_QUOTED = 20_000, 300
#: Maximum size of a line of a stream, in bytes.
_MAX_LINE = 1_000_000
#: Maximum usage that is accepted, in tokens.
_MAX_TOKENS = 10**15


class ChatAnswer:
    """The text, the usage and the model of an answer, while they arrive.

    `where` is the address for messages. `on_text` gets each piece of the text. The key is removed from all texts.
    """

    def __init__(self, where: str, on_text: OnText, key: str = "") -> None:
        self.where, self.on_text, self.key = where, on_text, key
        self._filter = KeyFilter(key)
        self.pieces: list[str] = []
        self._size_in_bytes = 0
        self._sent: int | None = None
        self._received: int | None = None
        self._model = ""
        self._finish_reason = ""
        self._is_complete = False

    @property
    def text(self) -> str:
        """The text that has arrived."""
        return "".join(self.pieces).strip()

    async def read_stream(self, response: httpx2.Response) -> None:
        """Read a stream of events."""
        rest = b""
        async for data in response.aiter_bytes():
            rest += data
            *lines, rest = rest.split(b"\n")
            for line in lines:
                self._read_line(line)
            if len(rest) > _MAX_LINE:
                raise SummarizerFailed(f"{self.where} sent a line of more than {_MAX_LINE:,} bytes.")
            if self._is_complete:
                break
        else:
            self._read_line(rest)
        self.end()

    def _read_line(self, line: bytes) -> None:
        line = line.strip()
        if not line.startswith(b"data:"):
            # Event names, comments that keep the connection alive, and empty lines.
            return
        data = line[5:].strip()
        if data == b"[DONE]":
            self._is_complete = True
            return
        event = self._mapping(data)
        if event.get("error"):
            self.end()
            sentence = f"{self.where} broke off{after_colon(quoted(_error_of(event), self.key))}."
            raise SummarizerCut(sentence, self.text) if self.pieces else SummarizerFailed(sentence)
        self._read_usage(event)
        for choice in _mappings(event.get("choices"))[:1]:
            self._finish_reason = str(choice.get("finish_reason") or "") or self._finish_reason
            self._take(_mapping(choice.get("delta")).get("content"))

    def read_document(self, data: bytes) -> None:
        """Read an answer that is one document."""
        document = self._mapping(data)
        self._read_usage(document)
        if document.get("error"):
            reason = quoted(_error_of(document), self.key)
            raise SummarizerFailed(f"{self.where} answered with an error{after_colon(reason)}.")
        for choice in _mappings(document.get("choices"))[:1]:
            self._finish_reason = str(choice.get("finish_reason") or "stop")
            self._take(_mapping(choice.get("message")).get("content"))
        self.end()
        self._is_complete = True

    def _take(self, piece: object) -> None:
        """Take a piece of the text; a part of it may be held back, because it may begin the key."""
        if not isinstance(piece, str) or not piece:
            return
        self._size_in_bytes += len(piece.encode("utf-8", "replace"))
        if self._size_in_bytes > LONGEST:
            raise SummarizerFailed(
                f"{self.where} sent more than {LONGEST:,} bytes, the limit for a summary. The connection was closed."
            )
        self._add(self._filter.feed(piece))

    def end(self) -> None:
        """Add the text that was held back."""
        self._add(self._filter.end())

    def _add(self, piece: str) -> None:
        if piece:
            self.pieces.append(piece)
            self.on_text(piece)

    def _read_usage(self, event: dict[str, Any]) -> None:
        usage = _mapping(event.get("usage"))
        self._sent = _count(usage.get("prompt_tokens"), self._sent)
        self._received = _count(usage.get("completion_tokens"), self._received)
        self._model = safe_line(clean(str(event.get("model") or ""), self.key)) or self._model

    def _mapping(self, data: bytes) -> dict[str, Any]:
        try:
            document = json.loads(data)
        except (ValueError, RecursionError) as error:
            start = quoted(data[:MAX_ERROR].decode("utf-8", "replace"), self.key, 80)
            raise SummarizerFailed(f"{self.where} sent something that is not JSON: {start}.") from error
        if not isinstance(document, dict):
            raise SummarizerFailed(f"{self.where} sent JSON that is not a chat completion.")
        return document

    def reply(self) -> Reply:
        """Return the answer.

        Raise SummarizerCut if it is incomplete, even without text, and SummarizerFailed if it is complete but empty.
        """
        if self._finish_reason == "length":
            raise SummarizerCut(f"{self.where} stopped at its limit of output tokens.", self.text)
        if not self._is_complete and not self._finish_reason:
            raise SummarizerCut(
                f"{self.where} closed the connection before the end of the summary.", self.text
            )
        if self._finish_reason == "content_filter":
            raise SummarizerCut(f"{self.where} stopped at its content filter.", self.text)
        if not self.text:
            raise SummarizerFailed(f"{self.where} answered with no text.")
        return Reply(self.text, self._sent, self._received, self._model)


def quoted(text: str, key: str, most: int = _MAX_QUOTED) -> str:
    """Return a text of a provider for the screen, without the key and other secrets, and without a full stop."""
    return safe_title(clean(text, key), most).rstrip(".")


def after_colon(text: str) -> str:
    """Return a text after a colon; "" for no text."""
    return f": {text}" if text else ""


async def body_of(response: httpx2.Response, most: int, where: str, cut: bool = False) -> bytes:
    """Return the body of an answer; a body that is too long is cut or refused."""
    body = b""
    async for data in response.aiter_bytes():
        body += data
        if len(body) > most:
            if cut:
                return body[:most]
            raise SummarizerFailed(f"{where} answered with more than {most:,} bytes.")
    return body


def error_in(data: bytes) -> str:
    """Return the error in the body of an answer: its message in JSON, else the text."""
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return data.decode("utf-8", "replace").strip()
    # Some endpoints send a list with one error.
    first = next(iter(_mappings(document)), document)
    return _error_of(first) if isinstance(first, dict) else ""


def _error_of(document: dict[str, Any]) -> str:
    """Return the message of an error, else its first other text; "" for none."""
    error = document.get("error", document)
    if isinstance(error, dict):
        return next((str(error[key]) for key in ("message", "code", "detail", "type") if error.get(key)), "")
    return str(error)


def _mappings(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _count(value: Any, before: int | None) -> int | None:
    """Return a number of tokens that a provider reports, or the number `before` if a database cannot store it."""
    return value if type(value) is int and 0 <= value < _MAX_TOKENS else before
