"""Which facts are shown: choices of kind, fate and speaker, each with how many facts it would leave."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message

from widgets.bars.mode_bar import Mode, ModeBar
from widgets.lists.fact_list import OUTCOMES, FactView

ALL = "all"
_FILTERS: dict[str, Callable[[FactView], str]] = {
    "kind": lambda fact: fact.kind,
    "fate": lambda fact: fact.outcome,
    "role": lambda fact: fact.role,
}
_TITLES = {"kind": "kind", "fate": "fate", "role": "who"}
_ORDER: dict[str, tuple[str, ...]] = {
    "kind": ("constraint", "preference", "decision", "value", "link"),
    "fate": tuple(OUTCOMES),
    "role": ("user", "assistant", "tool"),
}


class FactFilters(Vertical):
    """A row a filter. Posts Filtered when another choice is taken; choices stay when other facts come."""

    DEFAULT_CSS = """
    FactFilters { height: auto; background: $surface; }
    """

    class Filtered(Message):
        """Other facts pass."""

    TITLE_CELLS: ClassVar[int] = 5

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._facts: tuple[FactView, ...] = ()
        self._bars = {name: ModeBar(title=_TITLES[name].ljust(self.TITLE_CELLS)) for name in _FILTERS}

    def compose(self) -> ComposeResult:
        """The rows."""
        yield from self._bars.values()

    @property
    def shown(self) -> tuple[FactView, ...]:
        """The facts that pass."""
        return tuple(fact for fact in self._facts if self._passes(fact))

    @property
    def chosen(self) -> list[str]:
        """What the facts are narrowed down to, in words."""
        return [bar.mode for bar in self._bars.values() if bar.mode not in (ALL, "")]

    def choice(self, name: str) -> str:
        """What a filter stands at: of "kind", "fate", "role"."""
        return self._bars[name].mode

    def labels(self, name: str) -> list[str]:
        """What a filter offers, as it is written."""
        return [mode.label for mode in self._bars[name].modes]

    def set_facts(self, facts: Sequence[FactView]) -> None:
        """Filter these facts, and count them."""
        self._facts = tuple(facts)
        self._offer()

    def step(self, name: str) -> None:
        """Take the next choice of a filter, round and round."""
        self._bars[name].step(1)

    @on(ModeBar.ModeChosen)
    def _taken(self, event: ModeBar.ModeChosen) -> None:
        event.stop()
        self._offer()
        self.post_message(self.Filtered())

    def _offer(self) -> None:
        """Every choice with how many facts it leaves of those that the other filters leave."""
        for name, of in _FILTERS.items():
            counts = Counter(of(fact) for fact in self._facts if self._passes(fact, without=name))
            names = [n for n in _ORDER[name] if counts[n]] + sorted(set(counts) - set(_ORDER[name]))
            chosen = self._bars[name].mode
            if chosen not in (ALL, "", *names):
                names.append(chosen)
            self._bars[name].set_modes([Mode(ALL, ALL), *(Mode(n, f"{n} ({counts[n]:,})") for n in names)])

    def _passes(self, fact: FactView, without: str = "") -> bool:
        return all(
            name == without or self._bars[name].mode in (ALL, "", of(fact)) for name, of in _FILTERS.items()
        )
