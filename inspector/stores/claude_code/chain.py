"""Which lines of a transcript the model had, and in what order: between two boundaries the path that leads to the last
line, with all answers to calls that were made side by side. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from inspector.stores.claude_code.queued import QUEUED
from inspector.stores.claude_code.scan import Node, boundary_of


@dataclass(frozen=True, slots=True)
class Stretch:
    """What stands between two boundaries: the boundary it starts with (None for the first; a summary that has none is
    its own), the lines of the list in order, and how many messages were left on other branches."""

    boundary: Node | None
    nodes: tuple[Node, ...]
    left: int


def parts_of(nodes: Sequence[Node]) -> list[tuple[str, list[Node]]]:
    """The lines of the file's own conversation under "", those of each sub-agent under its name."""
    # A file that begins with a sub-agent's line which names no sub-agent marks all of its own lines like this.
    marked = bool(nodes) and nodes[0].side and not nodes[0].agent
    own = [node for node in nodes if not node.side or (marked and not node.agent)]
    if not any(node.message for node in own):
        return [("", _bounded(nodes))] if any(node.message for node in nodes) else []
    roots: dict[str, str] = {}
    sides: dict[str, list[Node]] = {}
    for node in nodes:
        if node.side and not (marked and not node.agent):
            root = roots[node.uuid] = node.agent or roots.get(node.parent) or node.uuid
            sides.setdefault(root, []).append(node)
    told = ((root, side) for root, side in sides.items() if any(node.message for node in side))
    return [("", _bounded(own)), *((root, _bounded(side)) for root, side in told)]


def _bounded(nodes: Iterable[Node]) -> list[Node]:
    """The lines of one conversation in a file; a summary that no boundary announced, as up to some 2.0, is one."""
    announced = False
    bounded: list[Node] = []
    for node in nodes:
        if node.summary and not announced:
            node = replace(node, boundary=boundary_of({}, micro=False))
        if node.summary:
            announced = False
        elif node.boundary is not None and not node.boundary.micro:
            announced = True
        bounded.append(node)
    return bounded


def announced_elsewhere(nodes: Sequence[Node]) -> list[Node]:
    """The lines of several files together: a summary that hangs on a boundary is none itself, wherever that stands."""
    named = {
        node.uuid
        for node in nodes
        if node.boundary is not None and not node.boundary.micro and not node.summary
    }
    return [replace(node, boundary=None) if node.summary and node.parent in named else node for node in nodes]


@dataclass(frozen=True, slots=True)
class Left:
    """What the user went back from, across a boundary: the line `by` which went on from an earlier one, and all lines
    of the conversation as it was until then."""

    by: str
    nodes: tuple[Node, ...]


def gone_back(nodes: Sequence[Node]) -> tuple[list[Node], list[Left]]:
    """The lines of the conversation as it went on in the end, and each that was left behind a boundary."""
    main: list[Node] = []
    places: dict[str, int] = {}
    left: list[Left] = []
    for node in nodes:
        place = places.get(node.parent)
        if place is not None and goes_back(node, main[place + 1 :]):
            left.append(Left(node.uuid, tuple(main)))
            for gone in main[place + 1 :]:
                places.pop(gone.uuid, None)
            del main[place + 1 :]
        places[node.uuid] = len(main)
        main.append(node)
    return main, left


def goes_back(node: Node, since: Sequence[Node]) -> bool:
    """Whether a line is the user's, and there is a boundary among the lines since the one that it hangs on which does
    not say that this one stayed."""
    if node.kind != "user" or node.results or node.summary or not node.entries:
        return False
    # A line that only stands behind a boundary in the file was said before it.
    boundaries = [
        other.boundary
        for other in since
        if other.boundary is not None and not other.boundary.micro and other.at < node.at
    ]
    return bool(boundaries) and not any(node.parent in boundary.stayed for boundary in boundaries)


def in_order(nodes: Sequence[Node]) -> list[Node]:
    """The lines as they stand, but for those that stand before the line they hang on: they follow it."""
    places = {node.uuid: place for place, node in enumerate(nodes)}
    if all(places.get(_above(node), -1) < place for place, node in enumerate(nodes)):
        return list(nodes)
    waiting: dict[str, list[Node]] = {}
    done: set[str] = set()
    ordered: list[Node] = []
    for node in nodes:
        above = _above(node)
        if above in places and above not in done and above != node.uuid:
            waiting.setdefault(above, []).append(node)
            continue
        stack = [node]
        while stack:
            item = stack.pop()
            done.add(item.uuid)
            ordered.append(item)
            stack.extend(reversed(waiting.pop(item.uuid, [])))
    # What hangs on itself in a ring never got its turn.
    ordered.extend(node for node in nodes if node.uuid not in done)
    return ordered


def _above(node: Node) -> str:
    return node.parent or (node.logical if node.boundary is not None else "")


def stretches(nodes: Sequence[Node]) -> list[Stretch]:
    """The lists of a conversation, one for each boundary and one before the first."""
    parts: list[tuple[Node | None, list[Node]]] = [(None, [])]
    for node in nodes:
        if node.boundary is not None and not node.boundary.micro:
            parts.append((node, [node] if node.summary else []))
        else:
            parts[-1][1].append(node)
    ends = [boundary.logical or boundary.parent if boundary else "" for boundary, _ in parts[1:]] + [""]
    return [_stretch(boundary, part, end) for (boundary, part), end in zip(parts, ends, strict=True)]


def _stretch(boundary: Node | None, part: Sequence[Node], end: str) -> Stretch:
    messages = [node for node in part if node.message]
    if not messages:
        return Stretch(boundary, (), 0)
    places = {node.uuid: place for place, node in enumerate(part)}
    on = _path(part, places, messages[-1])
    if end in places and end not in on:
        # The boundary says where the list ended that it follows, where that line hangs on messages.
        told = _path(part, places, part[places[end]])
        on = told if any(node.uuid in told for node in messages) else on
    answers = {node.answer for node in messages if node.uuid in on and node.answer}
    on.update(node.uuid for node in messages if node.answer in answers)
    made = {use for node in messages if node.uuid in on for use in node.uses}
    on.update(node.uuid for node in messages if not made.isdisjoint(node.results))
    # No line hangs on what was handed over from the queue.
    on.update(node.uuid for node in messages if node.kind == QUEUED and node.parent in on)
    if boundary is not None:
        # What follows hangs on the messages that were kept, where some were; the summary belongs to the list as well.
        on.update(node.uuid for node in messages if node.summary)
    kept = tuple(node for node in part if node.uuid in on and node.message)
    return Stretch(boundary, kept, sum(len(node.entries) for node in messages if node.uuid not in on))


def _path(part: Sequence[Node], places: Mapping[str, int], leaf: Node) -> set[str]:
    """The lines from a leaf up. Where the line above is not there, the one that stands before goes on."""
    on: set[str] = set()
    place: int | None = places[leaf.uuid]
    while place is not None:
        node = part[place]
        if node.uuid in on:
            break
        on.add(node.uuid)
        if not node.parent and not node.summary:
            break
        above = places.get(node.parent)
        place = above if above is not None and above < place else (place - 1 if place else None)
    return on


def kept_of(boundary: Node, before: Sequence[Node]) -> list[Node]:
    """The lines of the list before that stayed: those that the boundary names, else those of its segment."""
    data = boundary.boundary
    if data is None:
        return []
    named = set(data.kept)
    uuids = [node.uuid for node in before]
    if not named and data.head in uuids and data.tail in uuids:
        named = set(uuids[uuids.index(data.head) : uuids.index(data.tail) + 1])
    answers = {node.answer for node in before if node.uuid in named and node.answer}
    return [node for node in before if node.uuid in named or node.answer in answers]
