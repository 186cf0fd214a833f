"""One pass over a list, after which a plan is arithmetic over prefix sums and needs no text."""

from __future__ import annotations

import hashlib
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import accumulate
from typing import Any

from inspector.core.conversations import ROLE_CODES
from inspector.core.messages import Message, text_of
from inspector.core.rough import list_tokens, message_chars, message_images
from inspector.engines.hermes import pruning
from inspector.engines.hermes.estimates import call_id, call_tokens, check_serializable, content_chars
from inspector.engines.hermes.policies import MESSAGE_OVERHEAD, PRUNE_OVER, Policies, Wording

OTHER, NO_ROLE = 4, 5
USER, ASSISTANT, TOOL, SYSTEM = (ROLE_CODES[name] for name in ("user", "assistant", "tool", "system"))
_LEGACY = "[CONTEXT SUMMARY]:"
_MERGED = "[END OF PRIOR CONTEXT — COMPACTION SUMMARY BELOW]"


class Column:
    """A number a message, before and after pruning, as prefix sums.

    `kept[i]` sums the first i messages as they stand once duplicates were replaced, `short[i]` as they stand
    fully pruned. `between` and the walk take pruned numbers before `pruned_to` and kept ones from there on.
    """

    __slots__ = ("kept", "short")

    def __init__(self, kept: Iterable[int], short: Iterable[int]) -> None:
        self.kept = array("q", accumulate(kept, initial=0))
        self.short = array("q", accumulate(short, initial=0))

    def between(self, start: int, stop: int, pruned_to: int) -> int:
        """The sum over [start:stop], which is clamped to the list."""
        last = len(self.kept) - 1
        start, stop = min(start, last), min(max(start, stop), last)
        middle = min(max(pruned_to, start), stop)
        return self.short[middle] - self.short[start] + self.kept[stop] - self.kept[middle]

    def overrun(self, ceiling: int, low: int, pruned_to: int) -> int:
        """The largest i >= low with between(i, end) > ceiling, or -1 where all of it fits."""
        last = len(self.kept) - 1
        pruned_to = min(max(pruned_to, low), last)
        found = bisect_left(self.kept, self.kept[last] - ceiling, pruned_to, last) - 1
        if found >= pruned_to:
            return found
        rest = ceiling - (self.kept[last] - self.kept[pruned_to])
        found = bisect_left(self.short, self.short[pruned_to] - rest, low, pruned_to) - 1
        return found if found >= low else -1


class HermesMeasures:
    """What the engine keeps of a list: some numbers a message and a few sorted lists of indexes."""

    __slots__ = (
        "assistants",
        "calls",
        "changed",
        "chars",
        "duplicates",
        "erasable",
        "images",
        "original",
        "policies",
        "roles",
        "speaking",
        "summaries",
        "tokens_now",
        "total_chars",
        "total_images",
        "troubles",
        "users",
        "users_all",
    )

    policies: Policies
    #: One role code a message (see inspector.core.conversations; 5 where the key is missing).
    roles: bytes
    #: 1 where a message carries tool calls.
    calls: bytes
    #: Walk tokens before anything is pruned, and after.
    original: Column
    tokens_now: Column
    #: Characters and pictures of the release's rough estimate, before pruning in total and after.
    chars: Column
    images: Column
    total_chars: int
    total_images: int
    #: Sorted indexes: results and calls that pruning changes; duplicates (replaced wherever they are); earlier
    #: summaries that stay, and those in tool results, which pruning erases; user messages (all, and those the
    #: anchor counts); assistants, and those with text.
    changed: Sequence[int]
    duplicates: Sequence[int]
    summaries: Sequence[int]
    erasable: Sequence[int]
    users_all: Sequence[int]
    users: Sequence[int]
    assistants: Sequence[int]
    speaking: Sequence[int]
    #: What the release would raise, by phase: (index, exception name), sorted by index.
    troubles: Mapping[str, Sequence[tuple[int, str]]]

    def __len__(self) -> int:
        return len(self.roles)

    def tokens(self, index: int) -> int:
        """Walk tokens of one message as it is."""
        return self.original.kept[index + 1] - self.original.kept[index]

    def pruned_tokens(self, index: int) -> int:
        """Walk tokens of one message fully pruned."""
        return self.tokens_now.short[index + 1] - self.tokens_now.short[index]

    def total(self) -> int:
        """The release's rough estimate of the whole list, without the system prompt, in tokens."""
        return list_tokens(self.total_chars, self.total_images)

    def rough_until(self, stop: int) -> int:
        """The release's rough estimate of the first `stop` messages, duplicates replaced, in tokens."""
        return self.rough_between(0, stop, 0)

    def rough_between(self, start: int, stop: int, pruned_to: int) -> int:
        """The release's rough estimate of [start:stop] with what stands before `pruned_to` pruned."""
        chars = self.chars.between(start, stop, pruned_to)
        return list_tokens(chars, self.images.between(start, stop, pruned_to))


def measure(messages: Iterable[Message], policies: Policies) -> HermesMeasures:
    """Read every message once, in order."""
    return _Reader(policies).read(messages)


class _Reader:
    """Collects the columns. Tool results are finished at the end: which call a result answers, and whether a
    later one repeats it, is known only then."""

    def __init__(self, policies: Policies) -> None:
        self.policies = policies
        self.roles = bytearray()
        self.calls = bytearray()
        self.walk: list[int] = []
        self.chars: list[int] = []
        self.images: list[int] = []
        self.kept: dict[int, tuple[int, int, int]] = {}
        self.short: dict[int, tuple[int, int, int]] = {}
        self.tools: dict[Any, pruning.Tool] = {}
        self.results: list[tuple[int, Any, pruning.Facts, int, int]] = []
        self.seen: dict[bytes, tuple[int, int, int]] = {}
        self.duplicates: list[int] = []
        self.summaries: list[int] = []
        self.erasable: list[int] = []
        self.users_all: list[int] = []
        self.users: list[int] = []
        self.assistants: list[int] = []
        self.speaking: list[int] = []
        self.troubles: dict[str, list[tuple[int, str]]] = {}

    def read(self, messages: Iterable[Message]) -> HermesMeasures:
        for index, message in enumerate(messages):
            self._message(index, message.wire)
        self._finish_results()
        done = HermesMeasures()
        done.policies = self.policies
        done.roles, done.calls = bytes(self.roles), bytes(self.calls)
        done.original = Column(self.walk, self.walk)
        done.tokens_now = self._column(0, self.walk)
        done.chars = self._column(1, self.chars)
        done.images = self._column(2, self.images)
        done.total_chars, done.total_images = sum(self.chars), sum(self.images)
        done.changed = array("q", sorted(self.short.keys() - set(self.duplicates)))
        done.duplicates = array("q", sorted(self.duplicates))
        done.summaries = array("q", self.summaries)
        gone = set(self.duplicates)
        done.erasable = array("q", (index for index in self.erasable if index not in gone))
        done.users_all, done.users = array("q", self.users_all), array("q", self.users)
        done.assistants, done.speaking = array("q", self.assistants), array("q", self.speaking)
        done.troubles = {phase: sorted(found) for phase, found in self.troubles.items()}
        return done

    def _column(self, which: int, base: list[int]) -> Column:
        kept, short = list(base), list(base)
        for index, values in self.kept.items():
            kept[index] = short[index] = values[which]
        for index, values in self.short.items():
            if index not in self.kept:
                short[index] = values[which]
        return Column(kept, short)

    def _message(self, index: int, wire: Mapping[str, Any]) -> None:
        role = wire.get("role")
        code = ROLE_CODES.get(role, OTHER) if isinstance(role, str) else OTHER if "role" in wire else NO_ROLE
        self.roles.append(code)
        self.calls.append(bool(wire.get("tool_calls")))
        content = wire.get("content")
        text_chars = self._guard(index, "walk", lambda: content_chars(content or ""), 0)
        rest = self._guard(index, "walk", lambda: call_tokens(wire, self.policies), 0)
        self.walk.append(text_chars // 4 + MESSAGE_OVERHEAD + rest)
        chars, images = message_chars(wire), message_images(wire)
        self.chars.append(chars)
        self.images.append(images)
        summary = is_handoff(content, self.policies)
        if summary:
            erased = code == TOOL and isinstance(content, str) and pruning.is_prunable(content)
            (self.erasable if erased else self.summaries).append(index)
        if code == USER:
            self.users_all.append(index)
            if not (summary and self.policies.skips_summaries):
                self.users.append(index)
        elif code == ASSISTANT:
            self.assistants.append(index)
            if _speaks(content):
                self.speaking.append(index)
            self._calls(index, wire, chars, images)
        elif code == TOOL:
            self._guard(index, "mend", lambda: hash(wire.get("tool_call_id")), None)
            self._result(index, wire, content, rest)
        self._guard(index, "summary", lambda: check_serializable(wire, self.policies), None)

    def _calls(self, index: int, wire: Mapping[str, Any], chars: int, images: int) -> None:
        if not wire.get("tool_calls"):
            return
        self._guard(index, "mend", lambda: [hash(call_id(call)) for call in wire["tool_calls"]], None)
        found = self._guard(index, "prune", lambda: pruning.called_tools(wire), [])
        self._guard(index, "prune", lambda: self.tools.update(found), None)
        if not self.policies.shrinks_arguments:
            return
        calls = self._guard(index, "arguments", lambda: pruning.short_calls(wire), wire["tool_calls"])
        if calls is not wire["tool_calls"]:
            after = {**wire, "tool_calls": calls}
            walk = content_chars(wire.get("content") or "") // 4 + MESSAGE_OVERHEAD
            walk += call_tokens(after, self.policies)
            self.short[index] = (walk, message_chars(after), images)

    def _result(self, index: int, wire: Mapping[str, Any], content: Any, rest: int) -> None:
        if not isinstance(content, str):
            short = self._guard(index, "prune_result", lambda: self._short(content), content)
            if short is not content:
                self.short[index] = self._with_content(wire, short, rest)
            return
        if self.policies.deduplicates and len(content) >= PRUNE_OVER:
            key = pruning.digest(content)
            earlier = self.seen.get(key)
            if earlier is not None:
                self._duplicate(*earlier)
            shell = self.chars[index] - len(repr(content))
            self.seen[key] = (index, rest, shell)
        if pruning.is_prunable(content):
            facts = pruning.facts_of(content)
            shell = self.chars[index] - len(repr(content))
            self.results.append((index, wire.get("tool_call_id", ""), facts, rest, shell))

    def _short(self, content: Any) -> Any:
        return pruning.short_result(content, pruning.UNKNOWN_TOOL, self.policies)

    def _with_content(self, wire: Mapping[str, Any], content: Any, rest: int) -> tuple[int, int, int]:
        after = {**wire, "content": content}
        walk = content_chars(content or "") // 4 + MESSAGE_OVERHEAD + rest
        return walk, message_chars(after), message_images(after)

    def _duplicate(self, index: int, rest: int, shell: int) -> None:
        text = pruning.DUPLICATE
        self.duplicates.append(index)
        self.kept[index] = (
            len(text) // 4 + MESSAGE_OVERHEAD + rest,
            shell + len(repr(text)),
            self.images[index],
        )

    def _finish_results(self) -> None:
        gone = set(self.duplicates)
        for index, call, facts, rest, shell in self.results:
            if index in gone:
                continue
            text = self._guard(index, "prune_result", partial(self._line, call, facts), "")
            self.short[index] = (
                len(text) // 4 + MESSAGE_OVERHEAD + rest,
                shell + len(repr(text)),
                self.images[index],
            )

    def _line(self, call: Any, facts: pruning.Facts) -> str:
        if self.policies.placeholder:
            return pruning.PLACEHOLDER
        return pruning.line_about(self.tools.get(call, pruning.UNKNOWN_TOOL), facts, self.policies)

    def _guard(self, index: int, phase: str, work: Callable[[], Any], otherwise: Any) -> Any:
        try:
            return work()
        except pruning.RELEASE_ERRORS as error:
            self.troubles.setdefault(phase, []).append((index, type(error).__name__))
            return otherwise


def is_handoff(content: Any, policies: Policies) -> bool:
    """Whether the release takes a message for a handoff summary: by its own wordings only."""
    if not isinstance(content, str | list):
        return False
    text = text_of(content)
    if policies.merges_behind and _MERGED in text:
        text = text.split(_MERGED, 1)[1]
    return _starts(text.lstrip(), policies.wordings)


def _starts(text: str, wordings: tuple[Wording, ...]) -> bool:
    if text.startswith(_LEGACY):
        return True
    if not wordings:
        return text.startswith("[CONTEXT COMPACTION")
    if not text.startswith("[CONTEXT"):
        return False
    return any(
        len(text) >= w.length
        and hashlib.sha256(text[: w.length].encode("utf-8", "replace")).hexdigest() == w.sha256
        for w in wordings
    )


def _speaks(content: Any) -> bool:
    if isinstance(content, str):
        return bool(content.strip())
    if isinstance(content, list):
        for part in content:
            if isinstance(part, dict):
                text = part.get("text") or part.get("content")
                if isinstance(text, str) and text.strip():
                    return True
    return False
