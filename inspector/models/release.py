"""The prompt of an installed Hermes release, built by that release in a separate process."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

from inspector.core.errors import BadInput
from inspector.core.text import safe_line
from inspector.engines.summary_input import Mask, SummaryInput

_CHILD = Path(__file__).with_name("release_child.py")
#: Time limit in seconds; importing a release takes several seconds.
_SECONDS = 120


class ReleasePrompt(NamedTuple):
    """A prompt and the version of the release that built it."""

    version: str
    prompt: str


def _masked(value: Any, mask: Mask) -> Any:
    """Return a JSON value with the secrets in its texts masked."""
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, dict):
        return {key: _masked(item, mask) for key, item in value.items()}
    return [_masked(item, mask) for item in value] if isinstance(value, list) else value


def release_prompt(python: Path, given: SummaryInput, context_length: int, mask: Mask) -> ReleasePrompt:
    """Return the prompt that the release installed for `python` would send for this input. Nothing is sent.

    The release computes its budget from the messages. Raise BadInput if no release is installed, or if it fails.
    """
    document = {
        "turns": [_masked(dict(wire), mask) for wire in given.wires],
        "earlier": given.earlier,
        "focus": given.focus,
        "context_length": context_length,
    }
    try:
        done = subprocess.run(
            # Isolated mode: neither the user's PYTHONPATH nor this program's folder affects the imports.
            [str(python), "-I", str(_CHILD)],
            input=json.dumps(document, default=str).encode(),
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BadInput(f"The Python {python} could not word a prompt: {error}.") from error
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        why = safe_line(lines[-1]) if lines else f"it ended with {done.returncode}"
        raise BadInput(
            f"The Python {python} cannot build the prompt of a Hermes release: {why}. "
            "Name a Python that has hermes-agent installed."
        )
    try:
        answer = json.loads(done.stdout)
        return ReleasePrompt(str(answer["version"]), str(answer["prompt"]))
    except (ValueError, KeyError, TypeError) as error:
        raise BadInput(f"The Python {python} answered with no prompt ({error}).") from error
