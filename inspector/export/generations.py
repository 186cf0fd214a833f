"""Generations as JSON and text: messages, breakpoints, compactions, and plans for lists in files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from inspector.answers.cachepoints import CachePoints
from inspector.answers.compactions import JudgedCompaction, RecordedCompactions
from inspector.answers.inspection import Compared
from inspector.answers.plans import PlannedFile
from inspector.answers.showing import ShownGeneration
from inspector.core.conversations import Compaction, FailedCompaction, Microcompaction
from inspector.core.envelope import words_first
from inspector.core.handoff import handoff_of
from inspector.core.messages import Message
from inspector.core.rough import list_tokens, message_chars, message_images
from inspector.core.shares import percent, plural
from inspector.core.text import safe, safe_line, unwrapped
from inspector.engines.base import Budgets, DerivationStep, agreement_words
from inspector.engines.registry import words_of
from inspector.export.config import budgets_document, explained, settings_document, step_value
from inspector.export.console import Table, print_table, say
from inspector.export.document import Document, built, fields_of
from inspector.export.findings import finding_document
from inspector.export.requests import bill_document

_GUTTERS = {"head": "▎", "middle": "┊", "tail": "▌"}


def show_document(answer: ShownGeneration, full: bool = False) -> Document:
    """The answer of `show`: one generation with the plan that the settings make of it; `full` has all of each text."""
    conversation, plan, recorded, size = answer.conversation, answer.plan, answer.recorded, answer.reported
    return {
        **fields_of(answer, "conversation=conversation.id generation=generation.number"),
        "generations": len(conversation.generations),
        **fields_of(answer, "session=generation.session live=generation.live step profile=plan.profile"),
        "settings": settings_document(answer.resolved),
        **budgets_document(plan.budgets, answer.resolved.sources),
        "tokens": {
            **fields_of(answer, "rough=plan.tokens_before exact=exact.tokens exact_encoding=exact.encoding"),
            **fields_of(answer, "reported:null=usage.context reported_calls=usage.calls"),
            **fields_of(size if size and size.sent else None, "reported_size=reported later"),
            "estimated": answer.at_step if size is None or size.sent else size.tokens,
        },
        **fields_of(plan, "compacts reason head_end tail_start summary_budget steps"),
        "system_prompt": {
            "tokens": answer.system_tokens,
            "breakpoint": _points(answer).get(None),
            "text": safe_line(answer.system_prompt),
        },
        "messages": list(_messages(answer, full)),
        "notes": [*conversation.notes, *answer.limits],
        "profile_reason": answer.profile_reason,
        "recorded": recorded and {"index": recorded.index, **of_list_before(recorded, "head_end tail_start")},
    }


def _points(answer: ShownGeneration) -> dict[int | None, int]:
    """Return the numbers of the breakpoints by message; None is the system prompt."""
    return {point.message: point.number for point in answer.breakpoints if point.placed}


def _messages(answer: ShownGeneration, full: bool) -> Iterator[Document]:
    """Yield the messages of a generation; `full` has all of each text."""
    points, pruned = _points(answer), frozenset(answer.plan.pruned)
    for index, message in enumerate(answer.messages):
        yield {
            "index": index,
            **fields_of(message, "id role:line"),
            "region": answer.plan.region(index),
            "tokens": list_tokens(message_chars(message.wire), message_images(message.wire)),
            "pruned": index in pruned,
            "breakpoint": points.get(index),
            "summary": handoff_of(message) is not None or index == answer.summary_at,
            "text": safe(message.text) if full and message.text else first_line(message),
            "whole_in": safe_line(message.whole) or None,
        }


def first_line(message: Message) -> str:
    """Return a message in one safe line: its text, of the user the words first, else its calls."""
    line = safe_line(unwrapped(words_first(message.role, message.text)))
    if line:
        return line
    calls = "; ".join(f"{call.name} {call.arguments}" for call in message.tool_calls)
    if calls:
        return safe_line(calls)
    return f"({plural(message.images, 'picture')})" if message.images else ""


def compaction_documents(answer: RecordedCompactions) -> list[Document]:
    """The answer of `compactions`."""
    documents = list(map(compaction_document, answer.compactions))
    return [*documents, *map(_other, answer.clearings), *map(_other, answer.failures)]


def compaction_document(entry: JudgedCompaction) -> Document:
    """An entry of `compactions`: a recorded compaction, and the engine's plan for the same list."""
    recorded, planned = entry.compared.recorded, entry.compared.planned
    return {
        "index": recorded.index,
        "kind": "break" if recorded.broken else "compaction",
        **fields_of(recorded, "session before after"),
        **of_list_before(recorded, "before head_end tail_start tokens_before"),
        **fields_of(recorded, "tokens_after tokens_before_reported tokens_after_reported encrypted"),
        "kept": [index for index, _ in recorded.kept],
        **fields_of(recorded, "kept_missing may_have_later fallback merged at exact note"),
        "trigger": entry.trigger,
        "why": fields_of(entry.why, "rule threshold_tokens crossed fits text"),
        "planned": {
            **fields_of(planned, "profile compacts reason head_end tail_start"),
            "kept": sorted(planned.kept),
            "agrees": entry.compared.agrees,
            "steps": built(planned.steps),
        }
        if recorded.before and not recorded.broken
        else None,
        "findings": [finding_document(finding) for finding in entry.findings],
        "cost": bill_document(entry.cost),
        **fields_of(entry, "cost_note:null=cost.why_no_bill"),
        # The longest value is the last of the plain lines.
        "summary": recorded.summary,
    }


def of_list_before(recorded: Compaction, fields: str) -> Document:
    """Return fields of a compaction about the list before; null if this list is unknown."""
    return fields_of(recorded if recorded.before else None, fields)


def _other(entry: Microcompaction | FailedCompaction) -> Document:
    """Another entry of `compactions`: a microcompaction, or an attempt that failed."""
    after = None
    if isinstance(entry, Microcompaction):
        before, saved = entry.tokens_before_reported, entry.tokens_saved_reported
        after = None if before is None or saved is None else before - saved
    return {
        "kind": "microcompaction" if isinstance(entry, Microcompaction) else "failed",
        **built(entry),
        "tokens_after_reported": after,
        "summary": None,
        "findings": [],
        "cost": None,
    }


def plan_document(entry: PlannedFile) -> Document:
    """An entry of `plan`: a compaction of a file's list."""
    plan = entry.plan
    return {
        "file": str(entry.file),
        **budgets_document(plan.budgets),
        **fields_of(plan, "profile summary_budget compacts reason raises:null"),
        **fields_of(entry, "fallback_raises:null"),
        **fields_of(plan, "head_end tail_start summarized_from"),
        "kept": sorted(plan.kept),
        **fields_of(plan, "pruned tokens_before tokens_after steps"),
        "output": [
            fields_of(out, "role source") | ({"merged": True} if out.merged else {}) for out in entry.output
        ],
    }


def breakpoints_document(answer: CachePoints) -> Document:
    """The answer of `breakpoints`."""
    return {
        **fields_of(answer, "conversation generation layout ttl profile enabled=policy.enabled"),
        "reason": answer.policy.reason,
        "breakpoints": [
            {
                **built(point.breakpoint),
                "role": "system" if point.message is None else point.message.role,
                **fields_of(point, "id=message.id tokens"),
            }
            for point in answer.points
        ],
        "recorded": built(answer.recorded),
    }


def print_show(answer: ShownGeneration, full: bool = False) -> None:
    """Print the numbers of a generation, and a line for each message; `full` has all of each text."""
    plan, size, exact, recorded = answer.plan, answer.reported, answer.exact, answer.recorded
    state = "live" if answer.generation.live else "compacted"
    state = f"at step {answer.step:,}" if answer.step else state
    say(
        f"generation {answer.generation.number} of {len(answer.conversation.generations)} ({state}) · {plan.profile} · "
        f"{plural(len(answer.messages), 'message')}"
    )
    say(f"profile {plan.profile}: {answer.profile_reason}")
    sizes = [f"~{plan.tokens_before:,} rough"]
    if size is not None and not size.sent:
        sizes.insert(0, f"~{size.tokens:,} with system prompt and tools, as in the first request")
    elif size is not None:
        later = f" and ~{size.later:,} later" if size.later else ""
        sizes.insert(0, f"{size.reported:,} reported{later}")
    if answer.at_step is not None:
        sizes.insert(0, f"~{answer.at_step:,} as the agent reports sizes")
    if exact is not None:
        sizes.append(f"{exact.tokens:,} exact ({exact.encoding})")
    threshold = plan.budgets.threshold_tokens
    share = percent((size and size.tokens) or answer.at_step or plan.tokens_before, threshold)
    say(f"tokens {', '.join(sizes)} · threshold {threshold:,} ({share}) · {_budgets(plan.budgets)}")
    print_steps(explained(plan.budgets, answer.resolved.sources)["threshold_tokens"])
    if not plan.compacts:
        say(f"a compaction now would change nothing: {plan.reason}")
    if recorded is not None:
        say(f"compaction {recorded.index}: {' · '.join(_boundaries(Compared(recorded, plan)))}")
    say()
    table = Table("", ">#", "role", ">rough", "", "text", cut=("text",))
    if answer.system_tokens:
        mark, prompt = _marks(_points(answer).get(None), False, False), safe_line(answer.system_prompt)
        table.add("▎", "sys", "system", f"~{answer.system_tokens:,}", mark, prompt)
    for entry in _messages(answer, full):
        index = entry["index"]
        if plan.compacts and index in (plan.head_end, plan.tail_start):
            table.add("╌", "", "╌ head_end" if index == plan.head_end else "╌ tail_start", "", "", "")
        mark = _marks(entry["breakpoint"], entry["pruned"], entry["summary"])
        table.add(
            _GUTTERS[entry["region"]], index, entry["role"], f"~{entry['tokens']:,}", mark, entry["text"]
        )
    print_table(table)


def _marks(breakpoint: int | None, pruned: bool, summary: bool) -> str:
    return " ".join(
        part for part in (f"⚑{breakpoint}" if breakpoint else "", "✂" * pruned, "Σ" * summary) if part
    )


def print_steps(steps: Iterable[DerivationStep]) -> None:
    """Print the derivation of a number, a line for each step; a star marks the rules that changed it."""
    for step in steps:
        say(f"  {'*' if step.bound else ' '} {step.rule:<15} {step_value(step):>10}  {step.why}")


def print_compactions(answer: RecordedCompactions) -> None:
    """Print compactions with sizes, reason, recorded and planned boundaries, and a line for each other entry."""
    if answer == RecordedCompactions((), (), ()):
        say("No compaction of this conversation is recorded.")
    for entry in answer.compactions:
        _print_compaction(entry)
    for clearing in answer.clearings:
        sizes = (clearing.tokens_before_reported, "before"), (clearing.tokens_saved_reported, "saved")
        parts = [f"{plural(clearing.results, 'result')} cleared in generation {clearing.generation}"]
        parts += [f"{size:,} tokens {word}" for size, word in sizes if size is not None]
        say(f"microcompaction {clearing.index}  ", "bold", " · ".join(parts))
    for failed in answer.failures:
        by = {"manual": ", by hand", "auto": ", automatic"}.get(failed.trigger or "", "")
        reason = f"in generation {failed.generation}: {failed.error or 'no reason recorded'}"
        say(f"failed attempt {failed.index}{by}  ", "bold", reason)


def _print_compaction(entry: JudgedCompaction) -> None:
    done = entry.compared.recorded
    sizes, *lines = compaction_lines(entry)
    say(f"compaction {done.index}  ", "bold", sizes)
    lines += [f"{finding.severity}: {finding.text}" for finding in entry.findings]
    for line in (*lines, *filter(None, [done.note])):
        say(f"  {line}")


def compaction_lines(entry: JudgedCompaction) -> list[str]:
    """Return the sizes before and after a compaction, its reason, its boundaries and its cost, a line for each."""
    done = entry.compared.recorded
    size = "a summary that cannot be read" if done.encrypted else "no summary"
    size = size if done.summary is None else f"summary {len(done.summary):,} characters"
    kind = " (a fallback text: no model wrote it)" if done.fallback else ""
    kind = kind or (" (merged into the first tail message)" if done.merged else "")
    before, tokens = "unknown", "unknown"
    if done.before:
        before, tokens = f"{done.before:,}", f"~{done.tokens_before:,}"
    bound = "at least " if done.kept_missing else "at most " if done.may_have_later else ""
    after = f"{bound}~{done.tokens_after:,} tokens · {size}{kind}"
    lines = [f"{before} → {bound}{plural(done.after, 'message')} · {tokens} → {after}"]
    sizes = (done.tokens_before_reported, "tokens before"), (done.tokens_after_reported, "tokens after")
    reported = " and ".join(f"{size:,} {word}" for size, word in sizes if size is not None)
    if reported:
        estimates = "~ marks estimates without system prompt and tools"
        lines.append(f"reported by the agent: {reported} ({estimates})")
    lines.append(f"why: {entry.why.text}")
    lines.append(f"{' · '.join(_boundaries(entry.compared))} · session {done.session}")
    lines.append(f"cost: {entry.cost.words}")
    return lines


def _boundaries(compared: Compared) -> tuple[str, str]:
    """Return the recorded and the planned boundaries of a compaction in words."""
    recorded, planned = compared.recorded, compared.planned
    if not recorded.before:
        return "no recorded boundaries", "no plan: the list before it is unknown"
    if recorded.broken:
        return "no boundaries", "no plan: no compaction took place"
    words = f"recorded head_end {recorded.head_end}, tail_start {recorded.tail_start}"
    if recorded.kept:
        words += f", {plural(len(recorded.kept), 'message')} between the boundaries kept word for word"
    words += "" if recorded.exact else " (inferred)"
    rules = words_of(planned.profile)
    if not planned.compacts:
        return words, f"{rules} would not compact: {planned.reason}"
    places = f"head_end {planned.head_end}, tail_start {planned.tail_start} (differs)"
    if compared.agrees:
        places = agreement_words(planned.kept, [index for index, _ in recorded.kept])
    return words, f"planned by {rules}: {places}"


def _budgets(budgets: Budgets) -> str:
    """Return the maximum sizes of tail and summary in words, for observed profiles the usual sizes."""
    tail, summary = budgets.tail_token_budget, budgets.max_summary_tokens
    if budgets.observed:
        return f"{f'tail budget {tail:,}' if tail else 'no tail'} · summary usually ~{summary:,}"
    return f"tail budget {tail:,} · summary at most {summary:,}"


def print_plans(files: Sequence[PlannedFile]) -> None:
    """Print the plan of each file."""
    for entry in files:
        plan = entry.plan
        say(str(entry.file), "bold")
        say(f"{plan.profile}: threshold {plan.budgets.threshold_tokens:,} · {_budgets(plan.budgets)}")
        print_steps(plan.budgets.steps["threshold_tokens"])
        if not plan.compacts:
            say(f"nothing would be compacted: {plan.reason}")
            continue
        kept = f"{len(plan.kept):,} of the middle stay; " if plan.kept else ""
        say(
            f"head [0:{plan.head_end}], middle [{plan.head_end}:{plan.tail_start}], tail from {plan.tail_start}; "
            f"{kept}{len(plan.pruned)} pruned, summary budget {plan.summary_budget:,}; "
            f"{plan.tokens_before:,} → about {plan.tokens_after:,} tokens, "
            f"{plural(len(entry.output), 'message')} after"
        )
        print_steps(plan.steps)


def print_breakpoints(answer: CachePoints) -> None:
    """Print the breakpoints of a generation."""
    policy = answer.policy
    if answer.recorded is not None:
        paths = (" ".join(map(str, path)) for path in answer.recorded)
        say(f"recorded with the last request of generation {answer.generation}: {', '.join(paths)}")
    if not answer.points:
        say(f"generation {answer.generation} · {policy.reason}")
        return
    say(
        f"generation {answer.generation} · {answer.layout} layout · ttl {answer.ttl} · "
        f"caching {'on' if policy.enabled else 'off'}: {policy.reason}"
    )
    table = Table("", ">message", "role", "part", ">tokens up to there", "text", "where", cut=("text",))
    for placed in answer.points:
        point, message = placed.breakpoint, placed.message
        where = "sys" if point.message is None else point.message
        role = "system" if message is None else message.role
        tokens = "" if placed.tokens is None else f"~{placed.tokens:,}"
        why = point.why.removeprefix("The breakpoint is ").rstrip(".")
        why = why if point.honored else f"without effect: {why}"
        text = "" if message is None else first_line(message)
        table.add(f"⚑{point.number}", where, role, point.part, tokens, text, why)
    print_table(table)
