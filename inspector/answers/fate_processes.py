"""Fates of the facts of a conversation: stored between runs, and computed by several processes if there are many."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from inspector.answers.helper_process import HelperProcess, cores_for
from inspector.answers.inspection import Inspection
from inspector.answers.kept_results import KeptResults, basis_of
from inspector.answers.lists_after import ListsAfter
from inspector.quality.facts.fact import Fate
from inspector.quality.facts.lives import Following, Work, fates_of
from inspector.quality.facts.passages import PassageIndex

#: Minimum product of facts and lists for which other processes are faster.
_FEW = 60_000
#: Maximum number of processes: each reads every list and needs as much memory as a single process.
_MOST = 4
_ENCODER = msgspec.msgpack.Encoder(order="deterministic")


def cached_fates(inspection: Inspection, cache: KeptResults, work: Work) -> Work:
    """Return a function that returns the fates from `cache`, else follows the facts with `work`."""

    def follow(
        following: Following,
        lists_after: Mapping[int, PassageIndex],
        watch: Callable[[int], None] | None = None,
    ) -> dict[str, list[Fate]]:
        basis = basis_of(
            inspection.store, inspection.conversation.id, "fates", options=following.placed_fates
        )
        # The store may have more messages by now than the lists that are followed.
        basis = basis.with_inputs(_ENCODER.encode(following))
        document = cache.document(basis)
        if document is not None:
            different = msgspec.convert(document["different"], list[Fate], strict=False)
            return {name: [different[at] for at in places] for name, places in document["fates"].items()}
        fates = work(following, lists_after, watch)
        # Many facts have equal fates. Share the objects when they are read, to save memory.
        places: dict[Fate, int] = {}
        of = {name: [places.setdefault(fate, len(places)) for fate in each] for name, each in fates.items()}
        cache.keep({basis: {"different": msgspec.to_builtins(list(places)), "fates": of}})
        return fates

    return follow


def fates_together(inspection: Inspection, processes: int | None = None) -> Work:
    """Return a function that follows facts like fates_of, in several processes; by default as many as pay off."""

    def work(
        following: Following,
        lists_after: Mapping[int, PassageIndex],
        watch: Callable[[int], None] | None = None,
    ) -> dict[str, list[Fate]]:
        few = len(following.facts) * len(lists_after) < _FEW
        jobs = processes or (1 if few else min(cores_for(inspection), _MOST))
        first, *others = following.split(jobs)

        def report(done: int) -> None:
            if watch is not None:
                watch(min(len(following.facts), done * jobs))

        helpers = [(HelperProcess(inspection, _follow, part), part) for part in others]
        try:
            fates = fates_of(first, lists_after, report)
            for helper, part in helpers:
                fates |= helper.answer(lambda: report(len(first.facts))) or fates_of(part, lists_after, watch)
        finally:
            for helper, _ in helpers:
                helper.end()
        return fates

    return work


def _follow(inspection: Inspection, following: Following) -> dict[str, list[Fate]]:
    return fates_of(following, ListsAfter(inspection, inspection.compactions()))
