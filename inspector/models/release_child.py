"""Script for the Python of a Hermes installation: builds the prompt that this release would send.

Reads one JSON document from standard input (`turns`, `earlier`, `focus`, `context_length`) and writes one with
`version` and `prompt`. It imports nothing of this program and cannot open a connection.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import json
import logging
import os
import socket
import sys
import tempfile
from typing import Any


class _Asked(BaseException):
    """Raised in place of the call to the model. A BaseException, so that the release does not catch it."""


def _no_network(*_: Any, **__: Any) -> Any:
    raise OSError("building a prompt opens no connection")


def _prompt(given: dict[str, Any]) -> str:
    from agent import context_compressor

    asked: list[str] = []

    def call(**wanted: Any) -> Any:
        asked.append(wanted["messages"][-1]["content"])
        raise _Asked

    context_compressor.call_llm = call
    made = context_compressor.ContextCompressor(
        model="any", quiet_mode=True, config_context_length=given["context_length"]
    )
    made._previous_summary = given["earlier"] or None
    with contextlib.suppress(_Asked):
        made._generate_summary(given["turns"], focus_topic=given["focus"] or None)
    return asked[0]


def main() -> None:
    socket.socket.connect = _no_network  # type: ignore[method-assign]
    socket.getaddrinfo = _no_network
    logging.disable(logging.CRITICAL)
    given = json.load(sys.stdin)
    with tempfile.TemporaryDirectory(prefix="hermes-home-") as home:
        os.environ["HERMES_HOME"] = home
        answer, sys.stdout = sys.stdout, sys.stderr
        document = {"version": importlib.metadata.version("hermes-agent"), "prompt": _prompt(given)}
        json.dump(document, answer)
        answer.flush()


if __name__ == "__main__":
    main()
