"""From messages, summaries and compactions to what the panes show. Pure functions over values."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from inspector.app.rows import GenerationRows, is_tool_error
from inspector.caching.breakpoints import Breakpoint, Layout, Messages, Ttl
from inspector.caching.policy import CachePolicy
from inspector.core.conversations import Compaction
from inspector.core.errors import EngineError
from inspector.core.messages import Message
from inspector.core.rough import IMAGE_TOKENS, message_chars, message_images, text_tokens
from inspector.engines.base import Plan
from inspector.engines.capabilities import pruned_wire
from inspector.engines.registry import engine
from inspector.summaries.diff import diff_summaries
from inspector.summaries.parse import parse_summary
from inspector.summaries.values import Section
from widgets.base import human
from widgets.lists.message_list import Boundary, MessageRow
from widgets.panes.cache_pane import BreakpointView, CacheView
from widgets.panes.compaction_pane import BoundsView, CompactionView
from widgets.panes.diff_pane import DiffItem, DiffSection, DiffView
from widgets.panes.message_pane import CallView, MessageView
from widgets.panes.summary_pane import SummaryItem, SummarySection, SummaryView

_REASONING = ("reasoning_content", "reasoning")
_SHOWN_ELSEWHERE = frozenset(
    {"role", "content", "tool_calls", "reasoning", "reasoning_content", "reasoning_details"}
)


def message_view(
    row: MessageRow, message: Message, following: Sequence[Message], pruned: str | None
) -> MessageView:
    """A message with the results of its calls, which are looked for in `following`."""
    results = {other.tool_call_id: other for other in following if other.role == "tool"}
    calls = []
    for call in message.tool_calls:
        result = results.get(call.id)
        calls.append(
            CallView(
                name=call.name,
                arguments=call.arguments,
                id=call.id,
                result=None if result is None else result.text,
                error=result is not None and is_tool_error(result),
            )
        )
    reasoning = next(
        (value for key in _REASONING if isinstance(value := message.wire.get(key), str) and value), ""
    )
    facts = tuple(
        (key.replace("_", " "), str(value))
        for key, value in message.wire.items()
        if key not in _SHOWN_ELSEWHERE and isinstance(value, str | int | float)
    )
    notes = []
    if message.images:
        notes.append(f"holds {message.images} picture{'s' if message.images > 1 else ''}")
    return MessageView(
        label=row.label,
        role=row.role,
        text=message.text,
        region=row.region,
        tokens=row.tokens,
        token_kind=row.token_kind,
        pruned_tokens=row.pruned_tokens,
        breakpoint=row.breakpoint,
        time=message.timestamp,
        calls=tuple(calls),
        reasoning=reasoning,
        raw=json.dumps(dict(message.wire), ensure_ascii=False, indent=2, default=str),
        pruned=pruned,
        facts=(("row", str(message.id)), *facts) if message.id >= 0 else facts,
        notes=tuple(notes),
    )


def system_view(row: MessageRow, prompt: str) -> MessageView:
    """The system prompt, which stands before the list."""
    return MessageView(
        label="sys",
        role="system",
        text=prompt,
        region="head",
        tokens=row.tokens,
        token_kind=row.token_kind,
        breakpoint=row.breakpoint,
        raw=json.dumps({"role": "system", "content": prompt}, ensure_ascii=False, indent=2),
        notes=("stands before the list and is never compacted",),
    )


def pruned_text(message: Message, calls: Mapping[str, Message], plan: Plan) -> str | None:
    """What pruning leaves of a message under a plan; None where the engine does not tell. An engine that fails is named
    in its place."""
    try:
        wire = pruned_wire(engine(plan.profile), message, calls.get(message.tool_call_id))
    except EngineError as error:
        return str(error)
    if wire is None:
        return None
    if wire.get("tool_calls") != message.wire.get("tool_calls"):
        return json.dumps(wire.get("tool_calls"), ensure_ascii=False, indent=2)
    content = wire.get("content")
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False, indent=2)


def summary_view(recorded: Compaction | None, total: int, budget: int | None) -> SummaryView:
    """The summary that a recorded compaction left."""
    if recorded is None:
        return SummaryView(note="This list was not made by a compaction.")
    title = f"compaction {recorded.index} of {total}"
    if recorded.summary is None:
        return SummaryView("none", title, note=recorded.note or "No summary was found in the list after it.")
    parsed = parse_summary(recorded.summary)
    sections = tuple(
        SummarySection(
            section.name,
            tuple(SummaryItem(item.text, item.mark, item.depth) for item in section.items),
            tokens,
            max(1, section.level - 1),
        )
        for section, tokens in zip(
            parsed.sections, section_tokens(recorded.summary, parsed.sections), strict=True
        )
    )
    return SummaryView(
        kind="fallback" if recorded.fallback else "merged" if recorded.merged else "summary",
        title=title,
        sections=sections,
        tokens=text_tokens(len(recorded.summary)),
        budget=budget,
        note=recorded.note,
        text=recorded.summary,
    )


def section_tokens(body: str, sections: Sequence[Section]) -> tuple[int, ...]:
    """Rough tokens of each section, its heading with it; together those of the body."""
    starts = [0]
    for line in body.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    places = [0, *(starts[section.line] for section in sections[1:]), len(body)]
    return tuple(text_tokens(end) - text_tokens(start) for start, end in pairwise(places)) if sections else ()


def diff_view(old: Compaction | None, new: Compaction | None) -> DiffView | None:
    """Two successive summaries compared; None where there are not two."""
    if old is None or new is None or old.summary is None or new.summary is None:
        return None
    compared = diff_summaries(parse_summary(old.summary), parse_summary(new.summary))
    sections = tuple(
        DiffSection(
            section.name,
            tuple(
                DiffItem(
                    change=item.change,
                    text=item.text,
                    was=item.was or "",
                    from_section=item.from_section or "",
                    to_section=item.to_section or "",
                )
                for item in section.items
            ),
            "added" if section.was is None else "removed" if section.gone else "kept",
        )
        for section in compared.sections
    )
    texts = ("", "One of the two is a fallback text", "Both are fallback texts")[old.fallback + new.fallback]
    note = f"{texts}, which no model wrote." if texts else ""
    return DiffView(
        f"compaction {old.index}", f"compaction {new.index}", sections, old.summary, new.summary, note
    )


def cache_view(
    points: Sequence[Breakpoint],
    rows: GenerationRows,
    messages: Messages,
    layout: Layout,
    ttl: Ttl,
    policy: CachePolicy,
) -> CacheView:
    """The breakpoints of the list on screen, with the tokens up to each where they are known.

    What stands behind a breakpoint is taken from the whole: breakpoints stand at the end of a list, so that few
    bodies are asked for, and a request is sent with its duplicates, which the token index replaces.
    """
    prompt = text_tokens_of(rows.system_prompt)
    token_index = rows.token_index
    measured = 0 if token_index is None else len(token_index)
    total = None if token_index is None else prompt + token_index.total()
    views = []
    for point in points:
        index = -1 if point.message is None else point.message
        tokens: int | None = None
        if total is not None and len(messages) == measured:
            tokens = prompt if index < 0 else total - _rough_from(messages, index + 1)
        line = rows.row(rows.row_of(index)) if rows.row_of(index) >= 0 else None
        views.append(
            BreakpointView(
                number=point.number,
                message=index,
                label="sys" if index < 0 else str(index),
                role=line.role if line is not None else "system" if index < 0 else "",
                part=point.part,
                text=line.text if line is not None else "",
                tokens=tokens,
                honored=point.honored,
                note=point.why,
            )
        )
    state = "Caching is on: " if policy.enabled else "Caching is off: "
    return CacheView(
        tuple(views),
        total,
        layout,
        ttl,
        True,
        (state + policy.reason,),
    )


def _rough_from(messages: Messages, start: int) -> int:
    """Rough tokens that the messages from `start` on add to those before them."""
    chars = images = 0
    for index in range(start, len(messages)):
        wire = messages[index].wire
        chars += message_chars(wire)
        images += message_images(wire)
    return chars // 4 + images * IMAGE_TOKENS


def text_tokens_of(text: str) -> int:
    """Rough tokens of a text."""
    return text_tokens(len(text))


def compaction_view(total: int, recorded: Compaction, plan: Plan | None) -> CompactionView:
    """A recorded compaction, one of `total`, beside the plan that the settings make of the same list."""
    bounds = [
        BoundsView(
            "recorded",
            "recorded",
            recorded.head_end,
            recorded.tail_start,
            None if recorded.summary is None else text_tokens(len(recorded.summary)),
            recorded.tokens_after,
            "" if recorded.exact else "inferred",
        )
    ]
    if plan is not None:
        if plan.compacts:
            agree = (plan.head_end, plan.tail_start) == (recorded.head_end, recorded.tail_start)
            note = "the same" if agree else "differs from the record"
            by = f"planned by {plan.profile}"
            head, tail = plan.regions()
            bounds.append(BoundsView("planned", by, head, tail, plan.summary_budget, plan.tokens_after, note))
        else:
            bounds.append(BoundsView("planned", f"planned by {plan.profile}", 0, 0, note=plan.reason))
    stayed = recorded.head_end + recorded.before - recorded.tail_start
    outcome = "fallback" if recorded.fallback else "merged" if recorded.merged else "summary"
    return CompactionView(
        index=recorded.index,
        total=total,
        before=recorded.before,
        after=recorded.after,
        tokens_before=recorded.tokens_before,
        tokens_after=recorded.tokens_after,
        outcome=outcome if recorded.summary is not None or recorded.fallback else "failed",  # type: ignore[arg-type]
        bounds=tuple(bounds),
        went=recorded.tail_start - recorded.head_end,
        stayed=stayed,
        came=max(0, recorded.after - stayed),
        at=recorded.at,
        session=recorded.session,
        notes=(recorded.note,) if recorded.note else (),
    )


class CompactionRows:
    """The list before a compaction with the summary put where the middle was."""

    def __init__(self, before: GenerationRows, after: GenerationRows, recorded: Compaction) -> None:
        self.before = before
        self.after = after
        self.recorded = recorded
        self.summary_at = None if recorded.merged else recorded.summary_at

    def __len__(self) -> int:
        return self.recorded.before + (0 if self.summary_at is None else 1)

    def place(self, row: int) -> tuple[GenerationRows, int]:
        """Which list a row comes from, and the message's index in it."""
        if self.summary_at is not None:
            if row == self.recorded.tail_start:
                return self.after, self.summary_at
            if row > self.recorded.tail_start:
                row -= 1
        return self.before, row

    def row(self, row: int) -> MessageRow | None:
        """A row, from the list it belongs to, in the region that it was in."""
        rows, index = self.place(row)
        found = rows.row(rows.row_of(index))
        if found is None or rows is not self.before:
            return found
        recorded = self.recorded
        region = "head" if index < recorded.head_end else "middle" if index < recorded.tail_start else "tail"
        return replace(found, region=region)

    def boundaries(self) -> tuple[Boundary, ...]:
        """The recorded boundaries as lines between the rows."""
        head, tail = self.recorded.head_end, self.recorded.tail_start
        left = human.plural(tail - head, "message")
        came = "what stayed" if self.summary_at is None else "Σ took their place, then what stayed"
        return (
            Boundary(head, "head_end", "recorded", f"{left} left from here on"),
            Boundary(tail, "tail_start", "recorded", came),
        )
