"""Guards of the releases against useless compactions, as a state machine over frozen values.

0.13.0 to 0.18.2 count compactions that saved under 10% (`should_compress`, `compress`). From 0.17.0 on they also count
compactions that found no middle. 0.19.0 judges each compaction by the next reported prompt. It also counts lists that
were too short, and fallback texts in a row (`update_from_response`, `record_completed_compaction`). The current
sources wait some minutes after a compaction that found nothing to do, and do not count it. The documentation does not
mention guards.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from inspector.engines.hermes.releases import policies_of
from inspector.engines.sizes import Refusal

#: Number of useless compactions in a row after which every release gives up.
STRIKES = 2
#: Minimum saved share of a useful compaction, up to 0.18.2.
LEAST_SAVED = 0.10


class Guard(NamedTuple):
    """The state of the guards.

    `ineffective` and `fallbacks` count compactions in a row; `verifying` waits for the next real prompt count.
    `since` is the compaction (counted from 1) at which the agent gave up, or None.
    """

    judged_by: Literal["", "savings", "usage"] = ""
    refusals_counted: frozenset[Refusal] = frozenset()
    compactions: int = 0
    ineffective: int = 0
    fallbacks: int = 0
    verifying: bool = False
    since: int | None = None

    def blocked(self) -> str:
        """Return why no automatic compaction runs; "" if it may run."""
        if self.ineffective >= STRIKES:
            how = (
                "saved under 10% each"
                if self.judged_by == "savings"
                else "left the prompt over the threshold"
            )
            return f"the last {self.ineffective} compactions {how}"
        if self.fallbacks >= STRIKES:
            return f"the last {self.fallbacks} compactions had no summary"
        return ""


def guard_of(profile: str) -> Guard:
    """Return the guards of a release at the start of a session."""
    policies = policies_of(profile)
    return Guard(policies.judged_by, policies.refusals_counted) if policies else Guard()


def compacted(guard: Guard, tokens_before: int, tokens_after: int, fallback: bool = False) -> Guard:
    """Count a compaction. `tokens_after` are the messages alone, as the releases estimate them."""
    count = guard.compactions + 1
    if guard.judged_by == "savings":
        saved = (tokens_before - tokens_after) / tokens_before if tokens_before > 0 else 0.0
        changed = guard._replace(
            compactions=count, ineffective=guard.ineffective + 1 if saved < LEAST_SAVED else 0
        )
    elif guard.judged_by == "usage":
        changed = guard._replace(
            compactions=count, verifying=True, fallbacks=guard.fallbacks + 1 if fallback else 0
        )
    else:
        changed = guard._replace(compactions=count)
    return _settled(changed)


def unchanged(guard: Guard, tokens_before: int, tokens_after: int) -> Guard:
    """Count a compaction that did not change the list. Releases that judge by savings count it like any other. The
    others do not store it and do not judge it."""
    return compacted(guard, tokens_before, tokens_after) if guard.judged_by == "savings" else guard


def refused(guard: Guard, refusal: Refusal) -> Guard:
    """Count a refused compaction, if the release counts refusals for this reason."""
    if refusal not in guard.refusals_counted:
        return guard
    return _settled(guard._replace(ineffective=guard.ineffective + 1))


def responded(guard: Guard, prompt_tokens: int, threshold_tokens: int) -> Guard:
    """Judge the last compaction by the reported tokens of a prompt (0: not reported)."""
    if guard.judged_by != "usage":
        return guard
    if prompt_tokens <= 0:
        return guard._replace(verifying=False)
    over = prompt_tokens >= threshold_tokens
    if not (over or guard.ineffective or guard.verifying):
        return guard
    strikes = guard.ineffective + (guard.verifying and over) if over else 0
    return _settled(guard._replace(ineffective=strikes, verifying=False))


def _settled(guard: Guard) -> Guard:
    gave_up = guard.ineffective >= STRIKES or guard.fallbacks >= STRIKES
    if not gave_up:
        return guard._replace(since=None) if guard.since is not None else guard
    return guard if guard.since is not None else guard._replace(since=guard.compactions)
