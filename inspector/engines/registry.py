"""All engines: the releases of Hermes, truncation, the observed rules of other agents, and engines of other
packages."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from msgspec.structs import replace

from inspector.core.errors import EngineError, UsageProblem
from inspector.engines.base import Budgets, Engine, Limits, Marks, Settings
from inspector.engines.capabilities import default_threshold
from inspector.engines.failures import failures_named
from inspector.engines.guarded import GuardedEngine, load
from inspector.engines.hermes.direct.engine import DirectEngine
from inspector.engines.hermes.engine import HermesEngine
from inspector.engines.hermes.policies import Policies
from inspector.engines.hermes.releases import BY_RELEASE, RELEASES, policies_of
from inspector.engines.observed.engine import ObservedEngine
from inspector.engines.observed.profiles import numbers_of, observed_of, observed_rules
from inspector.engines.observed.rules import Observed
from inspector.engines.settings import SETTINGS
from inspector.engines.truncation import TRUNCATION

_METHODS = ("name", "summary", "budgets", "measure", "plan", "fires")

#: Entry point group for engines of other packages: each entry is a class or function that makes an engine.
GROUP = "compaction_inspector.engines"


def _engine_of(policies: Policies) -> Engine:
    return DirectEngine(policies) if policies.reads_texts else HermesEngine(policies)


_BUILT_IN: dict[str, Engine] = {name: _engine_of(policies) for name, policies in RELEASES.items()}
_BUILT_IN[TRUNCATION.name] = TRUNCATION
_BUILT_IN.update((rules.name, ObservedEngine(rules)) for rules in observed_rules())
#: A single release, such as hermes-0.18.1: the same engine under this name.
_BY_RELEASE: dict[str, Engine] = {
    name: _engine_of(replace(policies, name=name)) for name, policies in BY_RELEASE.items()
}


def engine(name: str) -> Engine:
    """Return the engine of a name. Raises UsageProblem with all names if it is unknown, and EngineError if an engine
    of another package cannot be loaded.
    """
    rules = _BUILT_IN.get(name) or _BY_RELEASE.get(name) or _load(name)
    if rules is None:
        raise UsageProblem(
            f"There is no profile named {name}; there are {', '.join(names())}. "
            "A release of Hermes can be named to the patch, as hermes-0.18.1."
        )
    return rules


def budgets_of(settings: Settings) -> Budgets:
    """Return the derived numbers of settings. Raises UsageProblem for an unknown engine, and EngineErrors."""
    rules = engine(settings.profile)
    with failures_named(rules):
        return rules.budgets(settings)


def is_built_in(name: str) -> bool:
    """Return whether an engine is part of this program, not of another package."""
    return name in _BUILT_IN or name in _BY_RELEASE


def with_changes(settings: Settings, **changes: Any) -> Settings:
    """Return the settings with some changes. A threshold that the user did not set becomes the default of the engine
    for the changed profile and window. If the engine fails to report its default, the threshold stays, and planning
    reports the error. Raises UsageProblem if a value is out of its range.
    """
    changed = settings.with_(**changes)
    if "threshold" in changes:
        return changed
    plain = SETTINGS["threshold"].default
    try:
        usual, default = (
            default_threshold(engine(one.profile), one.context_length) for one in (settings, changed)
        )
    except EngineError:
        return changed
    if settings.threshold != usual and (settings.threshold != plain or changed.profile == settings.profile):
        return changed
    return changed.with_(threshold=plain if default is None else default)


def release_of(profile: str) -> tuple[int, ...] | None:
    """Return the version of a Hermes profile, such as (0, 18, 2). The current sources have a version above all
    releases. None for any other engine."""
    policies = policies_of(profile)
    if policies is None or policies.name == "documented":
        return None
    version = policies.release.split(".")
    return tuple(map(int, version)) if version[0].isdigit() else (99,)


def caveat(profile: str) -> str:
    """Return a note about the reliability of a profile; empty if it was compared."""
    policies = policies_of(profile)
    if policies is None or policies.compared or policies.name == "documented":
        return ""
    return f"{profile} was read from public sources and never compared with a release that ran."


def agent_of(profile: str) -> str:
    """Return the agent whose observed rules a profile has; "" for other engines."""
    rules = _observed(profile)
    return "" if rules is None else rules.owner


def _observed(profile: str) -> Observed | None:
    return next((rules for rules in observed_rules() if rules.name == profile), None)


def writer_of(profile: str) -> Callable[[Limits], tuple[str, str]] | None:
    """Return the function that writes limits for the configuration of a profile's agent, None if there is none. It
    returns the file and its text."""
    rules = _observed(profile)
    return None if rules is None else rules.written


def words_of(profile: str) -> str:
    """Return a profile in words: "claude-code up to 2.1.216" for the rules of an agent's earlier releases, so that the
    last of these releases is not taken for the one that wrote a conversation. Other profiles have their name."""
    rules = _observed(profile)
    if rules is None or rules.until is None:
        return profile
    return f"{rules.owner} up to {'.'.join(map(str, rules.until))}"


def marks_of(profile: str, agent: str = "", version: str = "") -> Marks | None:
    """Return the cache breakpoints under a profile, None if they are unknown.

    `agent` and `version` wrote the conversation. They count if the profile is theirs.
    """
    rules = _observed(profile)
    if rules is None:
        return None
    return rules.marks_of(numbers_of(version) if rules is observed_of(agent, version) else None)


def profile_of(agent: str, version: str) -> str:
    """Return the profile of an agent's release, such as "2.1.7". Without a version it is the profile of the newest
    release, and the name of the agent if nothing was observed."""
    rules = observed_of(agent, version)
    return agent if rules is None else rules.name


def profile_of_writer(writer: str) -> str:
    """Return the profile of the oldest release that a log of requests names, such as "Hermes Agent 0.13 or 0.15"; "" if
    it names none. From 0.15 on, Hermes writes such files only on demand."""
    agent, _, releases = writer.partition("Hermes Agent ")
    name = f"hermes-{releases.partition(' ')[0]}"
    return name if not agent and policies_of(name) is not None else ""


def observed_on(agent: str, version: str) -> str:
    """Return the releases on which the rules of an agent's release were observed, and whether they include it; "" for
    its newest rules."""
    rules = observed_of(agent, version)
    if rules is None or rules.until is None:
        return ""
    until = ".".join(map(str, rules.until))
    if rules.since is None:
        return f"the rules are those of releases up to {until}"
    text = f"the rules were observed on {'.'.join(map(str, rules.since))} to {until}"
    return f"{text}, not on this release" if numbers_of(version) < rules.since else text


def profile_status(profile: str) -> str:
    """Describe the basis of a profile: compared with the program, read from its source, observed, or of a package."""
    policies = policies_of(profile)
    if policies is not None:
        return "compared" if policies.compared else "read, not compared"
    if profile == TRUNCATION.name:
        return "baseline"
    if agent_of(profile):
        return "observed"
    return next((f"of {_package(point)}" for point in _entry_points() if point.name == profile), "")


def names() -> tuple[str, ...]:
    """Return the names of all profiles, the built-in ones first."""
    return (*_BUILT_IN, *(point.name for point in _entry_points() if point.name not in _BUILT_IN))


@lru_cache(maxsize=1)
def _entry_points() -> tuple[EntryPoint, ...]:
    return tuple(sorted(entry_points(group=GROUP), key=lambda point: point.name))


@lru_cache(maxsize=32)
def _load(name: str) -> Engine | None:
    for point in _entry_points():
        if point.name != name:
            continue
        try:
            loaded: Engine = load(partial(_make, point))
        except (Exception, SystemExit) as error:  # another package's code may raise anything
            raise EngineError(
                f"The engine {name} of {_package(point)} cannot be loaded: {type(error).__name__}: {error}."
            ) from error
        lacking = [part for part in _METHODS if not hasattr(loaded, part)]
        if lacking:
            raise EngineError(f"The engine {name} of {_package(point)} lacks {', '.join(lacking)}.")
        return GuardedEngine(loaded, name)
    return None


def _make(point: EntryPoint) -> Engine:
    loaded: Engine = point.load()()
    return loaded


def _package(point: EntryPoint) -> str:
    return point.dist.name if point.dist is not None else "an unknown package"
