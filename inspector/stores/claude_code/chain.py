"""Select the transcript lines that were in the model's list, in order. Pure functions.

Between two boundaries, the list has the lines on the path to the last line, and the results of all parallel calls.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

from msgspec import Struct
from msgspec.structs import replace

from inspector.stores.claude_code.queued import QUEUED
from inspector.stores.claude_code.scan import LineNode, boundary_of

#: Prefix of the name of a branch that the main conversation left. The id of a line follows.
_ABANDONED = "left by "


class ListLines(Struct, frozen=True):
    """One list of the model: its lines with messages between two boundaries, in order.

    `boundary` is the line that starts the list, None for the first list. A summary line without a boundary line
    is itself the boundary. `abandoned` counts the messages on abandoned branches. `start` is the first line on the path
    to the last line, None if no line has a message.
    """

    boundary: LineNode | None
    nodes: tuple[LineNode, ...]
    abandoned: int
    start: LineNode | None = None


def lines_by_conversation(nodes: Sequence[LineNode]) -> list[tuple[str, list[LineNode]]]:
    """Group lines by conversation: the main conversation under "", each sub-agent under its name."""
    if not has_main(nodes):
        return [("", _bounded(nodes))] if any(node.message for node in nodes) else []
    main = _main_lines(nodes)
    in_main = {id(node) for node in main}
    roots: dict[str, str] = {}
    sides: dict[str, list[LineNode]] = {}
    for node in nodes:
        if id(node) not in in_main:
            root = roots[node.uuid] = node.agent or roots.get(node.parent) or node.uuid
            sides.setdefault(root, []).append(node)
    agents = ((root, side) for root, side in sides.items() if any(node.message for node in side))
    return [("", _bounded(main)), *((root, _bounded(side)) for root, side in agents)]


def has_main(nodes: Sequence[LineNode]) -> bool:
    """Return whether there is a main conversation. A file with lines of sub-agents only is one conversation."""
    return any(node.message or node.compacts for node in _main_lines(nodes))


def _main_lines(nodes: Sequence[LineNode]) -> list[LineNode]:
    # If the first line is marked as a line of a sub-agent but names no sub-agent, it belongs to the main conversation,
    # and so do all other lines with this mark and without a name.
    marked = bool(nodes) and nodes[0].side and not nodes[0].agent
    return [node for node in nodes if not node.side or (marked and not node.agent)]


def _with_true_parents(nodes: Iterable[LineNode]) -> list[LineNode]:
    """Return the lines with their parents. Some lines get the line before them as parent.

    These are late lines, and local commands whose recorded parent is a local command. The line before a line is the
    last line before it in the file that is not a progress line. A late line is a progress line, a system line or a
    local command that is older than the line before it. A line keeps its recorded parent if it is a boundary, or if the
    line before it does not descend from that parent, because it is on another branch.

    Claude Code may write the line of a hook, of an API error, or of a local command typed while the agent works, late,
    with an early parent and an early time. Old releases give all local commands the same parent. Later lines continue
    from such a line. The messages between the recorded parent and such a line stay in the agent's list: the sizes of
    its requests show this.
    """
    #: Places in `corrected`, by the id of a line.
    places: dict[str, int] = {}
    corrected: list[LineNode] = []
    #: For the place of a line, the place of the newest line that is known to descend from it.
    descendants: dict[int, int] = {}
    last = -1
    for node in nodes:
        start = places.get(node.parent, -1)
        can_be_late = node.kind in ("progress", "system") or node.local
        late = can_be_late and last >= 0 and node.at < corrected[last].at
        if start >= 0 and node.boundary is None and (late or (node.local and corrected[start].local)):
            at, descendant = last, descendants.get(start, start)
            while at > start and at != descendant:
                above = places.get(corrected[at].parent, -1)
                # The parents of a damaged file may form a cycle.
                at = above if above < at else -1
            if at in (start, descendant):
                descendants[start] = last
                node = replace(node, parent=corrected[last].uuid)
        places[node.uuid] = len(corrected)
        corrected.append(node)
        if node.kind != "progress":
            last = len(corrected) - 1
    return corrected


def _bounded(nodes: Iterable[LineNode]) -> list[LineNode]:
    """Return the lines of one conversation. A summary without a boundary line becomes a boundary.

    Releases before 2.0 write such summaries, as far as seen.
    """
    #: Whether the last boundary line still lacks its summary.
    awaits_summary = False
    bounded: list[LineNode] = []
    for node in _with_true_parents(nodes):
        if node.summary and not awaits_summary:
            node = replace(node, boundary=boundary_of({}, micro=False))
        if node.summary:
            awaits_summary = False
        elif node.compacts:
            awaits_summary = True
        bounded.append(node)
    return bounded


def without_repeated_boundaries(nodes: Sequence[LineNode]) -> list[LineNode]:
    """Return the lines of several files. A summary whose parent is a boundary line is not itself a boundary."""
    lines = {node.uuid for node in nodes if node.compacts and not node.summary}
    return [replace(node, boundary=None) if node.summary and node.parent in lines else node for node in nodes]


def parts_of(nodes: Sequence[LineNode]) -> dict[str, Sequence[LineNode]]:
    """Return the lines of each conversation in a file, by the name of its part.

    The main conversation has the name "". It may have left branches across a boundary. The lines of such a branch begin
    at the start of the conversation.
    """
    parts: dict[str, Sequence[LineNode]] = dict(lines_by_conversation(nodes))
    if "" in parts:
        parts[""], branches = split_abandoned(parts[""])
        parts |= {f"{_ABANDONED}{left_at}": branch for left_at, branch in branches.items()}
    return parts


def is_abandoned(part: str) -> bool:
    """Return whether a part of a file is a branch that the main conversation left."""
    return part.startswith(_ABANDONED)


def split_abandoned(nodes: Sequence[LineNode]) -> tuple[list[LineNode], dict[str, list[LineNode]]]:
    """Return the lines of the final conversation, and the branches that it left across a boundary.

    The user went back across the boundary, or another process continued. The key of a branch is the line that left it,
    whose parent is an earlier line. A branch has lines after this line in the file too.
    """
    main: list[LineNode] = []
    places: dict[str, int] = {}
    branches: dict[str, list[LineNode]] = {}
    #: By the id of each abandoned line, the lines of its branch.
    branch_of: dict[str, list[LineNode]] = {}
    #: The place of the last boundary in `main`, -1 if there is none.
    last = -1
    for node in nodes:
        parent_id = _parent_id(node)
        if (branch := branch_of.get(parent_id)) is not None:
            branch_of[node.uuid] = branch
            branch.append(node)
            continue
        place = places.get(parent_id)
        start, others_lines = len(main), set[str]()
        if place is not None and place < last and goes_back(node, main[place + 1 :]):
            start = place + 1
        elif place is not None and node.compacts:
            start, others_lines = _lines_beside(main, places, place)
        if start < len(main):
            since = main[start:]
            branch = branches[node.uuid] = [other for other in main if other.uuid not in others_lines]
            branch_of |= {other.uuid: branch for other in since if other.uuid not in others_lines}
            main[start:] = [other for other in since if other.uuid in others_lines]
            for other in since:
                places.pop(other.uuid, None)
            places |= {other.uuid: number for number, other in enumerate(main[start:], start)}
            last = max((number for number, other in enumerate(main) if other.compacts), default=-1)
        if node.compacts:
            last = len(main)
        places[node.uuid] = len(main)
        main.append(node)
    return main, branches


def _lines_beside(main: Sequence[LineNode], places: Mapping[str, int], place: int) -> tuple[int, set[str]]:
    """Return the place of the last boundary, and the ids of the lines after it that another process wrote.

    The parents of line `place` are followed upwards. If they lead past the last boundary to an earlier line, another
    process wrote the lines on this path that are after the boundary. Otherwise there are none, and the place
    is the end of `main`.
    """
    last = max((number for number, node in enumerate(main) if node.compacts), default=len(main))
    path: set[str] = set()
    at: int | None = place
    while at is not None and at > last:
        path.add(main[at].uuid)
        above = places.get(_parent_id(main[at]))
        at = above if above is None or above < at else None
    return (last, path) if path and at is not None and at < last else (len(main), set())


def goes_back(node: LineNode, since: Sequence[LineNode]) -> bool:
    """Return whether a line of the user goes back across a boundary.

    It does if boundaries follow its parent and none of these boundaries keeps the parent. `since` has the lines after
    the parent.
    """
    if node.kind != "user" or node.results or node.summary or not node.entries:
        return False
    # A line may follow a boundary in the file although it was written earlier: compare times.
    crossed = [line.boundary for line in since if line.compacts and line.at < node.at]
    return bool(crossed) and not any(boundary and node.parent in boundary.stayed for boundary in crossed)


def in_order(nodes: Sequence[LineNode]) -> list[LineNode]:
    """Return the lines in file order. A line that is before its parent in the file is moved after the parent."""
    places = {node.uuid: place for place, node in enumerate(nodes)}
    if all(places.get(_parent_id(node), -1) < place for place, node in enumerate(nodes)):
        return list(nodes)
    waiting: dict[str, list[LineNode]] = {}
    done: set[str] = set()
    ordered: list[LineNode] = []
    for node in nodes:
        parent_id = _parent_id(node)
        if parent_id in places and parent_id not in done and parent_id != node.uuid:
            waiting.setdefault(parent_id, []).append(node)
            continue
        stack = [node]
        while stack:
            item = stack.pop()
            done.add(item.uuid)
            ordered.append(item)
            stack.extend(reversed(waiting.pop(item.uuid, [])))
    # Lines in a cycle of parents were never reached.
    ordered.extend(node for node in nodes if node.uuid not in done)
    return ordered


def _parent_id(node: LineNode) -> str:
    """Return the id of the line that a line continues."""
    return node.parent or (node.logical if node.boundary is not None else "")


def lists_of(nodes: Sequence[LineNode]) -> list[ListLines]:
    """Split a conversation into lists: one before the first boundary and one after each."""
    parts: list[tuple[LineNode | None, list[LineNode]]] = [(None, [])]
    for node in nodes:
        if node.compacts:
            parts.append((node, [node] if node.summary else []))
        else:
            parts[-1][1].append(node)
    ends = [boundary.logical or boundary.parent if boundary else "" for boundary, _ in parts[1:]] + [""]
    return [_lines_of_list(boundary, part, end) for (boundary, part), end in zip(parts, ends, strict=True)]


def _lines_of_list(boundary: LineNode | None, part: Sequence[LineNode], end: str) -> ListLines:
    """Return the list in a part of the lines. `end` is the last line of the list by the next boundary, or ""."""
    messages = [node for node in part if node.message]
    if not messages:
        return ListLines(boundary, (), 0)
    places = {node.uuid: place for place, node in enumerate(part)}
    path = _path(part, places, messages[-1])
    if end in places and end not in path:
        # The boundary names the last line of the list before it. Use the path to that line if it has messages.
        named = _path(part, places, part[places[end]])
        path = named if any(node.uuid in named for node in messages) else path
    start = part[min(places[uuid] for uuid in path)]
    answers = {node.answer: list[LineNode]() for node in messages if node.uuid in path and node.answer}
    for node in messages:
        if node.answer in answers:
            answers[node.answer].append(node)
    called = {use for nodes in answers.values() for node in nodes for use in node.uses}
    # A resumed session copies lines with new ids: take each result once.
    results = {(node.at, node.results) for node in messages if node.uuid in path}
    for node in messages:
        if not called.isdisjoint(node.results) and (node.at, node.results) not in results:
            results.add((node.at, node.results))
            path.add(node.uuid)
    # A queued prompt is never the parent of another line.
    path.update(node.uuid for node in messages if node.kind == QUEUED and node.parent in path)
    # The first line after a compaction may have a kept message as its parent. The summary is still in the list.
    path.update(node.uuid for node in messages if node.summary)
    answer_starts = _answer_starts(answers.values(), path)
    lines = tuple(
        line
        for node in part
        if node.uuid in path and node.message
        for line in (*answer_starts.get(node.uuid, ()), node)
    )
    listed = {node.uuid for node in lines}
    abandoned = sum(len(node.entries) for node in messages if node.uuid not in listed)
    return ListLines(boundary, lines, abandoned, start)


def _answer_starts(answers: Iterable[Sequence[LineNode]], path: set[str]) -> dict[str, tuple[LineNode]]:
    """Return the line where the message of an answer begins, for each answer that begins outside the path.

    The key is the id of the answer's first line on the path. `answers` has the lines of each answer in file order.
    `path` has the ids of the lines on the path.
    """
    answer_starts: dict[str, tuple[LineNode]] = {}
    for lines in answers:
        on_path = [node for node in lines if node.uuid in path]
        holder = next((node for node in lines if node.entries), None)
        if holder is not None and not any(node.entries for node in on_path):
            answer_starts[on_path[0].uuid] = (holder,)
    return answer_starts


def _path(part: Sequence[LineNode], places: Mapping[str, int], leaf: LineNode) -> set[str]:
    """Return the ids of the lines on the path from a leaf up to a line without a parent.

    The path continues with the line before a line if its parent is missing or comes later, or if it is a summary
    without a parent.
    """
    path: set[str] = set()
    place: int | None = places[leaf.uuid]
    while place is not None:
        node = part[place]
        if node.uuid in path:
            break
        path.add(node.uuid)
        if not node.parent and not node.summary:
            break
        above = places.get(node.parent)
        place = above if above is not None and above < place else (place - 1 if place else None)
    return path


def lines_of_lists(lists: Sequence[ListLines]) -> Iterator[tuple[list[LineNode], list[LineNode]]]:
    """Yield, for each list, the lines that stayed from the list before it, and all its lines in order."""
    lines: list[LineNode] = []
    for listed in lists:
        kept = kept_lines(listed.boundary, lines) if listed.boundary is not None else []
        context, summaries, others = around_summary(listed)
        data = listed.boundary.boundary if listed.boundary is not None else None
        first, then = (kept, []) if data is not None and data.kept_first else ([], kept)
        lines = [*first, *context, *summaries, *then, *others]
        yield kept, lines


def messages_of(nodes: Sequence[LineNode]) -> int:
    """Return the number of messages in the last list of a conversation."""
    *_, (_, lines) = lines_of_lists(lists_of(nodes))
    return sum(len(node.entries) for node in lines)


def around_summary(listed: ListLines) -> tuple[list[LineNode], list[LineNode], list[LineNode]]:
    """Split a list into the lines before its summary, the summary, and the other lines.

    In newer releases, the context of the session is before the summary.
    """
    nodes = listed.nodes
    first = next((place for place, node in enumerate(nodes) if node.summary), 0)
    before = [node for node in nodes[:first] if node.kind == "attachment"]
    summaries = [node for node in nodes if node.summary]
    return before, summaries, [node for node in nodes if not node.summary and node not in before]


def joined(files: Iterable[tuple[Sequence[LineNode], bool]], shared: Set[str]) -> list[LineNode]:
    """Return the lines of a conversation in order. `files` has the lines of each file, and whether it is a stream.

    `shared` are the ids of the lines of the conversation that a branch left.
    """
    uuids: set[str] = set()
    nodes: list[LineNode] = []
    for lines, stream in files:
        # A file that continues another begins with copies of its lines.
        new = [node for node in lines if node.uuid not in uuids]
        uuids.update(node.uuid for node in new)
        if stream and nodes and new and not new[0].parent:
            # A stream does not name the line that it continues.
            new[0] = replace(new[0], parent=nodes[-1].uuid)
        nodes += new
    return _after_shared(_with_kept_before(in_order(without_repeated_boundaries(nodes))), shared)


def _with_kept_before(nodes: Sequence[LineNode]) -> list[LineNode]:
    """Return the lines with each line that a boundary keeps before this boundary.

    Claude Code may write kept lines only after the summary, with the summary as their parent.
    """
    lines: list[LineNode] = []
    places = {node.uuid: place for place, node in enumerate(nodes)}
    moved: set[int] = set()
    for place, node in enumerate(nodes):
        if node.boundary is not None:
            later = sorted(places[uuid] for uuid in {*node.boundary.kept} if places.get(uuid, -1) > place)
            lines += [nodes[later_place] for later_place in later if later_place not in moved]
            moved.update(later)
        if place not in moved:
            lines.append(node)
    return lines


def _after_shared(nodes: Sequence[LineNode], shared: Set[str]) -> list[LineNode]:
    """Return the lines of a branch after the last compaction that it shares with the conversation it branched from,
    and before them the lines that this compaction kept.

    That conversation counts the shared compactions.
    """
    lines: list[LineNode] = []
    for node in nodes:
        if node.boundary is not None and node.uuid in shared:
            if not node.boundary.micro:
                lines = kept_lines(node, lines)
                # The path to the first line of the branch leads over the boundary.
                node = replace(node, parent=lines[-1].uuid) if lines else node
            node = replace(node, boundary=None)
        lines.append(node)
    return lines


def kept_lines(boundary: LineNode, before: Sequence[LineNode]) -> list[LineNode]:
    """Return the lines of the previous list that a compaction kept.

    The boundary names each of them, or the first and the last of them (`headUuid`, `tailUuid`). If a named line belongs
    to an answer, all lines of the answer are kept. If the boundary names no line, or one of the two is not in the list,
    none is kept.
    """
    data = boundary.boundary
    if data is None:
        return []
    named = set(data.kept)
    uuids = [node.uuid for node in before]
    if not named and data.head in uuids and data.tail in uuids:
        named = set(uuids[uuids.index(data.head) : uuids.index(data.tail) + 1])
    answers = {node.answer for node in before if node.uuid in named and node.answer}
    return [node for node in before if node.uuid in named or node.answer in answers]
