"""Differences between the releases of Hermes, as values. A release is one `Policies` value, without subclasses."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

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


class HandoffPrefix(Struct, frozen=True):
    """A handoff prefix, kept as its length in characters and the SHA-256 of its UTF-8 text, not as the text."""

    length: int
    sha256: str


class Policies(Struct, frozen=True):
    """The rules of one release, or of several that behave alike (`also`).

    `compared`: the rules were compared with the real release; others were only read. Tokens are the estimates of the
    release; indexes are half-open.

    Threshold. `raise_to`: the minimum ratio on windows below `raise_below` tokens. `floor`:
    the minimum in tokens. `window_share`: the share that replaces the floor if the floor reaches the window.
    `eases_floor`: the floor raises the threshold to 85% of the window at most. `uses_cap`: the configured cap limits
    it. `reserves_output`: max_tokens is subtracted from the window first. `uses_summary_window`: it is at most the
    window of the summary model.

    Head. `counts_system`: the system prompt is one of the first n messages. `head_decays`: after the first compaction
    only the system prompt is protected.

    Tail. `lean_tail`: the budget is a share of the window, unless switched off, with the other rules of lean tails.
    `soft_ceiling`: multiplies the budget for the walk. `tail_floor`: the rule for the minimum number of messages.
    `second_walk`: if everything fits, walk again with the plain budget.

    Anchors. `anchor_user`, `anchor_assistant`, `keeps_pairs`, `realigns_forward`. `skips_summaries`: handoffs do not
    count as user messages.

    Pruning. `reads_texts`: plans use texts, by the rules of 0.20.0; then no field changes the head, the anchors,
    the role of the summary or `strips_old_images`. `prunes`: results are pruned at all. `placeholder`: one text for
    every long result, instead of a line about it. `deduplicates`. `shrinks_arguments`. `guards_lines`: a
    plain line replaces a failure on odd arguments.

    Summary. `summarizes`: a summary is written at all. `summary_ceiling`: its maximum in tokens. `focuses_itself`: the
    focus comes from the last messages of the user, and media are removed from the input.

    Assembly. `forces_user`: the summary has the user role after a system prompt. `keeps_a_user`: it has the user role
    if no user message is left. `stubs_calls`: calls without a result get a stub, otherwise they are removed.
    `restates`: an unfinished request is repeated after the summary, and pending calls stay. `strips_old_images`:
    pictures before the last user message with a picture are replaced (every release from 0.20.0 on). `merges_behind`:
    a merged summary follows the text of the tail message.

    Estimates. `counts_whole_calls`: each tool call counts whole. `counts_reasoning`: reasoning fields count too.

    Writing out. `joins_parts`: the parts of a content are joined, parts without text fail, thinking is left out, and
    the last request is written into the summary. `tells_dropped`: a fallback text describes each result.

    Guards. `judged_by`: the test of a failed compaction (see `inspector.engines.guards`). `refusals_counted`: reasons
    for which a compaction that did nothing counts as failed.

    Gateway. `message_limit`: number of messages at which it compacts a list of any size.

    Trigger. `loop`: when the release checks the size of its list (see `inspector.engines.loop`).
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
    uses_cap: bool = False
    window_share: float = 0.0
    uses_summary_window: bool = False
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
    wordings: tuple[HandoffPrefix, ...] = ()
