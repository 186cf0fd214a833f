"""The prompt of an installed Hermes release, worded by that release in a process of its own."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

from inspector.core.errors import BadInput
from inspector.core.text import safe_line
from inspector.engines.summary_input import Mask, SummaryInput

_CHILD = Path(__file__).with_name("release_child.py")
#: A release takes seconds to import; so long is waited for it.
_SECONDS = 120


class ReleasePrompt(NamedTuple):
    """A prompt, and the version of the release that worded it."""

    version: str
    prompt: str


def _masked(value: Any, mask: Mask) -> Any:
    """A JSON value with secrets taken out of its texts."""
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, dict):
        return {key: _masked(item, mask) for key, item in value.items()}
    return [_masked(item, mask) for item in value] if isinstance(value, list) else value


def release_prompt(python: Path, given: SummaryInput, context_length: int, mask: Mask) -> ReleasePrompt:
    """What the release that `python` has installed would send for this input; nothing is sent. The release counts its
    own budget from the messages. Raises BadInput where there is none, or it fails."""
    document = {
        "turns": [_masked(dict(wire), mask) for wire in given.wires],
        "earlier": given.earlier,
        "focus": given.focus,
        "context_length": context_length,
    }
    try:
        done = subprocess.run(
            # Isolated: neither the user's PYTHONPATH nor this program's folder decides what is imported.
            [str(python), "-I", str(_CHILD)],
            input=json.dumps(document, default=str).encode(),
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BadInput(f"The Python {python} could not word a prompt: {error}.") from error
    if done.returncode:
        told = done.stderr.decode("utf-8", "replace").strip().splitlines()
        why = safe_line(told[-1]) if told else f"it ended with {done.returncode}"
        raise BadInput(
            f"The Python {python} cannot word the prompt of a Hermes release: {why}. Name one that has hermes-agent "
            "installed."
        )
    try:
        answer = json.loads(done.stdout)
        return ReleasePrompt(str(answer["version"]), str(answer["prompt"]))
    except (ValueError, KeyError, TypeError) as error:
        raise BadInput(f"The Python {python} answered with no prompt ({error}).") from error
