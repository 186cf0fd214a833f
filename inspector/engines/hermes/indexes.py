"""Where a column has a value."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from typing import overload

#: Values at fewer than one place in this many are looked for one by one.
_SPARSE = 8
#: Tables that leave a 1 where a column has a value, and 0 elsewhere.
_ONLY = [bytes(int(code == value) for code in range(256)) for value in range(6)]


class Where(Sequence[int]):
    """The indexes at which a column has a value, found when they are asked for; some are left out."""

    __slots__ = ("column", "found", "gone", "value")

    def __init__(self, column: bytes | bytearray, value: int, gone: frozenset[int] = frozenset()) -> None:
        self.column, self.value, self.gone = column, value, gone
        self.found: list[int] | None = None

    def _all(self) -> list[int]:
        if self.found is None:
            places = _places(self.column, self.value)
            self.found = [at for at in places if at not in self.gone] if self.gone else places
        return self.found

    def __bool__(self) -> bool:
        return self.column.find(self.value) >= 0 if not self.gone else bool(self._all())

    def __len__(self) -> int:
        if self.found is None and not self.gone and self.column.find(self.value) < 0:
            return 0
        return len(self._all())

    def last_in(self, start: int, stop: int) -> int:
        """Return the last place in [start:stop]; -1 if there is none."""
        at = self.column.rfind(self.value, start, stop)
        while at in self.gone:
            at = self.column.rfind(self.value, start, at)
        return at

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> list[int]: ...
    def __getitem__(self, index: int | slice) -> int | list[int]:
        if self.found is None and not self.gone and index in (0, -1):
            at = self.column.find(self.value) if index == 0 else self.column.rfind(self.value)
            if at < 0:
                raise IndexError(index)
            return at
        return self._all()[index]


def _places(column: bytes | bytearray, value: int) -> list[int]:
    """The places of a value in a column."""
    count = column.count(value)
    if count * _SPARSE > len(column):
        return list(compress(range(len(column)), column.translate(_ONLY[value])))
    found, at = [], column.find(value) if count else -1
    while at >= 0:
        found.append(at)
        at = column.find(value, at + 1)
    return found
