"""Fit of the plans of profiles to the compactions of a database."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from inspector.config.models import ASSUMED, context_length
from inspector.config.settings import config_beside, resolve_settings
from inspector.core.conversations import Compaction, Conversation
from inspector.core.errors import EngineError
from inspector.core.messages import Message
from inspector.engines.base import Settings, TokenIndex
from inspector.engines.registry import engine
from inspector.engines.settings import SETTINGS
from inspector.stores.hermes.profiles import Detection, release_name

if TYPE_CHECKING:
    from inspector.stores.base import Store

#: Number of lists to compare, and the largest number of messages in each.
_LISTS, _LONGEST = 4, 5_000


class RecordedList(Struct, frozen=True):
    """A list at the time of its compaction, with the recorded boundaries."""

    messages: Sequence[Message]
    compaction: Compaction
    settings: Settings


class ProfileFit(NamedTuple):
    """The fit of a profile: `fits` of `of` recorded compactions equal its plan.

    `off` is the largest difference of a boundary in messages. `changed` are the settings that differ from the known
    settings ("threshold 0.75").
    """

    profile: str
    fits: int
    of: int
    off: int
    changed: str = ""


def fits_of(lists: Sequence[RecordedList], profile: str, varied: bool = True) -> tuple[ProfileFit, ...]:
    """Return the fit of a profile, and if `varied`, the best fit under other settings if that is better.

    Empty without lists, or if the engine of the profile cannot measure lists.
    """
    measured = _measured(profile, lists)
    if not measured:
        return ()
    unchanged = _fit(profile, measured, "")
    if unchanged.fits == unchanged.of or not varied:
        return (unchanged,)
    others = [
        _fit(profile, measured, f"{name} {value:,.12g}", **{name: value})
        for name, row in SETTINGS.items()
        for value in row.usual
        if any(getattr(recorded.settings, name) != value for recorded in lists)
    ]
    best = max(others, key=lambda fit: (fit.fits, -fit.off))
    return (unchanged, best) if best.fits > unchanged.fits else (unchanged,)


def best_first(fits: Iterable[ProfileFit]) -> tuple[ProfileFit, ...]:
    """Sort the fits of several profiles, the best first. Of equal fits, a fit under the known settings is first."""
    return tuple(sorted(fits, key=lambda fit: (-fit.fits, bool(fit.changed), fit.off)))


def _measured(profile: str, lists: Sequence[RecordedList]) -> list[tuple[RecordedList, TokenIndex]] | None:
    try:
        return [(recorded, engine(profile).measure(recorded.messages)) for recorded in lists]
    except EngineError:
        return None


def _fit(
    profile: str, lists: Sequence[tuple[RecordedList, TokenIndex]], changed: str, **changes: float
) -> ProfileFit:
    fits = off = 0
    for recorded, index in lists:
        settings = recorded.settings.with_(profile=profile, **changes)
        plan = engine(profile).plan(index, settings, recorded.compaction.index - 1)
        head, tail = plan.regions()
        apart = max(abs(head - recorded.compaction.head_end), abs(tail - recorded.compaction.tail_start))
        fits += plan.compacts and apart == 0
        off = max(off, apart)
    return ProfileFit(profile, fits, len(lists), off, changed)


def recorded_lists(
    store: Store, each_compaction: Callable[[Conversation], Iterable[Compaction]], sessions: Iterable[str]
) -> list[RecordedList]:
    """Return the lists before some compactions with certain boundaries, from the conversations of these sessions.

    `each_compaction` reads the compactions of a conversation one by one. Raises StoreErrors.
    """
    lists: list[RecordedList] = []
    for tip in dict.fromkeys(store.resolve(session) for session in sessions):
        conversation = store.open(tip)
        row = conversation.row
        length, source = context_length(row.model, row.provider)
        facts = {"context_length": (length or ASSUMED, source)}
        reading = config_beside(store.path)
        settings = resolve_settings({}, reading, facts, row.model, row.base_url, row.provider).settings
        for compaction in each_compaction(conversation):
            if len(lists) == _LISTS:
                return lists
            before = conversation.generations[compaction.index - 1]
            if compaction.exact and len(before) <= _LONGEST:
                lists.append(RecordedList(store.messages(before), compaction, settings))
    return lists


def choose_profile(detected: Detection, fits: Sequence[ProfileFit]) -> Detection:
    """Return the open profile whose plans equal the recorded compactions, and the reason as a sentence."""
    names = " and ".join(map(release_name, detected.open))
    if not fits or not fits[0].fits:
        more = (
            "; no recorded compaction distinguishes them." if not fits else "; none plans what was recorded."
        )
        return detected._replace(reason=f"{detected.reason} This leaves {names} open{more}")
    best = [fit for fit in fits if (fit.fits, bool(fit.changed)) == (fits[0].fits, bool(fits[0].changed))]
    alike = [name for name in detected.open if any(fit.profile == name for fit in best)]
    profile = detected.profile if detected.profile in alike else alike[-1]
    others = [release_name(name) for name in alike if name != profile]
    also = f", and so do{'es' if len(others) == 1 else ''} {' and '.join(others)}" if others else ""
    return detected._replace(
        profile=profile,
        reason=f"{detected.reason} This leaves {names} open; {fit_text(best[0]._replace(profile=profile))}"
        + f"{also}.",
    )


def tried_text(fits: Sequence[ProfileFit], profile: str) -> str:
    """Describe the comparison with recorded compactions: the fit of the profile in use, the best fit, the others."""
    if not fits:
        return ""
    in_force = [fit for fit in fits if fit.profile == profile and not fit.changed]
    best = fits[0]
    tried = [_off_text(fit) for fit in in_force]
    if best not in in_force:
        tried.append(f"best of all {_off_text(best)}" if best.fits else "no other profile plans any of them")
    rest = [fit for fit in fits if fit not in in_force and fit != best and not fit.changed]
    if rest:
        tried.append(f"no other profile fits more than {max(fit.fits for fit in rest)}")
    return f"Recorded and planned boundaries differ: {'; '.join(tried)}."


def _off_text(fit: ProfileFit) -> str:
    off = f", off by up to {fit.off:,} messages" if fit.fits < fit.of else ""
    return fit_text(fit) + off


def fit_text(fit: ProfileFit) -> str:
    """Describe a fit in words."""
    at = f" with {fit.changed}" if fit.changed else ""
    return f"{fit.profile}{at} fits {fit.fits} of {fit.of} recorded compactions"
