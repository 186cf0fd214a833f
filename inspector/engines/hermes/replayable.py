"""Runs of whole conversations by arithmetic over columns. No text is kept, and a compaction costs only its changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from inspector.core.messages import Message
from inspector.engines.base import Budgets, Settings
from inspector.engines.hermes.boundaries import past_results
from inspector.engines.hermes.columns import MessageColumns
from inspector.engines.hermes.live_columns import LiveColumns, token_index_until
from inspector.engines.hermes.message_stats import ListStats
from inspector.engines.hermes.planner import Planner
from inspector.engines.hermes.release import ReleaseReplayable
from inspector.engines.hermes.stats_reader import read_stats
from inspector.engines.hermes.token_index import HermesTokenIndex
from inspector.engines.sizes import Compacted, MessageSize, Refusal


class HermesReplayable(ReleaseReplayable):
    """Runs conversations under rules whose plan follows from the sizes of messages."""

    def read(self, messages: Iterable[Message]) -> HermesList:
        """Read the bodies of a list once."""
        stats, troubles = read_stats(messages, self.policies)
        return HermesList(MessageColumns(stats, self.policies, troubles))

    def join(self, parts: Iterable[tuple[HermesList, int, int]]) -> HermesList:
        """Join ranges of other lists to a list. Errors of the release are not copied."""
        stats = ListStats()
        for part, start, stop in parts:
            stats.extend(part.stats, start, stop)
        return HermesList(MessageColumns(stats, self.policies))


class HermesList:
    """A list as stats and as columns."""

    def __init__(self, columns: MessageColumns) -> None:
        self.columns, self.stats = columns, columns.stats
        self.roles, self.chars, self.images = columns.roles, self.stats.now.chars, self.stats.now.images

    def __len__(self) -> int:
        return len(self.columns)

    def size(self, index: int) -> MessageSize:
        """Return the size of one message."""
        return self.stats.now.of(index)

    def growth(self) -> Sequence[int]:
        """Return the release's rough estimate of the first 0, 1, ... messages before pruning, in tokens."""
        return self.columns.growth()

    def token_index(self, stop: int) -> HermesTokenIndex:
        """Data for a plan of the first `stop` messages."""
        return token_index_until(self.columns, stop)

    def live(self, settings: Settings, budgets: Budgets, system_tokens: int) -> HermesLiveList:
        """Return an empty list that grows by these messages."""
        return HermesLiveList(self, settings, budgets)


class HermesLiveList(LiveColumns):
    """The list of a run, cut by the rules of the release."""

    __slots__ = ("budgets", "compactions", "settings")

    def __init__(self, source: HermesList, settings: Settings, budgets: Budgets) -> None:
        super().__init__(source.columns)
        self.settings, self.budgets = settings, budgets
        self.compactions = 0

    def adopt(self, settings: Settings, budgets: Budgets) -> None:
        """Compact under these settings from now on."""
        self.settings, self.budgets = settings, budgets

    def shorten(self) -> bool:
        """Shorten nothing: these engines change no message before a compaction."""
        return False

    def compact(self, summary: Callable[[int, int], MessageSize]) -> Compacted | Refusal:
        """Compact the list as the release plans it now, or return why it refuses."""
        index = self.token_index()
        cut = Planner(self.columns.policies, index, self.settings, self.compactions, self.budgets).cut(None)
        if cut.refusal:
            return cut.refusal
        head, tail = cut.regions(len(self))
        removed = self.messages(head, tail)
        size = summary(cut.summary_budget, len(removed)) if cut.merged or cut.role else None
        # Results at the start of the tail leave with their call.
        stays = past_results(index.roles, tail)
        if stays > tail:
            removed += self.messages(tail, stays)
            cut = cut._replace(tail_start=stays)
        self.replace(cut, index, size)
        self.compactions += 1
        return Compacted(head, tail, removed)
