"""Rules about what an agent recorded around compactions: attempts that failed, sizes, contexts that shrank, misses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inspector.core.patterns import late_pattern
from inspector.core.shares import dollars, plural
from inspector.quality.evidence import ConversationEvidence, MissedEvidence
from inspector.quality.finding import Violation

#: Numbers of requests that a sentence names.
_NAMED = 8
#: The error of an attempt that the user cancelled. An aborted or interrupted one may have failed by itself.
_CANCELLED = late_pattern(r"(?i)\bcancell?ed\b")


def failed_attempts(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Yield failed attempts to compact, except attempts that the user cancelled."""
    for failed in evidence.failures:
        if _CANCELLED.search(failed.error):
            continue
        by = {"manual": " by hand", "auto": " automatically"}.get(failed.trigger or "", "")
        size = f" at {failed.tokens_before_reported:,} tokens" if failed.tokens_before_reported else ""
        error = failed.error.strip().rstrip(".") or "the agent recorded no reason"
        yield Violation(
            f"Attempt {failed.index} to compact{by}{size} failed: {error}.",
            None,
            failed.generation,
            failed.place - 1 if failed.place else None,
            cause=f"attempt {failed.index}",
        )


def history_lost(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Yield the messages that have no link to the list. The agent began a new list with each."""
    for compaction in evidence.compactions:
        recorded = compaction.recorded
        if recorded.broken:
            lost = f"{plural(recorded.before, 'message')} (~{recorded.tokens_before:,} tokens)"
            text = f"The next message has no link to the list, so the agent lost {lost} without a compaction."
            yield Violation(text, compaction.index, compaction.index + 1, 0)


def context_shrank(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Yield the largest fall of the context without a compaction, with the number of the others."""
    if not evidence.costs.falls:
        return
    fall = max(evidence.costs.falls, key=lambda one: one.before - one.sent)
    fell, others = fall.before - fall.sent, len(evidence.costs.falls) - 1
    results = (
        f"{fall.results:,} tool results of ~{fall.result_tokens:,} tokens precede it: the agent or the server may have "
        "cleared some."
        if fall.result_tokens >= fell
        else "That is more than the recorded tool results have."
    )
    more = f" So did {plural(others, 'other request')}, by less." if others else ""
    yield Violation(
        f"Request {fall.request:,} sent {fall.sent:,} tokens, {fell:,} fewer than request {fall.earlier:,} "
        f"({fall.before:,}), without a compaction. {results} The agent does not record what was removed.{more}",
        None,
        fall.generation,
        fall.place,
    )


def prompt_cut(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Yield the inputs that several requests in a row report although the list grew."""
    for cut in evidence.costs.cuts:
        yield Violation(
            f"{cut.count:,} requests from number {cut.first:,} on report exactly {cut.tokens:,} tokens of input, while "
            f"their list grew to ~{cut.list_tokens:,} tokens: the server cut the prompt, and the model saw only a part "
            "of the list.",
            None,
            cut.generation,
            cut.place,
            cause=f"{cut.tokens:,} tokens",
        )


def rules_file_cut(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Yield the rules files that the model saw only partly."""
    for file in evidence.cut_files:
        yield Violation(
            f"The agent sent {file.sent:,} of the {file.characters:,} characters of {file.name} with its "
            "requests: rules in the rest were not in the prompt.",
            None,
            file.generation,
            file.place,
            cause=file.name,
        )


def size_doubted(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Yield reported sizes that do not fit the recorded requests."""
    for compaction in evidence.compactions:
        reported, last = compaction.recorded.tokens_before_reported or 0, compaction.last_size
        if not compaction.doubted:
            continue
        text = f"The agent reports {reported:,} tokens before compaction {compaction.index}. "
        if last is not None and reported > last:
            text += f"The last recorded request and its answer had {last:,}, so requests before the compaction may be "
            text += "missing in the file."
        else:
            text += f"The list alone has ~{compaction.recorded.tokens_before:,}, so the agent did not count all of it."
        yield compaction.before(text)


def did_not_shrink(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Yield compactions after which the agent reports no fewer tokens than before."""
    for compaction in evidence.compactions:
        recorded = compaction.recorded
        before, after = recorded.tokens_before_reported, recorded.tokens_after_reported
        if before is not None and after is not None and before <= after:
            yield compaction.at_summary(
                f"Compaction {compaction.index} did not shrink the context: the agent reports {before:,} tokens "
                f"before it and {after:,} after it.",
            )


def prefix_missed(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Yield the requests that sent cached tokens again at a cost."""
    for missed in evidence.costs.missed:
        share = f", {missed.more / missed.total:.0%} of what all requests cost" if missed.total else ""
        yield Violation(
            f"{plural(missed.count, 'request')} sent {missed.tokens:,} tokens again although the cache was still "
            f"valid, for {dollars(missed.more)} US dollars more than reading them{share} (number "
            f"{_first(missed.requests)}). The largest miss still read the first {missed.same:,} "
            f"tokens.{_in_new_turns(missed)}",
            None,
            missed.generation,
            missed.place,
        )


def _in_new_turns(missed: MissedEvidence) -> str:
    """Return a sentence if nearly all misses are the first request of a turn, else ""."""
    turns, count = missed.in_new_turns, missed.count
    if turns < count - count // 10:
        return ""
    what = "It is" if count == 1 else f"{'All' if turns == count else f'{turns:,}'} of them are"
    return (
        f" {what} the first request of a turn, so look for what changes with a new turn: thinking of earlier turns "
        "that is left out, a reminder or a hook's text, another mode."
    )


def _first(numbers: Sequence[int]) -> str:
    """Return the first _NAMED numbers, and how many follow."""
    more = f" and {len(numbers) - _NAMED:,} more" if len(numbers) > _NAMED else ""
    return ", ".join(map(str, numbers[:_NAMED])) + more
