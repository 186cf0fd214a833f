"""The points of a conversation at which an agent may check the size of its list."""

from __future__ import annotations

from collections.abc import Sequence, Set
from enum import IntEnum

from inspector.core.conversations import ASSISTANT, TOOL, USER

#: Roles of messages of the user, the tools and the model.
_RECORDED_ROLES = frozenset({USER, TOOL, ASSISTANT})


class Check(IntEnum):
    """A point at which an agent may check the size of its list."""

    RESULTS = 0
    TURN = 1
    BETWEEN = 2
    MANUAL = 3
    REQUEST = 4
    CALL = 5
    DUE = 6


def check_points(
    roles: Sequence[int],
    calls_at: Sequence[int],
    manual: Sequence[int] = (),
    compacted_at: Sequence[int] = (),
) -> list[tuple[int, Check]]:
    """Return the points at which an agent may check its list, in order, with the number of messages until then.

    RESULTS is after a round of tool results. TURN is after a user message, and BETWEEN is before one. MANUAL is at a
    manual compaction. CALL is at a call of the model (`calls_at`), and DUE is at a call at the end of the list. REQUEST
    is at another recorded compaction (`compacted_at`), or before messages that the agent inserted before a call.
    """
    moments: list[tuple[int, Check]] = []
    length, calls, manual_steps = len(roles), frozenset(calls_at), frozenset(manual)
    compactions = frozenset(compacted_at)
    requests = ({_without_inserted(roles, step, compactions) for step in calls_at} | compactions) - calls
    for step in range(1, length + 1):
        last, coming = roles[step - 1], roles[step] if step < length else None
        if last == TOOL and coming != TOOL:
            moments.append((step, Check.RESULTS))
        elif last == USER:
            moments.append((step, Check.TURN))
        if coming == USER:
            moments.append((step, Check.BETWEEN))
        if step in manual_steps:
            moments.append((step, Check.MANUAL))
        if step in requests:
            moments.append((step, Check.REQUEST))
        if step in calls:
            moments.append((step, Check.DUE if coming is None else Check.CALL))
    return moments


def _without_inserted(roles: Sequence[int], step: int, compactions: Set[int]) -> int:
    """Return the step before the messages that the agent itself inserted before the request at `step`.

    It is not before a recorded compaction (`compactions` has their steps).
    """
    while step > 1 and step not in compactions and roles[step - 1] not in _RECORDED_ROLES:
        step -= 1
    return step
