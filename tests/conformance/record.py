"""Record the results of a real release for every case. Run by a Python that has hermes-agent installed:

    python tests/conformance/record.py --cases 4000 --out tests/conformance/vectors-0.13.0.jsonl.gz

Only the call to the summary model is replaced. The vectors do not contain the release's texts: its handoff prefixes
are recorded as lengths and hashes, with stand-ins of the same shape that the test uses instead.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.metadata
import itertools
import logging
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

os.environ["HERMES_HOME"] = tempfile.mkdtemp(prefix="hermes-home-")
sys.path.insert(0, str(Path(__file__).resolve().parent))

import lists  # type: ignore[import-not-found,unused-ignore]
import vectors  # type: ignore[import-not-found,unused-ignore]
from agent import context_compressor  # type: ignore[import-not-found,unused-ignore]
from agent.context_compressor import ContextCompressor  # type: ignore[import-not-found,unused-ignore]
from agent.model_metadata import (  # type: ignore[import-not-found,unused-ignore]
    estimate_messages_tokens_rough,
)

logging.disable(logging.CRITICAL)
VERSION = importlib.metadata.version("hermes-agent")
TAKES_RESERVE = "max_tokens" in ContextCompressor.__init__.__code__.co_varnames
_FALLBACK = re.compile(r"Summary generation was unavailable\. .*? files or resources\.", re.DOTALL)


class Tagged(dict[str, Any]):
    """A message that remembers its index in the list, even when the release copies it."""

    at: int = -1

    def copy(self) -> Tagged:
        return tagged(self, self.at)


def tagged(message: dict[str, Any], at: int) -> Tagged:
    result = Tagged(message)
    result.at = at
    return result


def wordings() -> list[str]:
    """Return the handoff prefixes that the release recognises, the current prefix first."""
    return [
        context_compressor.SUMMARY_PREFIX,
        *getattr(context_compressor, "_HISTORICAL_SUMMARY_PREFIXES", ()),
    ]


def masks(texts: Sequence[str]) -> list[str]:
    """Return a stand-in for each prefix: same length, quotes and punctuation, other letters."""
    stand_ins = []
    for number, text in enumerate(texts):
        end = text.index("]") + 1
        letter = "abcdefgh"[number]
        stand_ins.append(text[:end] + re.sub(r"[A-Za-z]", letter, text[end:]))
    for (one, real), (two, other) in itertools.permutations(zip(stand_ins, texts, strict=True), 2):
        if (
            one.startswith(two) != real.startswith(other)
            or len(one) != len(real)
            or len(repr(one)) != len(repr(real))
        ):
            raise AssertionError("a stand-in behaves differently")
    return stand_ins


class Recorder:
    """Records a case: the values that the release computed, and the phase that it reached."""

    def __init__(self, case: lists.Case, texts: Sequence[str], stands_in: Sequence[str]) -> None:
        self.case = case
        self.masks = list(zip(texts, stands_in, strict=True))
        self.phase = "start"
        self.pruned: list[Any] | None = None
        self.start: int | None = None
        self.cut: int | None = None
        self.listed: list[Any] = []
        self.handoff = -1
        self.budget: int | None = None
        self.fallback = ""
        self.compacts = False

    def compressor(self) -> Any:
        case = self.case
        reserve = {"max_tokens": case.max_tokens} if TAKES_RESERVE else {}
        compressor = ContextCompressor(
            model="anthropic/claude-sonnet-4.5",
            threshold_percent=case.threshold,
            protect_first_n=case.protect_first_n,
            protect_last_n=case.protect_last_n,
            summary_target_ratio=case.target_ratio,
            quiet_mode=True,
            config_context_length=case.context_length,
            **reserve,
        )
        compressor.compression_count = case.earlier
        if case.previous_summary:
            compressor._previous_summary = "## Goal\nAn earlier summary."
        self._wrap(compressor, "_prune_old_tool_results", self._pruning, "prune")
        self._wrap(compressor, "_find_tail_cut_by_tokens", self._cutting, "boundaries")
        if hasattr(compressor, "_record_compression_regions"):
            self._watch_regions(compressor)
        self._wrap(compressor, "_compute_summary_budget", self._budgeting, "summary")
        self._wrap(compressor, "_generate_summary", self._summarizing, "summary")
        if hasattr(compressor, "_build_static_fallback_summary"):
            self._wrap(compressor, "_build_static_fallback_summary", self._falling_back, "fallback")
        return compressor

    def _wrap(self, compressor: Any, name: str, then: Callable[..., Any], phase: str) -> None:
        original = getattr(compressor, name)

        def wrapped(*args: Any, **kwargs: Any) -> Any:
            self.phase = phase
            result = original(*args, **kwargs)
            return then(result, *args)

        setattr(compressor, name, wrapped)

    def _pruning(self, result: Any, *_: Any) -> Any:
        messages, count = result
        self.pruned = [tagged(message, at) for at, message in enumerate(messages)]
        self.phase = "boundaries"
        return list(self.pruned), count

    def _cutting(self, result: int, messages: Any, head_end: int, *_: Any) -> int:
        self.listed = messages
        self.start, self.cut = self._place(head_end), self._place(result)
        self.phase = "summary"
        return result

    def _place(self, index: int) -> int:
        """Return the index of a message before blank messages were removed from the list (0.20)."""
        last = self.listed[-1].at + 1 if self.listed else 0
        return self.listed[index].at if index < len(self.listed) else last + index - len(self.listed)

    def _watch_regions(self, compressor: Any) -> None:
        """Watch the regions that the release records: it moves the tail again after the cut (0.20)."""
        original = compressor._record_compression_regions

        def wrapped(**regions: Any) -> Any:
            self.cut = self._place(len(self.listed) - len(regions["tail_messages"]))
            return original(**regions)

        compressor._record_compression_regions = wrapped
        search = compressor._find_context_summaries

        def searching(messages: Any, start: int, end: int) -> Any:
            """Find handoffs: a handoff after the cut moves the tail after it."""
            hits = search(messages, start, end)
            self.handoff = self._place(hits[-1][0]) if hits else -1
            return hits

        compressor._find_context_summaries = searching

    def _budgeting(self, result: int, *_: Any) -> int:
        self.budget, self.compacts = result, True
        return result

    def _summarizing(self, result: Any, *_: Any) -> Any:
        self.phase = "assemble"
        return result

    def _falling_back(self, result: str, *_: Any) -> str:
        self.fallback = result
        self.phase = "assemble"
        return result

    def answer(self, **_: Any) -> Any:
        """Return the fixed summary, or fail, in place of the summary model."""
        if self.case.summary_fails:
            raise ValueError("the summary model has a bad day")
        return SimpleNamespace(choices=[SimpleNamespace(message=SimpleNamespace(content=vectors.SUMMARY))])

    def record(self) -> dict[str, Any]:
        context_compressor.call_llm = self.answer
        messages = [tagged(message, at) for at, message in enumerate(self.case.messages)]
        compressor = self.compressor()
        result: dict[str, Any] = {
            "seed": self.case.seed,
            "length": len(messages),
            "threshold_tokens": compressor.threshold_tokens,
            "tail_token_budget": compressor.tail_token_budget,
            "max_summary_tokens": compressor.max_summary_tokens,
            "rough_tokens": estimate_messages_tokens_rough(messages),
        }
        before = self.plain(messages)
        output: list[Any] = []
        try:
            output = compressor.compress(messages, current_tokens=compressor.threshold_tokens)
        except (TypeError, AttributeError, LookupError, ValueError) as error:
            result["raises"] = {"type": type(error).__name__, "text": str(error)[:120], "phase": self.phase}
        result["compacts"] = self.compacts and "raises" not in result
        if self.pruned is not None:
            result.update(vectors.pruned_part(before, self.plain(self.pruned)))
        if self.cut is not None:
            tail_start = max(self.cut, self.handoff + 1)
            result.update(head_end=self.start, tail_start=tail_start, summary_budget=self.budget)
        if result["compacts"]:
            result["fallback"] = bool(compressor._last_summary_fallback_used)
            result["dropped"] = compressor._last_summary_dropped_count
            result.update(self.outputs(output))
        if self.plain(messages) != before:
            result["mutated"] = True
        return result

    def outputs(self, output: Sequence[Any]) -> dict[str, Any]:
        assert self.pruned is not None
        pruned = self.plain(self.pruned)
        pairs: list[tuple[int | str, dict[str, Any]]] = []
        for at, message in enumerate(output):
            source: int | str = "summary" if message.get("role") != "tool" else "stub"
            if isinstance(message, Tagged):
                source = message.at
            wire = self.plain([message])[0]
            if at == 0 and source == 0 and wire.get("role") == "system":
                _without_note(wire, pruned[0])
            pairs.append((source, wire))
        part: dict[str, Any] = vectors.output_part(pruned, pairs)
        return part

    def plain(self, messages: Sequence[Any]) -> list[dict[str, Any]]:
        """Return the messages as plain values, with stand-ins instead of the release's texts."""
        return [self._plain(message) for message in messages]

    def _plain(self, value: Any) -> Any:
        if isinstance(value, str):
            if self.fallback:
                value = value.replace(self.fallback, vectors.SUMMARY)
            if self.case.summary_fails:
                value = _FALLBACK.sub(lambda _: vectors.SUMMARY, value)
            for real, mask in self.masks:
                value = value.replace(real, mask)
            return value
        if isinstance(value, dict):
            return {key: self._plain(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self._plain(item) for item in value]
        return value


def _without_note(wire: dict[str, Any], own: dict[str, Any]) -> None:
    """Remove the note that the first compaction appends to a system message."""
    content, before = wire.get("content"), own.get("content")
    if isinstance(content, list) and isinstance(before, list) and len(content) == len(before) + 1:
        wire["content"] = content[:-1]
    elif not isinstance(content, list) and "content" in own:
        wire["content"] = before
    elif not isinstance(content, list):
        wire.pop("content", None)


def refusals_counted() -> list[str]:
    """Return the reasons for which the release's guard counts a compaction without effect."""
    turns = [{"role": "user" if at % 2 else "assistant", "content": "x"} for at in range(20)]
    counted = []
    for reason, messages in (("fits", turns), ("too few", turns[:4])):
        compressor = ContextCompressor(
            model="anthropic/claude-sonnet-4.5", quiet_mode=True, config_context_length=200_000
        )
        # Up to 0.19 the release never cuts at the head, but it has code for that case: force it.
        compressor._find_tail_cut_by_tokens = lambda messages, head_end, *_, **__: head_end
        if compressor.compress([dict(message) for message in messages], current_tokens=160_000) != messages:
            raise AssertionError(f"the release compacts what is {reason}")
        if compressor._ineffective_compression_count:
            counted.append(reason)
    return counted


def results(count: int) -> Iterator[dict[str, Any]]:
    texts = wordings()
    stands_in = masks(texts)
    for seed in range(count):
        yield Recorder(lists.case(seed, texts), texts, stands_in).record()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=4000)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--base", type=Path, help="vectors of the release before, with as many cases")
    options = parser.parse_args()
    texts = wordings()
    header = {
        "format": vectors.FORMAT,
        "release": VERSION,
        "cases": options.cases,
        "wordings": [[len(text), hashlib.sha256(text.encode()).hexdigest()] for text in texts],
        "masks": masks(texts),
        "refusals_counted": refusals_counted(),
    }
    vectors.write(options.out, header, results(options.cases), options.base)
    print(f"{options.out.name}: {options.cases} cases of {VERSION}, {options.out.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
