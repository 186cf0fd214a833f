"""Fates of the facts of a long conversation, computed by several processes: each follows some of the facts."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from inspector.answers.helper_process import HelperProcess, cores_for
from inspector.answers.inspection import Inspection
from inspector.answers.lists_after import ListsAfter
from inspector.quality.facts.fact import Fate
from inspector.quality.facts.lives import Following, Work, fates_of
from inspector.quality.facts.passages import PassageIndex

#: With fewer facts times lists other processes take longer to start than they save.
_FEW = 60_000
#: Maximum number of processes: each reads every list and needs as much memory as a single process.
_MOST = 4


def fates_together(inspection: Inspection, processes: int | None = None) -> Work:
    """Return a function that follows facts like fates_of, in several processes; by default as many as pay off."""

    def work(
        asked: Following, lists_after: Mapping[int, PassageIndex], watch: Callable[[int], None] | None = None
    ) -> dict[str, list[Fate]]:
        few = len(asked.facts) * len(lists_after) < _FEW
        jobs = processes or (1 if few else min(cores_for(inspection), _MOST))
        own, *others = asked.split(jobs)

        def told(done: int) -> None:
            if watch is not None:
                watch(min(len(asked.facts), done * jobs))

        helpers = [(HelperProcess(inspection, _follow, part), part) for part in others]
        try:
            fates = fates_of(own, lists_after, told)
            for helper, part in helpers:
                fates |= helper.answer(lambda: told(len(own.facts))) or fates_of(part, lists_after, watch)
        finally:
            for helper, _ in helpers:
                helper.end()
        return fates

    return work


def _follow(inspection: Inspection, asked: Following) -> dict[str, list[Fate]]:
    return fates_of(asked, ListsAfter(inspection, inspection.compactions()))
