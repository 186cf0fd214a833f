"""Filters of a list of facts by kind, fate and speaker, each choice with the number of facts that pass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message

from widgets.bars.mode_bar import Mode, ModeBar
from widgets.lists.fact_list import OUTCOMES, ListedFact, outcome_of

ALL = "all"
_FILTERS: dict[str, Callable[[ListedFact], str]] = {
    "kind": lambda fact: fact.kind,
    "fate": outcome_of,
    "role": lambda fact: fact.role,
}
#: In a narrow bar a fate is its sign, as in the list below.
_SHORT = {name: sign for name, (sign, _) in OUTCOMES.items()}
_ORDER: dict[str, tuple[str, ...]] = {
    "kind": ("constraint", "preference", "decision", "value", "statement"),
    "fate": tuple(OUTCOMES),
    "role": ("user", "assistant", "tool"),
}


class FactFilters(Vertical):
    """One row per filter. Posts Filtered when a choice changes; choices stay when the facts change."""

    DEFAULT_CSS = """
    FactFilters { height: auto; background: $surface; }
    """

    class Filtered(Message):
        """The choice changed."""

    TITLE_CELLS: ClassVar[int] = 5

    def __init__(self) -> None:
        super().__init__()
        self._facts: tuple[ListedFact, ...] = ()
        self._bars = {name: ModeBar(title=name.ljust(self.TITLE_CELLS)) for name in _FILTERS}

    def compose(self) -> ComposeResult:
        """Yield the rows."""
        yield from self._bars.values()

    @property
    def shown(self) -> tuple[ListedFact, ...]:
        """The facts that pass."""
        return tuple(fact for fact in self._facts if self._passes(fact))

    @property
    def chosen(self) -> list[str]:
        """The active choices in words."""
        return [bar.mode for bar in self._bars.values() if bar.mode not in (ALL, "")]

    def choice(self, name: str) -> str:
        """Choice of a filter: "kind", "fate" or "role"."""
        return self._bars[name].mode

    def labels(self, name: str) -> list[str]:
        """Labels of the choices of a filter."""
        return [mode.label for mode in self._bars[name].modes]

    def set_facts(self, facts: Sequence[ListedFact]) -> None:
        """Filter these facts, and count them."""
        self._facts = tuple(facts)
        self._offer()

    def step(self, name: str) -> None:
        """Take the next choice of a filter, cyclically."""
        self._bars[name].step(1)

    @on(ModeBar.ModeChosen)
    def _taken(self, event: ModeBar.ModeChosen) -> None:
        event.stop()
        self._offer()
        self.post_message(self.Filtered())

    def _offer(self) -> None:
        """Offer every choice with the number of facts that pass it and the other filters."""
        for name, of in _FILTERS.items():
            counts = Counter(of(fact) for fact in self._facts if self._passes(fact, without=name))
            names = [n for n in _ORDER[name] if counts[n]] + sorted(set(counts) - set(_ORDER[name]))
            chosen = self._bars[name].mode
            if chosen not in (ALL, "", *names):
                names.append(chosen)
            choices = [
                Mode(
                    n,
                    f"{n} ({counts[n]:,})",
                    short=f"{n}:{counts[n]:,}",
                    # A sign is before its number, a word has a colon.
                    shortest=f"{_SHORT.get(n, f'{n}:')}{counts[n]:,}",
                )
                for n in names
            ]
            self._bars[name].set_modes([Mode(ALL, ALL), *choices])

    def _passes(self, fact: ListedFact, without: str = "") -> bool:
        return all(
            name == without or self._bars[name].mode in (ALL, "", of(fact)) for name, of in _FILTERS.items()
        )
