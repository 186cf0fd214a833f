"""Differences between the releases of Hermes, as values. A release is one `Policies` value, without subclasses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from inspector.engines.loop import BEFORE_REQUESTS, Loop
from inspector.engines.sizes import Refusal

#: Facts that every release shares.
RATIO_CLAMP = (0.10, 0.80)
SUMMARY_RATIO = 0.20
SUMMARY_FLOOR = 2_000
SUMMARY_SHARE = 0.05
PRUNE_OVER = 200
ARGUMENTS_OVER = 500
LEAF_KEPT = 200
IMAGE_TOKENS = 1_600
MESSAGE_OVERHEAD = 10
HYGIENE_SHARE = 0.85


@dataclass(frozen=True, slots=True)
class Wording:
    """A handoff prefix, kept as its length in characters and the SHA-256 of its UTF-8 text, not as the text."""

    length: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Policies:
    """The rules of one release, or of several that behave alike (`also`). `compared` says that they were compared
    with the real release, by vectors; the others were read. Tokens are the release's estimates; indexes are half-open.

    Threshold: `raise_below` and `raise_to` lift the ratio on windows smaller than that many tokens; `floor` is the
    minimum threshold in tokens; `window_share` replaces the floor if the floor reaches the window; `eases_floor`: the
    floor raises the threshold to 85% of the window at most; `heeds_cap`: the configured cap limits it;
    `reserves_output`: max_tokens is subtracted from the window first; `heeds_summary_window`: the threshold is at most
    the window of the summary model. Head: `counts_system` makes the system prompt one of the first n messages instead
    of one more; `head_decays` protects the system prompt alone once the conversation has been compacted. Tail:
    `lean_tail` derives its budget from the window, unless switched off, with the other rules of lean tails;
    `soft_ceiling` multiplies the budget for the walk; `tail_floor` names the rule for the minimum number of messages;
    `second_walk` repeats the walk with the plain budget if everything fits. Anchors: `anchor_user`,
    `anchor_assistant`, `keeps_pairs`, `realigns_forward`; `skips_summaries` keeps handoffs from counting as user
    messages. Pruning: `reads_texts` plans over texts by the rules of 0.20.0. Then no field changes the head, the
    anchors, `tail_floor`, the role of the summary or `strips_old_images`; `prunes` at all; `placeholder` for every
    long result, or one line about it; `deduplicates`; `shrinks_arguments`; `guards_lines` writes a plain line instead
    of failing on odd arguments. Summary: `summarizes` at all; `summary_ceiling` in tokens; `focuses_itself` makes a
    focus from the last messages of the user, and removes media from the input. Assembly: `forces_user` gives the
    summary the user role after a system prompt, `keeps_a_user` if no user message is left; `stubs_calls` adds stubs
    for calls without a result, otherwise the calls are removed; `restates` repeats an unfinished request after the
    summary, and keeps pending calls; `strips_old_images` replaces pictures before the last user message with a picture
    (every release from 0.20.0 on); `merges_behind` puts a merged summary after the text of the tail message.
    Estimates: `counts_whole_calls` counts each tool call whole, `counts_reasoning` the reasoning fields too. Writing
    out: `joins_parts` joins the parts of a content, fails on parts without text, leaves out thinking, and writes the
    last request into the summary; `tells_dropped` describes each result in a fallback text. Guards: `judged_by` names
    the test of a failed compaction (see `inspector.engines.guards`); `refusals_counted` are the reasons for which a
    compaction that did nothing counts as failed. Gateway: `message_limit` is the number of messages at which it
    compacts a list of any size. Trigger: `loop` says when the release checks the size of its list (see
    `inspector.engines.loop`).
    """

    name: str
    release: str
    summary: str
    also: tuple[str, ...] = ()
    compared: bool = True
    floor: int = 0
    raise_below: int = 0
    raise_to: float = 0.0
    eases_floor: bool = False
    heeds_cap: bool = False
    window_share: float = 0.0
    heeds_summary_window: bool = False
    reserves_output: bool = False
    counts_system: bool = False
    head_decays: bool = False
    lean_tail: bool = False
    soft_ceiling: float = 1.5
    tail_floor: str = "three"  # or "protect_last_n", or "bounded"
    second_walk: bool = False
    anchor_user: bool = True
    anchor_assistant: bool = False
    keeps_pairs: bool = False
    realigns_forward: bool = False
    skips_summaries: bool = False
    reads_texts: bool = False
    prunes: bool = True
    placeholder: bool = False
    deduplicates: bool = True
    shrinks_arguments: bool = True
    guards_lines: bool = False
    summarizes: bool = True
    summary_ceiling: int = 12_000
    focuses_itself: bool = False
    message_limit: int = 0
    forces_user: bool = False
    keeps_a_user: bool = False
    stubs_calls: bool = True
    strips_old_images: bool = False
    restates: bool = False
    merges_behind: bool = False
    counts_whole_calls: bool = False
    counts_reasoning: bool = False
    joins_parts: bool = False
    tells_dropped: bool = False
    judged_by: Literal["", "savings", "usage"] = ""
    refusals_counted: frozenset[Refusal] = frozenset()
    loop: Loop = BEFORE_REQUESTS
    wordings: tuple[Wording, ...] = ()
