"""Message lists and settings made from a number, the same on every machine. They are the input of the real releases and
of our engines. The module uses the standard library only, and nothing of this project.

A case depends only on its seed, so the vectors contain results and no lists. Handoff prefixes are a parameter: the
recorder uses the prefixes of the release, the test uses stand-ins of the same length.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

Wire = dict[str, Any]

TOOLS = (
    *("terminal", "read_file", "write_file", "search_files", "patch", "browser_navigate", "browser_click"),
    *("browser_snapshot", "browser_type", "browser_scroll", "browser_vision", "web_search", "web_extract"),
    *("delegate_task", "execute_code", "skill_view", "skills_list", "skill_manage", "vision_analyze"),
    *("memory", "todo", "clarify", "text_to_speech", "cronjob", "process", "my_tool", "db_query", "unknown"),
)
KEYS = (
    *("command", "path", "content", "offset", "pattern", "target", "mode", "url", "ref", "query", "urls"),
    *("goal", "code", "name", "question", "action", "session_id", "limit", "flag"),
)
#: Prefixes that no release recognises: invented wordings, and markers in the wrong place.
STRANGE_PREFIXES = (
    "[CONTEXT COMPACTION — REFERENCE ONLY] A wording of another release, unknown to this one:",
    "[CONTEXT COMPACTION - REFERENCE ONLY] with a hyphen",
    "[CONTEXT COMPACTION]",
    "[PRIOR CONTEXT — for reference only; not a new message]",
    "[context summary]:",
)
LEGACY = "[CONTEXT SUMMARY]:"
DELIMITER = "[END OF PRIOR CONTEXT — COMPACTION SUMMARY BELOW]"
END_LINE = "--- END OF CONTEXT SUMMARY — something follows ---"
_FILLERS = (
    "word ",
    "line of log output\n",
    "x",
    "é",
    "日本語の文 ",
    'it\'s "quoted" ',
    "a\\b\t",
    "{'k': 1}, ",
)
_ODD_FILLERS = ("\x00", "\x1b[31m", "\ud800", "😀", "\u202e")


@dataclass(frozen=True)
class Case:
    """A list with the settings of its compaction. `earlier` is the number of compactions before it."""

    seed: int
    kind: str
    messages: list[Wire]
    context_length: int
    threshold: float
    target_ratio: float
    protect_first_n: int
    protect_last_n: int
    max_tokens: int | None
    earlier: int
    previous_summary: bool
    summary_fails: bool


def case(seed: int, wordings: Sequence[str]) -> Case:
    """Return the case of a seed. `wordings` are the handoff prefixes that the release recognises."""
    return _Maker(seed, wordings).case()


class _Maker:
    """Makes a random case. Every draw uses `self.r`, so the order of the draws determines the result."""

    def __init__(self, seed: int, wordings: Sequence[str]) -> None:
        self.seed = seed
        self.wordings = wordings
        self.r = Random(f"compaction conformance {seed}")
        self.calls = 0
        #: Whether values, and whether messages, may have types that a release does not expect.
        self.odd = self.r.random() < 0.2
        self.hazard = False
        self.size = 400

    def chance(self, share: float) -> bool:
        return self.r.random() < share

    def pick(self, options: Sequence[Any]) -> Any:
        return options[self.r.randrange(len(options))]

    def between(self, low: int, high: int) -> int:
        return low + self.r.randrange(high - low + 1)

    def skewed(self, low: float, high: float) -> float:
        """Return a number between both bounds, uniform in the logarithm."""
        return float(low * (high / low) ** self.r.random())

    # --- settings ---------------------------------------------------------------------------------

    def case(self) -> Case:
        context = self.pick((32_000, 64_000, 65_536, 100_000, 128_000, 200_000, 262_144, 400_000, 512_000))
        if self.chance(0.3):
            context = int(self.skewed(32_000, 2_000_000))
        threshold = self.pick((0.5, 0.5, 0.75, 0.85)) if self.chance(0.5) else self.r.uniform(0.05, 0.95)
        ratio = self.pick((0.2, 0.2, 0.1, 0.8)) if self.chance(0.5) else self.r.uniform(-0.1, 1.5)
        first = self.pick((3, 3, 0, 1, 2)) if self.chance(0.7) else self.between(0, 10)
        last = self.pick((20, 20, 1, 3, 6, 8, 9)) if self.chance(0.7) else self.between(1, 100)
        reserve = self.pick((None, 4_096, 16_384, 65_536, 0)) if self.chance(0.5) else None
        if self.chance(0.05):
            reserve = int(self.skewed(100, 3_000_000))
        earlier = 0 if self.chance(0.65) else self.between(1, 6)
        previous = self.chance(0.8) if earlier else self.chance(0.03)
        kind, make = self._kind()
        budget = max(64_000, int(context * threshold)) * min(0.8, max(0.1, ratio))
        messages = make(4 * budget)
        return Case(
            seed=self.seed,
            kind=kind,
            messages=messages,
            context_length=context,
            threshold=threshold,
            target_ratio=ratio,
            protect_first_n=first,
            protect_last_n=last,
            max_tokens=reserve,
            earlier=earlier,
            previous_summary=previous,
            summary_fails=kind == "agent" and self.chance(0.15),
        )

    def _kind(self) -> tuple[str, Callable[[float], list[Wire]]]:
        kinds: tuple[tuple[int, str, Callable[[float], list[Wire]]], ...] = (
            (30, "agent", self._agent),
            (10, "chat", self._chat),
            (14, "wild", self._wild),
            (8, "hazard", self._hazard),
            (14, "resumed", self._resumed),
            (8, "tiny", self._tiny),
            (4, "huge message", self._huge),
            (4, "one role", self._one_role),
            (5, "duplicates", self._duplicates),
            (3, "long", self._long),
        )
        at = self.r.randrange(sum(weight for weight, _, _ in kinds))
        for weight, name, make in kinds:
            at -= weight
            if at < 0:
                return name, make
        raise AssertionError("weights")

    # --- lists ------------------------------------------------------------------------------------

    def _fit(self, chars: float, count: int) -> None:
        """Choose message sizes so that the list is between a fraction and a few times of the tail budget."""
        wanted = min(chars * self.skewed(0.3, 6), 600_000 if self.chance(0.08) else 140_000)
        self.size = max(8, int(wanted / max(1, count) * 2))

    def _agent(self, chars: float) -> list[Wire]:
        turns = int(self.skewed(1, 30))
        self._fit(chars, turns * 5)
        found = self._opening()
        for _ in range(turns):
            found.append(self._user())
            for _ in range(self.between(0, 4)):
                found.extend(self._group())
            if self.chance(0.8):
                found.append({"role": "assistant", "content": self._text(self.size // 3)})
        for _ in range(self.between(0, 3)):
            found.extend(self._group())
        if self.chance(0.3):
            found.append(self._user())
        return found

    def _chat(self, chars: float) -> list[Wire]:
        turns = int(self.skewed(2, 60))
        self._fit(chars, turns * 2)
        found = self._opening()
        for _ in range(turns):
            found.append(self._user())
            found.append({"role": "assistant", "content": self._text(self.size)})
        return found

    def _opening(self) -> list[Wire]:
        return [{"role": "system", "content": self._text(300)}] if self.chance(0.5) else []

    def _user(self) -> Wire:
        if self.chance(0.12):
            return {"role": "user", "content": self._parts()}
        return {"role": "user", "content": self._text(self.size // 4)}

    def _group(self) -> list[Wire]:
        """Add an assistant message with its calls and their results; rarely, some results are missing."""
        calls = [self._call() for _ in range(self.pick((1, 1, 1, 1, 2, 3, 5)))]
        head: Wire = {"role": "assistant", "content": self.pick((None, "", "Next.", self._text(60)))}
        head["tool_calls"] = calls
        if self.chance(0.1):
            head.pop("content")
        self._reasoning(head)
        found = [head]
        for call in calls:
            if self.chance(0.02):
                continue
            found.append(self._result(call.get("call_id") or call["id"]))
        return found

    def _reasoning(self, wire: Wire) -> None:
        if self.chance(0.12):
            wire["reasoning"] = self._text(self.size // 2)
        if self.chance(0.06):
            wire["reasoning_content"] = self._text(200)
        if self.chance(0.05):
            wire["reasoning_details"] = [{"type": "reasoning.text", "text": self._text(300)}]
        if self.chance(0.05):
            wire["codex_reasoning_items"] = [{"id": "rs_1", "encrypted_content": "e" * self.between(0, 4000)}]
        if self.chance(0.03):
            wire["codex_message_items"] = [{"id": "msg_1", "content": self._text(100)}]

    def _call(self) -> Wire:
        self.calls += 1
        identifier = f"call_{self.seed}_{self.calls}"
        call: Wire = {
            "id": identifier,
            "type": "function",
            "function": {"name": self.pick(TOOLS), "arguments": self._arguments()},
        }
        if self.chance(0.06):
            call["call_id"] = f"fc_{self.calls}"
        return call

    def _arguments(self) -> Any:
        roll = self.r.random()
        if roll < 0.02:
            return self.pick(("", "{}", "{broken", "not json at all"))
        if self.odd and roll < 0.03:
            return self.pick(("null", "[]", "[1, 2]", "7", '"text"'))
        if roll < 0.05:
            return "{'python': '" + "p" * self.between(0, 1500) + "'}"
        if self.hazard and roll < 0.12:
            return self.pick((None, 5, 0, False, {"command": "ls"}, {}, [], ["x"] * 600))
        arguments: Wire = {}
        for _ in range(self.between(0, 4)):
            arguments[self.pick(KEYS)] = self._value(roll)
        if self.chance(0.1):
            arguments["content"] = self._text(int(self.skewed(300, 6_000)))
        return json.dumps(arguments, ensure_ascii=self.chance(0.5))

    def _value(self, roll: float) -> Any:
        if (self.hazard or (self.odd and roll > 0.9)) and self.chance(0.4):
            return self.pick(
                (True, 3, None, 2.5, [], {}, ["a"], {"url": "https://e.org/"}, [{"href": "h"}], 0)
            )
        if self.chance(0.1):
            return [self._text(20) for _ in range(self.between(0, 3))]
        if self.chance(0.08):
            return {"nested": {"deep": [self._text(int(self.skewed(10, 900)))]}, "n": self.between(0, 9)}
        return self._text(int(self.skewed(3, 250)))

    def _result(self, identifier: Any) -> Wire:
        wire: Wire = {"role": "tool", "content": self._output(), "tool_call_id": identifier}
        if self.chance(0.3):
            wire["name"] = self.pick(TOOLS)
        return wire

    def _output(self) -> Any:
        roll = self.r.random()
        if roll < 0.05:
            return self._parts()
        if roll < 0.09:
            return self._envelope()
        if roll < 0.13:
            return self.pick(
                (
                    *("", "ok", "[Old tool output cleared to save context space]"),
                    "[Duplicate tool output — same content as a more recent call]",
                    "[Duplicate tool output" + "!" * 300,
                    "x" * self.pick((199, 200, 201)),
                    "\n" * 250,
                )
            )
        text = self._text(int(self.skewed(10, max(20, 2 * self.size))))
        if roll < 0.45:
            text += json.dumps({"output": text[:50], "exit_code": self.between(-2, 130)})
        elif roll < 0.55:
            text += json.dumps({"total_count": self.between(0, 5000), "matches": []})
        return text

    def _envelope(self) -> Wire:
        envelope: Wire = {"_multimodal": True, "content": self._parts()}
        if self.chance(0.8):
            envelope["text_summary"] = self._text(self.between(0, 400))
        if self.chance(0.05):
            envelope["_multimodal"] = False
        return envelope

    def _parts(self) -> list[Any]:
        parts: list[Any] = []
        for _ in range(self.between(0, 4)):
            roll = self.r.random()
            if roll < 0.45:
                parts.append({"type": "text", "text": self._text(int(self.skewed(5, max(10, self.size))))})
            elif roll < 0.65:
                url = "data:image/png;base64," + "A" * self.between(0, 600)
                parts.append({"type": "image_url", "image_url": {"url": url}})
            elif roll < 0.75:
                parts.append({"type": "input_image", "image_url": "https://example.org/a.png"})
            elif roll < 0.85:
                parts.append(
                    {"type": "image", "source": {"type": "base64", "data": "B" * self.between(0, 90)}}
                )
            elif roll < 0.92:
                parts.append(self._text(40))
            elif self.hazard:
                parts.append(
                    self.pick((None, 7, ["x"], {"type": "text", "text": None}, {"type": "text"}, {}))
                )
            else:
                parts.append({"type": "text", "text": ""})
        return parts

    def _text(self, size: int) -> str:
        size = max(0, int(size * self.r.uniform(0.2, 1.6)))
        filler = self.pick(_FILLERS)
        if self.chance(0.03):
            filler += self.pick(_ODD_FILLERS)
        start = f"{self.between(0, 10**6)} " if self.chance(0.8) else ""
        return str(start + filler * (size // len(filler) + 1))[:size]

    # --- unusual lists ----------------------------------------------------------------------------

    def _wild(self, chars: float) -> list[Wire]:
        count = int(self.skewed(2, 120))
        self._fit(chars, count)
        open_calls: list[Any] = []
        found = self._opening()
        for _ in range(count):
            found.append(self._row(open_calls))
        return found

    def _hazard(self, chars: float) -> list[Wire]:
        self.hazard = True
        return self._wild(chars)

    def _row(self, open_calls: list[Any]) -> Wire:
        roll = self.r.random()
        if roll < 0.25:
            wire = self._user()
        elif roll < 0.6:
            wire = {"role": "assistant", "content": self._content()}
            if self.chance(0.7):
                calls: list[Any] = [self._call() for _ in range(self.between(0, 3))]
                open_calls.extend(call.get("call_id") or call["id"] for call in calls)
                wire["tool_calls"] = self._spoiled(calls)
            self._reasoning(wire)
        elif roll < 0.95:
            identifier = f"gone_{self.between(0, 5)}"
            if open_calls and self.chance(0.85):
                identifier = open_calls.pop(self.r.randrange(len(open_calls)))
            wire = self._result(identifier)
            if self.chance(0.05):
                wire.pop("tool_call_id")
            elif self.chance(0.04):
                wire["tool_call_id"] = self.pick(("", None))
            elif self.hazard and self.chance(0.02):
                wire["tool_call_id"] = self.pick((5, ["x"]))
        else:
            wire = {
                "role": self.pick(("system", "developer", "function", "user")),
                "content": self._content(),
            }
        if self.chance(0.05):
            wire["content"] = self._content()
        if self.chance(0.04):
            wire.pop("content", None)
        if self.hazard and self.chance(0.03):
            wire["content"] = self.pick((0, 12345, True, {"k": "v" * 300}, {"text": "t"}, 1.5))
        if self.hazard and self.chance(0.01):
            wire.pop("role")
        if self.chance(0.02):
            wire["_anthropic_content_blocks"] = [{"type": "image"}, {"type": "text", "text": "t"}]
        return wire

    def _content(self) -> Any:
        roll = self.r.random()
        if roll < 0.12:
            return self.pick((None, "", " ", "\n"))
        if roll < 0.25:
            return self._parts()
        if roll < 0.33:
            return self._handoff()
        return self._text(self.size)

    def _spoiled(self, calls: list[Any]) -> Any:
        if not calls:
            return self.pick(([], None))
        if not self.hazard or self.chance(0.8):
            return calls
        at = self.r.randrange(len(calls))
        spoil = self.between(0, 6)
        if spoil == 0:
            calls[at]["function"] = None
        elif spoil == 1:
            del calls[at]["function"]
        elif spoil == 2:
            del calls[at]["function"]["name"]
        elif spoil == 3:
            calls[at]["function"]["name"] = self.pick((None, 5, ""))
        elif spoil == 4:
            calls[at]["id"] = self.pick((None, "", 7))
        elif spoil == 5:
            del calls[at]["id"]
        else:
            del calls[at]["function"]["arguments"]
        return calls

    def _handoff(self) -> Any:
        """Return a summary of an earlier compaction, in one of the forms that it may have in a list."""
        roll = self.r.random()
        known = self.pick((*self.wordings, *self.wordings, LEGACY))
        prefix = known if roll < 0.7 else self.pick(STRANGE_PREFIXES)
        text = prefix + "\n## Goal\n" + self._text(self.size)
        form = self.between(0, 5)
        if form == 0:
            text += "\n\n" + END_LINE
        elif form == 1:
            text += "\n\n" + END_LINE + "\n\n" + self._text(100)
        elif form == 2:
            text = STRANGE_PREFIXES[3] + "\n" + self._text(100) + "\n\n" + DELIMITER + "\n\n" + text
        elif form == 3:
            text = self.pick(("\n ", "Note: ", DELIMITER)) + text
        if self.chance(0.15):
            return [{"type": "text", "text": text}, *self._parts()]
        return text

    def _resumed(self, chars: float) -> list[Wire]:
        found = self._agent(chars)
        for _ in range(self.pick((1, 1, 1, 2))):
            at = self.between(0, min(len(found), 8)) if self.chance(0.6) else self.between(0, len(found))
            role = self.pick(("user", "assistant"))
            if at < len(found) and self.chance(0.25):
                found[at] = {**found[at], "content": self._handoff()}
            else:
                found.insert(at, {"role": role, "content": self._handoff()})
        return found

    def _tiny(self, chars: float) -> list[Wire]:
        self._fit(chars, 8)
        found = self._agent(chars / 50)
        return found[: self.between(2, 14)]

    def _huge(self, chars: float) -> list[Wire]:
        found = self._agent(chars)
        self.size = int(self.skewed(20_000, 300_000))
        at = self.r.randrange(len(found))
        found[at] = {**found[at], "content": self._text(self.size)}
        return found

    def _one_role(self, chars: float) -> list[Wire]:
        count = int(self.skewed(2, 80))
        self._fit(chars, count)
        role = self.pick(("user", "tool", "assistant", "system"))
        if role == "tool":
            return [self._result(f"gone_{index}") for index in range(count)]
        return [{"role": role, "content": self._text(self.size)} for _ in range(count)]

    def _duplicates(self, chars: float) -> list[Wire]:
        found = self._agent(chars)
        texts = [self._text(self.pick((150, 210, 900, self.size))) for _ in range(3)]
        for index, wire in enumerate(found):
            if wire["role"] == "tool" and self.chance(0.6):
                found[index] = {**wire, "content": self.pick(texts)}
        return found

    def _long(self, chars: float) -> list[Wire]:
        found = self._opening()
        count = int(self.skewed(300, 2_000))
        self._fit(chars, count)
        self.size = max(30, self.size)
        while len(found) < count:
            found.append(self._user())
            for _ in range(self.between(0, 6)):
                found.extend(self._group())
        return found[:count]
