"""Kimi Code's sessions (`~/.kimi-code/sessions/<folder>/<session>/agents/<agent>/wire.jsonl`).

The wire is only appended to. It has the messages, the parts of each answer, and records that change the list. After a
compaction the list is the user's messages and the summary. `state.json` of the session has its title and its folder.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, Self

from msgspec import field

from inspector.core.conversations import Usage, total_usage
from inspector.stores.entries import Entries
from inspector.stores.head import Head
from inspector.stores.kimi_code.forms import is_of_user, summary_in, text_of, wires_of, with_text
from inspector.stores.kimi_code.keeping import Kept, kept_of
from inspector.stores.lines import place_in, read_spans, readable_mapping, split_place
from inspector.stores.recorded import Source
from inspector.stores.session_lists import SessionLists, SessionReader, SessionScanner
from inspector.stores.values import count_of, mapping_at, seconds_of, text_at, usage_of

_MAIN = "main"
#: The shares that Kimi Code accepts as its compaction_trigger_ratio.
_RATIOS = (0.5, 0.99)
#: The title of a fork is the name of the other session.
_FORK = "Fork: "


class KimiCodeReader(SessionReader):
    """See Reader for the methods."""

    agent = "kimi-code"
    limits = (
        "Kimi Code does not record the window and its limits; they are read from its config.toml, as that is now. The "
        "size before a compaction is that of the last request with its answer, the size after it is its own estimate.",
        "Sentences that Kimi Code adds to the list after a compaction are not recorded.",
    )

    def recognises(self, head: Head) -> bool:
        """Return whether the file begins with the line about a wire. Kimi CLI's line has no time."""
        first = head.first
        return first.get("type") == "metadata" and {"protocol_version", "created_at"} <= first.keys()

    def scan(self, path: Path, part: str, shared: bool) -> SessionLists:
        cuts: list[Kept] = []
        return _Scanner(Entries(path, wires_of, fetch=partial(_fetch, cuts)), cuts=cuts, shared=shared).run()

    def threshold(self, source: Source, window: int) -> tuple[float, str] | None:
        """Return the threshold that `config.toml` sets, as a share of the window, and its source; None if it sets none.

        A reserve that is not smaller than the window has no effect.
        """
        # The list of conversations does not need the rules.
        from inspector.engines.settings import SETTINGS
        from inspector.stores.kimi_code.profile import PROFILES

        (rules,) = PROFILES
        loop = mapping_at(_config(Path(source.files[0])), "loop_control")
        ratio, reserve = loop.get("compaction_trigger_ratio"), count_of(loop, "reserved_context_size")
        share, kept_free, named = rules.share_at_most, rules.reserve, []
        if isinstance(ratio, float) and _RATIOS[0] <= ratio <= _RATIOS[1]:
            share = ratio
            named.append(f"compaction_trigger_ratio {ratio:g}")
        if reserve is not None:
            kept_free = reserve
            named.append(f"reserved_context_size {reserve:,}")
        if not named:
            return None
        if 0 < kept_free < window:
            share = min(share, 1 - kept_free / window)
        return max(share, SETTINGS["threshold"].low), f"config.toml: {', '.join(named)}"


READER = KimiCodeReader


class _Scanner(SessionScanner, kw_only=True):
    cuts: list[Kept]
    shared: bool
    #: The recorded messages of the user and of programs, by number.
    messages: dict[int, Mapping[str, Any]] = field(default_factory=dict)
    #: The number of the answer that is written, the calls without results, and records that wait for the results.
    answer: int | None = None
    open_calls: set[str] = field(default_factory=set)
    waiting: list[tuple[tuple[int, int], dict[str, Any], float]] = field(default_factory=list)
    #: Trigger of the running compaction; None if none runs.
    trigger: str | None = None
    #: Tokens of the last request and its answer, and the usage of the running compaction's calls.
    size: int | None = None
    summary_usage: Usage | None = None
    #: The user's name of the model.
    alias: str = ""

    def run(self) -> Self:
        path = self.entries.path
        name, folder = path.parent.name, path.parents[2] if len(path.parents) > 2 else path.parent
        state = readable_mapping(folder / "state.json")
        session = text_at(state, "id") or folder.name
        self.session = session if name == _MAIN else f"{session}-{name}"
        self.parent = "" if name == _MAIN else session
        self.folder, self.forked_from = text_at(state, "cwd"), text_at(state, "forkedFrom")
        if name == _MAIN and not text_at(state, "title").startswith(_FORK):
            self.title = text_at(state, "title")
        super().run()
        self.window = _window(path, self.alias)
        return self

    def time_of(self, record: Mapping[str, Any]) -> float:
        return seconds_of(record.get("time") or record.get("created_at"))

    def record(self, record: dict[str, Any], at: float) -> None:
        kind = text_at(record, "type")
        if kind == "metadata":
            self.version = text_at(record, "app_version") or f"wire {text_at(record, 'protocol_version')}"
        elif kind in ("profile.bind", "config.update"):
            self.prompt = text_at(record, "systemPrompt") or self.prompt
            self.alias = text_at(record, "modelAlias") or self.alias
        elif kind == "llm.request":
            self.model = text_at(record, "model") or self.model
            self.alias = text_at(record, "modelAlias") or self.alias
        elif kind == "usage.record":
            self._usage(record, at)
        elif kind == "context.append_message":
            self._message(record, at)
        elif kind == "context.append_loop_event":
            self._event(mapping_at(record, "event"), record, at)
        elif kind == "full_compaction.begin":
            self.trigger, self.summary_usage = text_at(record, "source"), None
        elif kind == "full_compaction.cancel" and self.trigger is not None:
            error = "It was cancelled or failed; Kimi Code does not record why."
            self.fail(error, at, trigger=self.trigger or None, tokens_before_reported=self.size)
            self.trigger = None
        elif kind == "context.apply_compaction":
            self._compacted(record, at)
        elif kind == "context.clear":
            self._cleared(at)
        elif kind == "context.undo":
            self._undo(count_of(record, "count") or 0)
        elif kind == "swarm_mode.exit":
            self._end_swarm()
        elif kind == "forked" and self.shared:
            self._forget()

    def _forget(self) -> None:
        """Forget all but the live list: the other session has the rest."""
        self.lists = [self.live]
        for records in (self.compactions, self.failures, self.requests, self.names):
            records.clear()

    def _usage(self, record: Mapping[str, Any], at: float) -> None:
        usage = usage_of(
            mapping_at(record, "usage"), "inputOther", "output", "inputCacheRead", "inputCacheCreation"
        )
        summarizes = self.trigger is not None and record.get("usageScope") == "session"
        # The record has the user's name of the model, the request has the provider's.
        self.model = self.model or text_at(record, "model")
        self.call("", at, usage, summarizes=summarizes)
        if summarizes:
            self.summary_usage = total_usage((self.summary_usage or Usage(), usage))
        elif record.get("usageScope") != "session":
            self.size = usage.tokens

    def _message(self, record: dict[str, Any], at: float) -> None:
        """Add a message. Between a call and its result it waits for the result."""
        if self.open_calls:
            self.waiting.append((self.entries.spans[-1], record, at))
            return
        wires, message = wires_of([record]), mapping_at(record, "message")
        (number,) = self.add(wires, at)
        self.messages[number] = message
        if text_at(message, "origin", "name") == "subagent":
            # The task of a sub-agent. A compaction does not keep it as a message of the user.
            self.note_first_words([{**wires[0], "role": "user"}])

    def _event(self, event: Mapping[str, Any], record: dict[str, Any], at: float) -> None:
        """Add a part of an answer, or a result."""
        kind = text_at(event, "type")
        stopped = text_at(event, "finishReason") in ("interrupted", "error")
        if kind == "step.begin" or (kind == "step.end" and not stopped):
            self._end_step()
        elif kind in ("content.part", "tool.call"):
            part = mapping_at(event, "part")
            if self.answer is not None:
                self.entries.extend(self.answer)
            elif kind == "tool.call" or text_at(part, "text").strip() or text_at(part, "think"):
                (self.answer,) = self.add(wires_of([record]), at)
            if kind == "tool.call":
                self.open_calls.add(text_at(event, "toolCallId"))
        elif kind == "tool.result" and text_at(event, "toolCallId") in self.open_calls:
            self.open_calls.discard(text_at(event, "toolCallId"))
            self.add(wires_of([record]), at)
            self._add_waiting()

    def _end_step(self) -> None:
        self.answer = None
        self.open_calls.clear()
        self._add_waiting()

    def _add_waiting(self) -> None:
        """Add the messages that waited for results, if all are there."""
        if not self.open_calls:
            waiting, self.waiting = self.waiting, []
            for span, record, at in waiting:
                self.begin_record(*span)
                self._message(record, at)

    def _compacted(self, record: dict[str, Any], at: float) -> None:
        self._end_step()
        (number,) = self.make(wires_of([record]), at, summary=True)
        count = count_of(record, "compactedCount") or count_of(record, "count") or 0
        recorded = count_of(record, "keptUserMessageCount")
        exact, note = True, ""
        if recorded is None:
            # Early releases kept the newest messages.
            after, began = [number, *self.live[count:]], None
        else:
            kept = self._kept(at)
            after, began = [*kept, number], count if 0 < count < len(self.live) else None
            exact = len(kept) == recorded
            if not exact:
                note = f"Kimi Code recorded {recorded:,} kept messages; its rule gives {len(kept):,}."
        self.names.append(f"{at:.3f}")
        self.compact(
            after, number, at, text=summary_in(record, "summary", "contextSummary"), trigger=self.trigger or None,
            tokens_before=self.size or count_of(record, "tokensBefore"), tokens_after=count_of(record, "tokensAfter"),
            usage=self.summary_usage, exact=exact, note=note, began=began,
        )  # fmt: skip
        self.trigger = self.size = None

    def _kept(self, at: float) -> list[int]:
        """Return the numbers of the user's messages that stay. A cut message is a separate message."""
        numbers = [number for number in self.live if is_of_user(self.messages.get(number, {}))]
        kept_numbers = []
        for kept in kept_of([self.messages[number] for number in numbers]):
            number = numbers[kept.place]
            if kept.stop is not None:
                number = self._cut(number, kept, at)
            kept_numbers.append(number)
        return kept_numbers

    def _cut(self, number: int, kept: Kept, at: float) -> int:
        text = text_of(self.messages[number])[kept.start : kept.stop]
        (line,) = self.entries.items[number].lines
        place, length = self.entries.spans[line]
        cut_before, place_in_file = split_place(place)
        earlier = self.cuts[cut_before - 1].start if cut_before else 0
        self.cuts.append(Kept(0, earlier + kept.start, earlier + kept.start + len(text)))
        # The place of a cut message has the number of its cut.
        self.begin_record(place_in(len(self.cuts), place_in_file), length)
        (cut,) = self.make([{"role": "user", "content": text}], at)
        self.messages[cut] = with_text(self.messages[number], text)
        return cut

    def _cleared(self, at: float) -> None:
        """Empty the list. The list after a compaction stays, because the compaction is compared with it."""
        self._end_step()
        self.size = None
        if self.compactions:
            self.names.append(f"{at:.3f}")
            self.compact((), None, at, note="The list was cleared without a summary.")
        else:
            self.return_to(1, 0)

    def _undo(self, count: int) -> None:
        """Remove the user's newest `count` messages and all that followed them, unless a summary is between."""
        self._end_step()
        if not count:
            return
        for place in range(len(self.live) - 1, -1, -1):
            number = self.live[place]
            if self.entries.items[number].summary:
                return
            message = self.messages.get(number, {})
            count -= is_of_user(message)
            if not count:
                while place and self._owner(self.live[place - 1]) == (text_at(message, "id") or None):
                    place -= 1
                self.return_to(len(self.lists), place)
                return

    def _owner(self, number: int) -> str:
        """Return the id of the prompt of a message of a program, or ""."""
        return text_at(self.messages.get(number), "origin", "ownerPromptId")

    def _end_swarm(self) -> None:
        """Remove a reminder about the swarm at the end of the list."""
        last = self.messages.get(self.live[-1]) if self.live else None
        if text_at(last, "origin", "variant") == "swarm_mode":
            self.live.pop()


def _fetch(cuts: list[Kept], path: Path, places: list[tuple[int, int]]) -> list[dict[str, Any] | None]:
    """Return the records at these places, with the text of a cut message cut."""
    numbers = [split_place(place) for place, _ in places]
    records = read_spans(
        path, [(start, length) for (_, start), (_, length) in zip(numbers, places, strict=True)]
    )
    for (number, _), record in zip(numbers, records, strict=True):
        if number and record is not None:
            _, start, stop = cuts[number - 1]
            message = mapping_at(record, "message")
            record["message"] = with_text(message, text_of(message)[start:stop])
    return records


def _window(path: Path, alias: str) -> int | None:
    """Return the window of a model, or the limit of its input, by `config.toml`; None if unknown."""
    model = mapping_at(mapping_at(_config(path), "models"), alias)
    values = {**model, **mapping_at(model, "overrides")}
    return count_of(values, "max_input_size") or count_of(values, "max_context_size")


def _config(path: Path) -> Mapping[str, Any]:
    """Return the settings in the `config.toml` above the sessions; empty if there is none that can be read."""
    from tomllib import TOMLDecodeError, loads

    if len(path.parents) < 6:
        return {}
    try:
        return loads((path.parents[5] / "config.toml").read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, TOMLDecodeError):
        return {}
