"""The subject of a sweep, and the place of the user in it."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from inspector.answers.answers import Answers
from inspector.answers.inspection import Inspection
from inspector.config.settings import ResolvedSettings
from inspector.engines.base import Settings
from inspector.engines.registry import engine, with_changes
from inspector.quality.facts.risk import FactSteps
from inspector.replay.axes import SWEPT, default_axis
from inspector.replay.metrics import BY_NAME, METRICS
from inspector.replay.recording import Recording
from inspector.replay.summary_model import SummaryModel
from inspector.replay.sweep import Axis
from widgets.lists.heat_map import Cell


class Subject(Struct, frozen=True):
    """The subject of a sweep: the conversation on screen with its recording, and the ids of the conversations that the
    filter leaves and of all. `resolved` are the settings in force, `changed` the settings that the user changed."""

    title: str
    recording: Recording
    settings: Settings
    inspection: Inspection
    resolved: ResolvedSettings
    model: SummaryModel
    answers: Answers
    changed: dict[str, object]
    filtered: tuple[str, ...]
    every: tuple[str, ...]
    #: None: each conversation's own.
    size: SummaryModel | None = None
    #: The facts of the conversation on screen; None while they are being read.
    facts: FactSteps | None = None


class SweepState(Struct, frozen=True):
    """The place of the user: two axes, a metric, and a scope: this conversation, filtered ones, or all."""

    rows: Axis
    columns: Axis
    scope: str = "this"
    metric: str = METRICS[0].name

    @classmethod
    def of(cls, settings: Settings) -> SweepState:
        """Return the start of a sweep with these settings, over the first two that their profile uses."""
        budgets = engine(settings.profile).budgets(settings)
        rows, columns = sorted(SWEPT, key=lambda name: bool(budgets.why_unused(name)))[:2]
        return cls(default_axis(rows, settings), default_axis(columns, settings))

    @property
    def counts_facts(self) -> bool:
        """Whether the metric needs facts."""
        return BY_NAME[self.metric].facts

    def with_next(self, which: str, settings: Settings) -> SweepState:
        """Return the state with the next setting in the `rows` or the `columns`, with its default values."""
        now, other = (self.rows, self.columns) if which == "rows" else (self.columns, self.rows)
        at = SWEPT.index(now.name)
        names = [SWEPT[(at + step) % len(SWEPT)] for step in range(1, len(SWEPT))]
        axis = default_axis(next(name for name in names if name != other.name), settings)
        return replace(self, rows=axis) if which == "rows" else replace(self, columns=axis)

    def settings_of(self, settings: Settings, cell: Cell) -> Settings:
        """Settings, with the two of a cell."""
        row, column = cell
        return with_changes(
            settings,
            **{self.rows.name: self.rows.values[row], self.columns.name: self.columns.values[column]},
        )
