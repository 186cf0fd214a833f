"""Claude Code's transcripts (`~/.claude/projects/**/*.jsonl`) as conversations."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cache, partial
from itertools import accumulate
from pathlib import Path

from msgspec.structs import replace

from inspector.core.conversations import (
    Compaction,
    Conversation,
    FailedCompaction,
    Generation,
    Microcompaction,
    Request,
    SentRequest,
)
from inspector.core.refusals import refusal_in
from inspector.core.rough import text_tokens
from inspector.core.shares import plural
from inspector.stores.assembly import (
    ABANDONED,
    FAILED_CALLS,
    UNREADABLE,
    bodies_of,
    count_note,
    generations_of,
    identity,
    missing_lines,
    session_of,
)
from inspector.stores.claude_code.chain import (
    ListLines,
    around_summary,
    is_abandoned,
    joined,
    lines_of_lists,
    lists_of,
    parts_of,
)
from inspector.stores.claude_code.joining import join, window_of
from inspector.stores.claude_code.queued import Queue
from inspector.stores.claude_code.scan import PLACEHOLDER, ApiCall, LineNode, Scan, scan
from inspector.stores.claude_code.stream import is_stream
from inspector.stores.head import Head
from inspector.stores.index import FileDigest, FileIndex
from inspector.stores.recorded import Recorded, Source
from inspector.stores.values import count_at, count_of, text_at


class ClaudeCodeReader:
    """Reads transcripts; see Reader for the methods."""

    agent = "claude-code"
    limits = (
        "Claude Code records no tools, and the system prompt only in newer releases (2.1.331), so the lists lack them. "
        "The context sizes that it reports include both.",
    )

    def recognises(self, head: Head) -> bool:
        """Return whether the first lines have the keys of Claude Code's transcripts or streams."""
        for value in head.mappings:
            if isinstance(value.get("type"), str):
                message = value.get("message")
                if (
                    "payload" in value
                    or "systemPayload" in value
                    or (isinstance(message, dict) and "parts" in message)
                ):
                    # Codex' lines have a payload, Qwen Code's parts.
                    return False
                # A session that was fetched from the cloud begins with a line about it, and may have no other line.
                fetched = value["type"] == "teleported-from" and "remoteSessionId" in value
                if fetched or {"sessionId", "leafUuid", "parentUuid"} & value.keys() or "snapshot" in value:
                    return True
        return is_stream(head.raw)

    def digests(self, path: Path) -> tuple[FileDigest, ...]:
        from inspector.stores.claude_code.digest import digests_of

        return digests_of(path)

    def sources(self, digests: Sequence[FileDigest], memory: FileIndex | None = None) -> tuple[Source, ...]:
        """Return a conversation for files that continue each other, and a branch for each fork."""
        return join(digests, memory)

    def read(self, source: Source) -> Recorded:
        shared = [scan(Path(path)) for path in source.shared]
        files = [scan(Path(path)) for path in source.files]
        if is_abandoned(source.part):
            # The branch shares its first lines with the main conversation.
            main = _with_part(files[0], "")
            names = {node.answer for node in main.nodes}
            calls = {name: call for name, call in main.calls.items() if name in names}
            shared = [replace(main, calls=calls)]
        return _Reading([_with_part(file, source.part) for file in files], source, shared).run()

    def sent(self, source: Source) -> tuple[SentRequest, ...]:
        """Return the requests of a conversation as sent, which newer releases record. Raises StoreErrors."""
        from inspector.stores.claude_code.sent import sent_requests

        files = () if source.part else source.files
        return tuple(request for path in files for request in sent_requests(Path(path)))


READER = ClaudeCodeReader


def _with_part(file: Scan, part: str) -> Scan:
    """Return the scan of a file with only the lines of one of its conversations."""
    return replace(file, nodes=list(parts_of(file.nodes).get(part, ())))


class _Reading:
    """Reads the lists, compactions and requests of a conversation from its files."""

    def __init__(self, parts: Sequence[Scan], source: Source, shared: Sequence[Scan]) -> None:
        self.parts = parts
        self.shared = shared
        self.shared_calls = {answer for scanned in shared for answer in scanned.calls}
        self.source = source
        #: The file that has each line first.
        self.file_of: dict[str, int] = {}
        for file, part in enumerate(parts):
            for node in part.nodes:
                self.file_of.setdefault(node.uuid, file)
        shared_lines = {node.uuid for scanned in shared for node in scanned.nodes}
        self.nodes = joined([(part.nodes, part.stream) for part in parts], shared_lines)
        #: The number of the generation that each line belongs to.
        self.numbers = list(accumulate((node.compacts for node in self.nodes), initial=1))[1:]
        self.lists = lists_of(self.nodes)
        #: Whether the parent of the first list's first line is missing: the session was resumed, and its file begins
        #: midway.
        self.uuids = shared_lines | self.file_of.keys()
        first = self.lists[0].start
        self.midway = first is not None and first.boundary is None and first.parent not in ("", *self.uuids)
        #: Number of lines in the lists whose parent is not in the files, without the first line.
        found = {"", *self.uuids}.union(*(part.aside for part in (*parts, *shared)))
        self.missing_parents = sum(
            node.parent not in found for listed in self.lists for node in listed.nodes if node is not first
        )
        #: Whether the files are streams that lack the user's prompts.
        self.lacks_prompts = all(part.stream for part in parts) and not any(
            node.kind == "user" and not node.results and not node.summary and not node.local
            for part in parts
            for node in part.nodes
        )

    def run(self) -> Recorded:
        """Return the conversation."""
        lists: list[list[int]] = []
        compactions: list[Compaction] = []
        for listed, (kept, lines) in zip(self.lists, lines_of_lists(self.lists), strict=True):
            if listed.boundary is not None:
                compactions.append(self._compaction(len(lists), lists[-1], listed, kept))
            lists.append(self._ids(lines))
        row = self.source.row
        files = [part.entries for part in self.parts]
        generations = generations_of(lists, files, row.id)
        requests = _with_windows(list(self._requests()))
        costs = self._recorded_costs()
        sessions = tuple(
            session_of(row, name, requests if name == row.id else (), costs.get(name, 0.0))
            for name in row.sessions
        )
        return Recorded(
            Conversation(
                row,
                sessions,
                generations,
                tuple(self._notes()),
                # A compaction of an incomplete list says so itself.
                ((self.midway or self.lacks_prompts) and not compactions)
                or bool(self.missing_parents or self.unreadable),
            ),
            tuple(compactions),
            tuple(self._microcompactions(generations)),
            requests,
            bodies_of(files, row.id),
            prompt=next((part.prompt for part in reversed(self.parts) if part.prompt), ""),
            failures=tuple(self._failures(generations)),
        )

    def _ids(self, nodes: Sequence[LineNode]) -> list[int]:
        return [identity(self.file_of[node.uuid], entry) for node in nodes for entry in node.entries]

    def _compaction(
        self, index: int, before: Sequence[int], listed: ListLines, kept: Sequence[LineNode]
    ) -> Compaction:
        boundary = listed.boundary
        data = boundary.boundary if boundary is not None else None
        if boundary is None or data is None:
            raise ValueError("only a list that begins with a boundary was made by a compaction")
        summary = next((node for node in listed.nodes if node.summary), None)
        staying = self._ids(kept)
        length = len(before)
        head = len(staying) if data.kept_first and list(before[: len(staying)]) == staying else 0
        tail = 0 if head or list(before[length - len(staying) :]) != staying else len(staying)
        at_ends = head + tail == len(staying)
        context = len(self._ids(around_summary(listed)[0]))
        new = 0 if summary is None else context + len(summary.entries)
        text = None
        if summary is not None:
            first, *_ = summary.entries
            text = self.parts[self.file_of[summary.uuid]].entries.bodies([first])[first].text
        notes = []
        midway = index == 1 and self.midway and bool(length)
        if not length:
            notes.append("The list before it is not in these files.")
        if midway:
            notes.append("The beginning of the list before it is not in these files.")
        if self.lacks_prompts:
            notes.append("The list before it lacks the user's prompts.")
        missing = {*data.kept, data.head, data.tail} - {"", *self.uuids}
        if missing:
            notes.append(
                f"It kept {plural(len(missing), 'more line')}, not in these files: the list after lacks them."
            )
        if summary is None:
            notes.append("No summary follows it in these files.")
        if not at_ends:
            notes.append(f"The {len(staying)} kept messages were not together at the end of the list.")
        return Compaction(
            index=index,
            session=boundary.session or self.source.row.id,
            before=length,
            after=new + len(staying),
            head_end=head,
            tail_start=length - tail,
            head_after=head,
            tail_after=new + len(staying) - tail,
            summary_at=head + context if new else None,
            summary=text,
            fallback=bool(refusal_in(text or "")),
            at=boundary.at,
            exact=at_ends and bool(length),
            note=" ".join(notes),
            trigger=data.trigger,
            tokens_before_reported=data.before,
            tokens_after_reported=data.after,
            whole=bool(length) and not (midway or missing or self.lacks_prompts),
            # Claude Code sends a summary after each boundary; streams, and copies of transcripts, may lack it.
            encrypted=summary is None,
            kept_missing=len(missing) + (summary is None),
        )

    def _microcompactions(self, generations: Sequence[Generation]) -> Iterator[Microcompaction]:
        count, order = 0, {node.uuid: place for place, node in enumerate(self.nodes)}
        results_of = cache(partial(self._results, generations))
        for number, node in zip(self.numbers, self.nodes, strict=True):
            if node.boundary is None or not node.boundary.micro:
                continue
            count += 1
            generation = generations[number - 1]
            places, lines, ends = results_of(number)
            earlier = bisect_left(lines, order[node.uuid], key=order.__getitem__)
            yield Microcompaction(
                index=count,
                session=node.session or generation.session,
                generation=number,
                place=ends[earlier],
                cleared=tuple(sorted(places[tool] for tool in node.boundary.tools if tool in places)),
                results=len(node.boundary.tools),
                at=node.at,
                trigger=node.boundary.trigger,
                tokens_before_reported=node.boundary.before,
                tokens_saved_reported=node.boundary.saved,
            )

    def _results(
        self, generations: Sequence[Generation], number: int
    ) -> tuple[dict[str, int], list[str], list[int]]:
        """Return the places of tool results in a list, by the ids of their calls, and the lines of the list.

        The last value has the number of messages in the list up to the first 0, 1, ... lines. Lines are in file order.
        """
        place_of = {identity: place for place, identity in enumerate(generations[number - 1].ids)}
        listed = {node.uuid: node for node in self.lists[number - 1].nodes}
        lines = [node.uuid for node in self.nodes if node.uuid in listed]
        results: dict[str, int] = {}
        ends = [0]
        for uuid in lines:
            ids = self._ids([listed[uuid]])
            results.update(
                (result, place_of[identity])
                for result, identity in zip(listed[uuid].results, ids, strict=False)
                if identity in place_of
            )
            ends.append(
                max([ends[-1], *(place_of[identity] + 1 for identity in ids if identity in place_of)])
            )
        return results, lines, ends

    def _failures(self, generations: Sequence[Generation]) -> Iterator[FailedCompaction]:
        index = 1
        before: list[int] = []
        for number, node in zip(self.numbers, self.nodes, strict=True):
            if node.compacts:
                before = []
            before += self._ids([node])[-1:]
            if node.failure:
                ids = list(generations[number - 1].ids)
                last = next((ids.index(i) + 1 for i in reversed(before) if i in ids), 0)
                name = node.session or self.source.row.id
                # A stream does not record what started it.
                trigger = None if self.parts[self.file_of[node.uuid]].stream else "manual"
                yield FailedCompaction(index, name, number, last, node.at, node.failure, trigger)
                index += 1

    def _recorded_costs(self) -> dict[str, float]:
        """Return the recorded cost of each session, for a fork without the costs of the session that it left.

        The cost of a fork is unknown if that session records no total before the fork.
        """
        # A fork may record a total before its first own line, so only the totals before it are of other sessions.
        earlier = [total for part in self.shared for total in part.recorded_costs]
        costs: dict[str, float] = {}
        for part in self.parts:
            lines = {node.uuid for node in part.nodes}
            for name, total, place in part.recorded_costs:
                before = [other for session, other, line in earlier if session != name and line in lines]
                costs[name] = max(0.0, total - max(before)) if before else 0.0 if self.shared else total
                earlier.append((name, total, place))
        return costs

    def _requests(self) -> Iterator[Request]:
        generation_of: dict[str, int] = {}
        for number, node in zip(self.numbers, self.nodes, strict=True):
            if node.answer and node.answer not in self.shared_calls:
                generation_of.setdefault(node.answer, number)
        calls: dict[str, ApiCall] = {}
        for part in self.parts:
            for answer, call in part.calls.items():
                if answer in generation_of and (answer not in calls or calls[answer].output < call.output):
                    calls[answer] = call
        answered = [(calls[answer], number) for answer, number in generation_of.items() if answer in calls]
        for index, (call, number) in enumerate(answered, start=1):
            usage = call.usage
            hour = count_at(usage, "cache_creation", "ephemeral_1h_input_tokens") or 0
            visible = 0 if call.stopped or call.output > PLACEHOLDER else text_tokens(call.chars)
            yield Request(
                index=index,
                generation=number,
                message=call.answer,
                model=call.model,
                at=call.at,
                input=count_of(usage, "input_tokens") or 0,
                cache_read=count_of(usage, "cache_read_input_tokens") or 0,
                cache_write=max(hour, count_of(usage, "cache_creation_input_tokens") or 0),
                cache_write_1h=hour,
                output=max(visible, call.output),
                estimated=visible > 2 * call.output,
            )

    @property
    def unreadable(self) -> int:
        """Number of lines that cannot be read."""
        return sum(part.unreadable for part in self.parts)

    def _notes(self) -> Iterator[str]:
        yield from count_note(self.unreadable, *UNREADABLE)
        yield from missing_lines(self.missing_parents - self.unreadable)
        if self.midway:
            yield "The first line continues a line that is not in these files: the messages before it are in no list."
        if any(part.stream for part in self.parts):
            yield (
                "Read from stream-json output, which lacks reminders, attached files, and the compactions and last "
                "answers of sub-agents."
            )
        if self.lacks_prompts:
            yield "The output lacks the user's prompts: facts in them are unknown."
        yield from count_note(sum(listed.abandoned for listed in self.lists), *ABANDONED)
        yield from _about_queue([part.queue for part in self.parts])
        yield from _about_calls([call for part in self.parts for call in part.calls.values()])
        yield from count_note(sum(part.api_errors for part in self.parts), *FAILED_CALLS)


def _about_calls(calls: Sequence[ApiCall]) -> Iterator[str]:
    """Yield notes about gaps in the recorded usage: placeholder outputs, and prices that the costs do not include."""
    guessed = sum(
        not call.stopped and call.output <= PLACEHOLDER and text_tokens(call.chars) > 2 * call.output
        for call in calls
    )
    if guessed:
        yield (
            f"The output of {plural(guessed, 'answer')} of {len(calls):,} is recorded as a placeholder. The visible "
            "text is counted instead (~), so sums of outputs are low."
        )
    usages = [call.usage for call in calls]
    searches = sum(count_at(usage, "server_tool_use", "web_search_requests") or 0 for usage in usages)
    regions = sorted({text_at(usage, "inference_geo") for usage in usages} - {"", "not_available", "global"})
    fast = sum(text_at(usage, "speed") == "fast" for usage in usages)
    batched = sum(text_at(usage, "service_tier") == "batch" for usage in usages)
    extras = [
        f"{plural(fast, 'request')} in fast mode" if fast else "",
        plural(batched, "batch request") if batched else "",
        plural(searches, "web search", "web searches") if searches else "",
        f"requests bound to a region ({', '.join(regions)})" if regions else "",
    ]
    extras = [extra for extra in extras if extra]
    if extras:
        listed = " and ".join(", ".join(extras).rsplit(", ", 1))
        yield f"The costs do not include special prices: {listed}."


def _about_queue(queues: Sequence[Queue]) -> Iterator[str]:
    """Yield notes about prompts that the user typed while the agent was working."""
    typed = "that the user typed while the agent was working"
    unrecorded = sum(queue.unrecorded for queue in queues)
    if unrecorded:
        yield f"The transcript lacks the text of {plural(unrecorded, 'prompt')} {typed}."
    unclear = sum(queue.unclear for queue in queues)
    if unclear:
        verb, which = ("was", "it is") if unclear == 1 else ("were", "they are")
        yield (
            f"{plural(unclear, 'prompt')} {typed} {verb} removed from the queue after a turn. Whether the agent got "
            f"the text is not recorded, so {which} in no list."
        )


def _with_windows(requests: Sequence[Request]) -> tuple[Request, ...]:
    """Set the context window of each request by the largest request of its model, if there are several models."""
    largest: dict[str, int] = {}
    for request in requests:
        largest[request.model] = max(request.context, largest.get(request.model, 0))
    if len(largest) < 2:
        return tuple(requests)
    return tuple(replace(request, window=window_of(largest[request.model])) for request in requests)
