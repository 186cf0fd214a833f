"""Read the facts of a conversation from its store, for the commands and the app."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from msgspec import Struct

from inspector.answers.inspection import Inspection
from inspector.answers.kept_facts import cached_fates
from inspector.answers.kept_results import KeptAnswer, basis_of
from inspector.answers.lists_after import ListsAfter
from inspector.answers.message_facts import read_messages
from inspector.answers.needed_facts import with_needed
from inspector.config.cache import Cache, default_cache
from inspector.config.dismissals import Dismissals
from inspector.core.conversations import ROLE_NAMES, Compaction
from inspector.core.memory import give_back
from inspector.core.watching import OnProgress
from inspector.engines.base import Settings
from inspector.engines.registry import is_built_in
from inspector.quality.facts.fact import ConversationFacts, Fact, MessageFacts, Saying, SpokenMessage
from inspector.quality.facts.gather import gather
from inspector.quality.facts.lives import PlacedFates, Work, fates_of, lives_of
from inspector.quality.facts.passages import ListText, PassageIndex
from inspector.quality.facts.risk import RiskIndex, in_summary
from inspector.replay.transcript import MessagePaths, Transcript, message_paths, transcript_of


class FactsReading(Struct, frozen=True):
    """Facts of a conversation with their fates, and the facts of the live list by index.

    `indexes_by_step[g - 1]` maps steps of the conversation to indexes in the list of generation g. It is empty unless
    the facts were read with placed_fates="every". `summaries_at[k - 1]` is the index of the summary of compaction k in
    the list after, None if there is none.
    """

    facts: ConversationFacts
    risk: RiskIndex
    indexes_by_step: tuple[Mapping[int, int], ...] = ()
    summaries_at: tuple[int | None, ...] = ()

    def risk_in(self, generation: int) -> RiskIndex:
        """Return the facts in the list of a generation, counted from 1, by index."""
        places = self.indexes_by_step[generation - 1] if generation <= len(self.indexes_by_step) else {}
        return _risk(self.facts, places, self.summaries_at[: generation - 1])

    def without(self, keys: Collection[str]) -> FactsReading:
        """Return the reading with the facts of some keys dismissed."""
        if not keys:
            return self
        facts = self.facts.without(keys)
        entries = (entry for entry in self.risk.entries if entry.fact.key not in keys)
        return FactsReading(facts, RiskIndex(entries), self.indexes_by_step, self.summaries_at)


def _risk(
    facts: ConversationFacts, indexes: Mapping[int, int], summaries_at: Sequence[int | None]
) -> RiskIndex:
    """Return the facts of a list by index. `summaries_at` has the index of the summary of each compaction so far."""
    last = summaries_at[-1] if summaries_at else None
    return RiskIndex.of(facts.facts, indexes, in_summary(facts.lives, len(summaries_at), last))


def read_facts(
    inspection: Inspection, cache: Cache | None = None, watch: OnProgress | None = None,
    pruned: Mapping[int, Sequence[int]] | None = None, placed_fates: PlacedFates = "every", all_facts: bool = False,
    by_rules: bool = False,
) -> FactsReading:  # fmt: skip
    """Find every fact of a conversation and follow it through the compactions.

    Facts that the user dismissed are separate, unless `all_facts` is true. Stored answers of a model decide fates that
    the rules leave uncertain, unless `by_rules` is true.

    Each list is read for its messages, for its rules files, and again for the part that a compaction left. `cache`
    stores the facts of each message and the fates between runs (see cached_fates). `watch` gets the name of the work,
    the number of finished items and of all items; an exception from it ends the work. `pruned` has, by compaction, the
    indexes of pruned texts (see pruned_by), whose facts are listed separately. `placed_fates` selects the fates with a
    place and an excerpt (see lives_of).
    """
    compactions = inspection.compactions()
    paths, ends_of_lists, steps = _read_steps(inspection, cache, watch, pruned or {})
    live, lists = paths.live, paths.lists if placed_fates == "every" else ()
    # Free memory first: following lives needs the most.
    del paths
    give_back()
    facts = gather(steps)
    lists_after = ListsAfter(inspection, compactions)
    follow = None if watch is None else lambda done: watch("fates", done, len(facts))
    encrypted = {c.index for c in compactions if c.encrypted}
    follow_fates: Work = fates_of
    if cache is not None:
        follow_fates = cached_fates(inspection, cache, follow_fates)
    if not by_rules:
        follow_fates = _with_model_fates(inspection, facts, follow_fates)
    lives = lives_of(
        facts, _consumed(steps), ends_of_lists, lists_after, follow, encrypted, placed_fates, follow_fates
    )
    summaries_at = tuple(recorded.summary_at for recorded in compactions)
    reading = FactsReading(
        with_needed(inspection, lives), _risk(lives, live, summaries_at), lists, summaries_at
    )
    return reading if all_facts else reading.without(dismissed_facts(inspection))


def _with_model_fates(inspection: Inspection, facts: Sequence[Fact], follow_fates: Work) -> Work:
    """Return `follow_fates`, and the fates by models of the user for facts that it leaves uncertain."""
    from inspector.models.kept import default_attempts

    kept = default_attempts()
    if not kept.path.exists():
        return follow_fates
    from inspector.answers.judging import decided_by_models, model_fates

    return decided_by_models(follow_fates, model_fates(inspection, facts, kept))


def dismissed_facts(inspection: Inspection) -> frozenset[str]:
    """Return the keys of the facts of a conversation that the user dismissed."""
    return Dismissals.load().facts_of(inspection.conversation.row.root)


def _gathered(inspection: Inspection, steps: Sequence[SpokenMessage]) -> tuple[Fact, ...]:
    """Return the facts in some messages without dismissed facts."""
    dismissed = dismissed_facts(inspection)
    return tuple(fact for fact in gather(steps) if fact.key not in dismissed)


def _consumed(steps: list[SpokenMessage]) -> Iterator[SpokenMessage]:
    """Yield the messages in order and remove each from the list."""
    steps.reverse()
    while steps:
        yield steps.pop()


def _read_steps(
    inspection: Inspection, cache: Cache | None, watch: OnProgress | None,
    pruned: Mapping[int, Sequence[int]],
) -> tuple[MessagePaths, Sequence[int], list[SpokenMessage]]:  # fmt: skip
    """Return the paths of the messages, the number of messages before each compaction, and the messages."""
    transcript = transcript_of(inspection.conversation, inspection.compactions())
    facts_at = read_messages(inspection, cache, watch, transcript, bool(pruned))
    paths = message_paths(transcript, inspection.compactions(), pruned)
    return paths, transcript.ends, _steps(transcript, facts_at, paths, inspection)


def facts_without_fates(inspection: Inspection, watch: OnProgress | None = None) -> tuple[Fact, ...]:
    """Return the facts, best rank first, without their fates, which take longest to compute."""
    return _gathered(inspection, _read_steps(inspection, default_cache(), watch, {})[2])


def facts_under_summaries(
    inspection: Inspection,
    choices: Sequence[Mapping[int, str]],
    pruned: Mapping[int, Sequence[int]],
    watch: OnProgress | None = None,
) -> tuple[ConversationFacts, ...]:
    """Return the facts that some compactions took, with their fates under other summaries than the recorded ones.

    Each item of `choices` has the summaries of some compactions ("" for an unreadable one), and gives one result. The
    messages are read once. Facts that the user dismissed are left out. `pruned` is as in read_facts.
    """
    if not choices:
        return ()
    compactions = inspection.compactions()
    _, ends_of_lists, steps = _read_steps(inspection, default_cache(), watch, pruned)
    facts = _gathered(inspection, steps)
    return tuple(
        lives_of(
            facts,
            steps,
            ends_of_lists,
            ListsAfter(inspection, compactions, summaries),
            unreadable={c.index for c in compactions if c.encrypted and not summaries.get(c.index)},
        )
        for summaries in choices
    )


def facts_after(
    inspection: Inspection,
    planned: Compaction,
    list_after: Sequence[ListText],
    pruned: Mapping[int, Sequence[int]],
    watch: OnProgress | None,
) -> ConversationFacts:
    """Return the facts that a planned compaction takes, with their fates in the list after it.

    The conversation ends at its `before`. Facts that the user dismissed are left out. `pruned` is as in read_facts.
    """
    earlier = inspection.compactions()[: planned.index - 1]
    recorded = transcript_of(inspection.conversation, inspection.compactions())
    places = tuple(
        place
        for place in recorded.places
        if place.generation < planned.index
        or (place.generation == planned.index and place.index < planned.before)
    )
    transcript = Transcript(places, (*recorded.ends[: len(earlier)], len(places)))
    facts_at = read_messages(inspection, default_cache(), watch, transcript, bool(pruned))
    steps = _steps(transcript, facts_at, message_paths(transcript, (*earlier, planned), pruned), inspection)
    lists_after = {planned.index: PassageIndex(list_after)}
    return lives_of(_gathered(inspection, steps), steps, transcript.ends, lists_after)


def pruned_by(inspection: Inspection, settings: Settings) -> Mapping[int, Sequence[int]]:
    """Return, by compaction, the indexes of the messages that it pruned.

    The engine of the settings plans them from the list before. Its plans are stored between runs if it is built in,
    because a plan reads the whole list.
    """
    if not is_built_in(settings.profile):
        return _planned_pruning(inspection, settings)
    basis = basis_of(inspection.store, inspection.conversation.id, "pruned")
    # The store may have more messages by now than the lists that are planned.
    lengths = [len(generation) for generation in inspection.conversation.generations]
    kept: KeptAnswer[Mapping[int, Sequence[int]]] = KeptAnswer(
        dict[int, tuple[int, ...]], basis.with_inputs(repr((settings, lengths)).encode())
    )
    pruned = kept.stored()
    if pruned is None:
        pruned = _planned_pruning(inspection, settings)
        kept.keep(pruned)
    return pruned


def _planned_pruning(inspection: Inspection, settings: Settings) -> dict[int, Sequence[int]]:
    return {
        c.recorded.index: tuple(c.planned.pruned) for c in inspection.compared(settings) if c.planned.compacts
    }


def _steps(
    transcript: Transcript,
    facts_at: dict[tuple[int, int], MessageFacts],
    paths: MessagePaths,
    inspection: Inspection,
) -> list[SpokenMessage]:
    """Return the messages of the user and the agent, and others with facts, in order.

    Their facts are removed from `facts_at`. Messages without facts show which message of the agent is an answer.
    """
    nothing = MessageFacts()
    steps = []
    task = 0
    sessions = {g.number: g.session for g in inspection.conversation.generations}
    for number, place in enumerate(transcript.places):
        role = ROLE_NAMES[place.role]
        task += role == "user"
        facts = facts_at.pop((place.generation, place.index), nothing)
        if facts is nothing and role not in ("user", "assistant"):
            continue
        pruned = role == "tool" and number in paths.pruned_by
        saying = Saying(
            number, place.generation, place.index, place.message, sessions[place.generation], role, (0, 0),
            paths.pruned_by[number] if pruned else paths.in_middle_of.get(number), pruned,
        )  # fmt: skip
        steps.append(SpokenMessage(saying, task, facts))
    return steps
