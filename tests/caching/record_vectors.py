"""Record the cache markers of a release. Run with a Python that has the release installed:

    python tests/caching/record_vectors.py hermes-0.19 > tests/caching/markers-hermes-0.19.json

Lists are written in a short code (see `message`), so that the file stays readable and small.
"""

from __future__ import annotations

import json
import random
import sys
from importlib import import_module
from typing import Any

ROLES = {"s": "system", "u": "user", "a": "assistant", "t": "tool"}
CONTENTS: dict[str, Any] = {
    "t": "some text",
    "_": " ",
    "e": "",
    "n": None,
    "1": [{"type": "text", "text": "one"}],
    "2": [
        {"type": "text", "text": "one"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
    ],
    "x": [{"type": "text", "text": "one"}, "a bare string"],
    "0": [],
    "d": {"_multimodal": True, "content": [], "text_summary": "a picture"},
}


def message(code: str) -> dict[str, Any]:
    """Return a message from two or three letters: role, content, "c" if it has a call."""
    found: dict[str, Any] = {"role": ROLES[code[0]], "content": json.loads(json.dumps(CONTENTS[code[1]]))}
    if code.endswith("c"):
        found["tool_calls"] = [
            {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
        ]
    if code[0] == "t":
        found["tool_call_id"] = "call_1"
    return found


def random_list(rng: random.Random) -> list[str]:
    """Return a list of codes, mostly like real lists."""
    codes = ["st"] if rng.random() < 0.5 else []
    for _ in range(rng.randrange(9)):
        role = rng.choice("uaaatt")
        content = rng.choice("ttttt_enn12x0d" if role != "u" else "tttt_e12x0n")
        codes.append(role + content + ("c" if role == "a" and rng.random() < 0.6 else ""))
    if codes and rng.random() < 0.05:
        codes[rng.randrange(len(codes))] = "s" + rng.choice("ten1")
    return codes


def marks(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> list[str]:
    """Return the places of the markers: "3 text", "4 part 2", "5 message"."""
    found = []
    for index, (old, new) in enumerate(zip(before, after, strict=True)):
        if "cache_control" in new:
            found.append(f"{index} message")
        content = new.get("content")
        for number, part in enumerate(content if isinstance(content, list) else [], 1):
            if isinstance(part, dict) and "cache_control" in part:
                whole = isinstance(old["content"], str)
                found.append(f"{index} text" if whole else f"{index} part {number}")
    return found


def survives(code: str, convert: Any, mark: Any) -> bool:
    """Whether the marker of a message is still in the request to Anthropic's API."""
    before: list[dict[str, Any]] = [{"role": "user", "content": "start"}]
    if code[0] == "t":
        before.append(message("anc"))
    wire = message(code)
    mark(wire, {"type": "ephemeral"}, native_anthropic=True)
    behind = [message("tt")] if code.endswith("c") else []
    return "cache_control" in json.dumps(convert([*before, wire, *behind]))


def main() -> None:
    """Print the vectors of the installed release."""
    prompt_caching: Any = import_module("agent.prompt_caching")
    convert = import_module("agent.anthropic_adapter").convert_messages_to_anthropic
    rng = random.Random(20)
    lists = [random_list(rng) for _ in range(int(sys.argv[2]) if len(sys.argv) > 2 else 300)]
    vectors = []
    for codes in lists:
        wires = [message(code) for code in codes]
        entry: dict[str, Any] = {"list": " ".join(codes)}
        for layout in ("native", "envelope"):
            done = prompt_caching.apply_anthropic_cache_control(
                wires, "5m", native_anthropic=layout == "native"
            )
            entry[layout] = marks(wires, done)
        vectors.append(entry)
    kinds = sorted({code for codes in lists for code in codes if code[0] != "s" and code[1] != "x"})
    reaching = {code: survives(code, convert, prompt_caching._apply_cache_marker) for code in kinds}
    lines = ",\n".join(json.dumps(entry) for entry in vectors)
    print(
        f'{{"release": {json.dumps(sys.argv[1])},\n"reaching": {json.dumps(reaching)},\n"vectors": [\n{lines}\n]}}'
    )


if __name__ == "__main__":
    main()
