"""Sizes of requests for agents that record only sums.

A scale and an offset are fitted to the sums and to the steps of the recorded compactions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from inspector.engines.loop import Loop
from inspector.replay.context_scale import ContextScale

#: Tried scales, and the coarse and fine steps between them.
_LEAST, _MOST = 0.5, 3.0
_COARSE, _FINE = 0.01, 0.001
#: Number of best coarse scales around which fine scales are tried.
_REFINED = 4
#: A compaction that is off by this many tokens is in the wrong place.
_FAR = 2_000
#: An error of this many tokens a call costs as much as one compaction in the wrong place.
_MISS = 100.0
#: Weight of the plain scale of 1 against evidence.
_PLAIN = 0.05
#: Tried offsets without sums, in tokens.
_OFFSET_STEP, _OFFSETS = 250, 200
#: Sums are used if the messages show this share of the counted calls.
_CALLS_MISSING = 0.10


class Sums:
    """The calls of a session: their number, and the sum of the tokens of their prompts.

    Its messages show `shown` calls, with `mean` and at most `most` rough tokens.
    """

    __slots__ = ("calls", "mean", "most", "shown", "tokens")

    def __init__(self, calls: int, tokens: int, rough: Sequence[int]) -> None:
        self.calls, self.tokens, self.shown = calls, tokens, len(rough)
        self.mean = sum(rough) / len(rough) if rough else 0.0
        self.most = max(rough, default=0)

    @property
    def usable(self) -> bool:
        """Whether the messages show about as many calls as the session counted."""
        return bool(
            self.calls
            and self.tokens
            and self.shown
            and abs(self.shown - self.calls) <= max(2, _CALLS_MISSING * self.calls)
        )

    def missed(self, scale: ContextScale) -> float:
        """Return the error of a scale against the sum, in tokens a call, beyond the error that unseen calls explain."""
        error = abs(scale.beside + scale.scale * self.mean - self.tokens / self.calls)
        unseen = abs(self.shown - self.calls) * scale.reported(self.most) / self.calls
        return max(0.0, error - unseen)


class Firing(NamedTuple):
    """Rough sizes in tokens around a recorded compaction.

    These are the request after it (`coming`), the `last` call before it, and the call `before` the last call (0 if
    there is none). `turn`: the last message is of the user. `last_turn`: the message before the last call is of the
    user. `answered`: the next message is an answer.
    """

    coming: int
    last: int
    before: int
    turn: bool
    answered: bool = True
    last_turn: bool = False


class ScaleFit(NamedTuple):
    """A scale, and the number of compactions that it explains. The fit with the lowest `price` is the best."""

    scale: ContextScale
    explained: int
    price: float


class ComparedSizes(NamedTuple):
    """The largest rough sizes that a loop compares with the threshold before a request, -1 if it compares none.

    `scaled` is compared as the agent reports it, `plain` as a rough size with the tools.
    """

    scaled: int
    plain: int

    @classmethod
    def of(cls, loop: Loop, firing: Firing) -> ComparedSizes:
        """Return the sizes that a loop compares at a recorded compaction."""
        scaled = firing.coming if loop.requests and firing.answered else -1
        if loop.results and not firing.turn and firing.last:
            scaled = max(scaled, firing.last)
        is_plain = (loop.calls and firing.answered) or (loop.turns and firing.turn)
        return cls(scaled, firing.coming if is_plain else -1)

    def size(self, scale: ContextScale) -> int:
        """Return the larger of both sizes in tokens under a scale."""
        size = scale.reported(self.scaled) if self.scaled >= 0 else 0
        return max(size, self.plain + scale.tools) if self.plain >= 0 else size


class FiringSizes(NamedTuple):
    """Sizes that a loop compares at a recorded compaction, and at the call before it, if there is one."""

    at: ComparedSizes
    before: ComparedSizes | None

    @classmethod
    def of(cls, loop: Loop, firing: Firing) -> FiringSizes:
        """Return the sizes that a loop compares around a recorded compaction."""
        call_before = Firing(firing.last, firing.before, 0, firing.last_turn)
        return cls(
            ComparedSizes.of(loop, firing), ComparedSizes.of(loop, call_before) if firing.last else None
        )

    def tokens_off(self, scale: ContextScale, threshold: int) -> int:
        """Return by how many tokens the loop would miss this compaction, or would make it a call earlier."""
        missing = threshold - self.at.size(scale)
        early = self.before.size(scale) - threshold + 1 if self.before is not None else 0
        return max(missing, early, 0)


def count_explained(scale: ContextScale, threshold: int, places: Iterable[FiringSizes]) -> int:
    """Count the compactions at which the loop would compact, but not a call before."""
    return sum(not place.tokens_off(scale, threshold) for place in places)


def fitted(sums: Sequence[Sums], firings: Sequence[Firing], threshold: int, loop: Loop) -> ScaleFit:
    """Return the scale that explains sums and compactions best; without evidence, the scale of 0 requests."""
    usable = [session for session in sums if session.usable]
    places = [FiringSizes.of(loop, firing) for firing in firings]
    if not usable:
        return _without_sums(places, threshold)
    coarse = sorted(_prices(usable, places, threshold, _grid(_LEAST, _MOST, _COARSE)))
    around = {
        number for _, best in coarse[:_REFINED] for number in _grid(best - _COARSE, best + _COARSE, _FINE)
    }
    judged = list(_prices(usable, places, threshold, sorted(around)))
    least = min(judged)[0]
    # Compactions bound the scale on both sides. Take the middle of the equally good scales.
    alike = [scale for price, scale in judged if price <= least + 0.05]
    scale = _scale(usable, alike[len(alike) // 2])
    count = count_explained(scale, threshold, places)
    basis = f"the sums of {scale.requests:,} requests{_agreement(count, len(places))}"
    return ScaleFit(scale._replace(basis=basis), count, least)


def _agreement(count: int, compactions: int) -> str:
    """Describe the number of compactions that a scale explains."""
    return f" (this explains {count:,} of {compactions:,} recorded compactions)" if compactions else ""


def _without_sums(places: Sequence[FiringSizes], threshold: int) -> ScaleFit:
    """Return a scale with only an offset, if the compactions show one."""

    def offset(tokens: int) -> ScaleFit:
        scale = ContextScale(tokens, 1.0, len(places) if tokens else 0, tokens)
        count = count_explained(scale, threshold, places)
        return ScaleFit(scale, count, _count_wrong(scale, places, threshold))

    fits = [offset(step * _OFFSET_STEP) for step in range(_OFFSETS + 1)]
    most = max(fit.explained for fit in fits)
    alike = [fit for fit in fits if fit.explained == most]
    if fits[0].explained == most:
        return fits[0]
    fit = alike[len(alike) // 2]
    basis = f"the places of compactions{_agreement(most, len(places))}"
    return fit._replace(scale=fit.scale._replace(basis=basis))


def _count_wrong(scale: ContextScale, places: Iterable[FiringSizes], threshold: int) -> float:
    """Count the compactions in the wrong place; near ones count less."""
    return sum(min(1.0, place.tokens_off(scale, threshold) / _FAR) for place in places)


def _prices(
    sums: Sequence[Sums], places: Sequence[FiringSizes], threshold: int, scales: Iterable[float]
) -> Iterator[tuple[float, float]]:
    """Yield the price of each scale, and the scale."""
    for number in scales:
        scale = _scale(sums, number)
        wrong = _count_wrong(scale, places, threshold)
        yield wrong + _missed(sums, scale) / _MISS + _PLAIN * abs(number - 1), number


def _grid(low: float, high: float, step: float) -> list[float]:
    return [round(low + step * place, 4) for place in range(round((high - low) / step) + 1)]


def _scale(sums: Sequence[Sums], number: float) -> ContextScale:
    """Return the scale with the offset that fits the sums best."""
    offsets = [item.tokens / item.calls - number * item.mean for item in sums]
    beside = max(0, round(sum(offsets) / len(offsets)))
    return ContextScale(beside, number, sum(session.calls for session in sums), beside)


def _missed(sums: Sequence[Sums], scale: ContextScale) -> float:
    """Return the root mean square error of the scale, in tokens a call."""
    return float((sum(session.missed(scale) ** 2 for session in sums) / len(sums)) ** 0.5)
