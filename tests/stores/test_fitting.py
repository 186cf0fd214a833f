"""Fit of profiles to recorded lists: a profile fits its own plans best."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from inspector.core.conversations import Compaction
from inspector.core.messages import Message
from inspector.engines.base import Settings
from inspector.engines.registry import engine
from inspector.stores.hermes.fitting import RecordedList, best_first, fits_of, tried_text
from inspector.stores.hermes.profiles import PROFILES
from tests.engines.lists import conversations

SETTINGS = Settings(threshold=0.1, target_ratio=0.1, context_length=20_000)


def recorded(messages: tuple[Message, ...], profile: str, settings: Settings) -> RecordedList:
    """Return the list as if the profile had compacted it with the settings."""
    plan = engine(profile).plan(engine(profile).measure(messages), settings)
    assume(plan.compacts)
    head, tail = plan.regions()
    compaction = Compaction(
        *(1, "s", len(messages), 0, head, tail, head, head, head, "a summary", False, False, 0, 0, 0.0)
    )
    return RecordedList(messages, compaction, SETTINGS)


@given(conversations(least=3), st.sampled_from(PROFILES))
def test_a_profile_fits_its_own_plan(messages: tuple[Message, ...], profile: str) -> None:
    lists = [recorded(messages, profile, SETTINGS)]
    fits = best_first(fit for name in PROFILES for fit in fits_of(lists, name))
    own = next(fit for fit in fits if fit.profile == profile)
    assert (own.fits, own.of, own.off, own.changed) == (1, 1, 0, "")
    assert [fit.fits for fit in fits] == sorted((fit.fits for fit in fits), reverse=True)
    assert all((fit.off == 0) >= (fit.fits == fit.of) for fit in fits)
    assert {fit.profile for fit in fits} == set(PROFILES)


@given(conversations(least=3), st.sampled_from(PROFILES), st.sampled_from([0, 1, 2, 5]))
def test_a_changed_setting_is_found(messages: tuple[Message, ...], profile: str, first: int) -> None:
    one = recorded(messages, profile, SETTINGS.with_(protect_first_n=first))
    fits = best_first(fits_of([one], profile))
    assert fits[0].fits == 1
    assert tried_text(fits, profile)


def test_no_profile_fits_without_recorded_compactions() -> None:
    assert fits_of([], PROFILES[0]) == ()
    assert tried_text([], "hermes-0.19") == ""
