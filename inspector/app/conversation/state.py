"""The place of the user in a conversation, and the loaded data: two frozen values.

Everything on screen is derived from them. An action assigns the next state, a job the next `Loaded`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from inspector.app.jobs import same
from inspector.engines.base import Settings

if TYPE_CHECKING:
    from inspector.answers.inspection import Inspection
    from inspector.caching.breakpoints import Layout, Ttl
    from inspector.config.settings import ResolvedSettings
    from inspector.core.conversations import Compaction, Generation
    from inspector.replay.moments import Moment

T = TypeVar("T")

#: Settings, and the size of summaries in what-ifs (see `knob_values.SUMMARY_SIZE`).
Tuning = tuple[Settings, float | None]
_SYSTEM_FIRST = b"\x03"


class State(Struct, frozen=True):
    """The place of the user.

    `generation` is the list on screen, from 1 (0 until the conversation is open), `row` the row under the cursor (a
    system prompt outside the list is row 0). `moment` is the step of a replay, None outside one. `compaction` is the
    chosen compaction, from 1 (0: none). Its summary is compared with the one before, or with that of compaction
    `against` (0: not chosen). `undo` are the tunings for ctrl+z, `kept` is A of a comparison. `layout` and `ttl` are
    None for the default of the release. `attempts` counts changes of the attempts, `decided` changes of fates by
    models. The dismissed facts and findings are keys.
    """

    generation: int = 0
    row: int = 0
    moment: Moment | None = None
    compaction: int = 0
    against: int = 0
    settings: Settings = field(default_factory=Settings)
    summary_size: float | None = None
    undo: tuple[Tuning, ...] = ()
    kept: Tuning | None = None
    layout: Layout | None = None
    ttl: Ttl | None = None
    pane: str = ""
    view: str = ""
    playing: bool = False
    speed: int = 5
    find: str = ""
    attempts: int = 0
    decided: int = 0
    dismissed_facts: frozenset[str] = frozenset()
    dismissed_findings: frozenset[str] = frozenset()

    @property
    def tuning(self) -> Tuning:
        """The settings on screen with the size of summaries."""
        return self.settings, self.summary_size


class Opened(Struct, frozen=True, eq=False):
    """An opened conversation: its system prompts by session, the settings in force, and two reported sizes by number
    of the generation, in tokens: its last list, and its first request. `later` are rough tokens of the live list that
    no request has reported yet; `reported` has them too."""

    inspection: Inspection
    prompts: Mapping[str, str]
    resolved: ResolvedSettings
    reported: Mapping[int, int] = field(default_factory=dict)
    first_sent: Mapping[int, int] = field(default_factory=dict)
    later: int = 0

    @property
    def generations(self) -> tuple[Generation, ...]:
        """Its lists, oldest first."""
        return self.inspection.conversation.generations

    def prompt_of(self, number: int) -> str:
        """Return the system prompt before the messages of a generation; empty if the list has its own."""
        generation = self.generations[number - 1]
        return "" if generation.roles[:1] == _SYSTEM_FIRST else self.prompts.get(generation.session, "")

    def offset(self, number: int) -> int:
        """The rows before the first message of a generation: 1 where there is a system prompt."""
        return 1 if self.prompt_of(number) else 0


class Resource(Struct, Generic[T], frozen=True, eq=False, dict=True):
    """Data that is read in a thread by `read(*inputs, watch)`.

    An input is another resource, whose current value it is, or a function of state and loaded data. None is a missing
    value, except for a Maybe. `after` names more resources to read first, `ready` says whether reading makes sense.
    `rest` is the number of seconds that the inputs must be unchanged.
    """

    name: str
    read: Callable[..., T]
    inputs: tuple[Source | Maybe, ...]
    after: tuple[Resource[Any], ...] = ()
    ready: Callable[[State, Loaded], bool] = lambda state, loaded: True
    rest: float = 0.0

    @property
    def earlier(self) -> tuple[Resource[Any], ...]:
        """The resources to read first."""
        return (*self.after, *(source for source in self.inputs if isinstance(source, Resource)))

    def needs(self, state: State, loaded: Loaded) -> tuple[Any, ...] | None:
        """The values of the inputs; None while one is missing."""
        if not self.ready(state, loaded):
            return None
        values = []
        for wanted in self.inputs:
            source = wanted.source if isinstance(wanted, Maybe) else wanted
            value = loaded.current(source, state) if isinstance(source, Resource) else source(state, loaded)
            if value is None and source is wanted:
                return None
            values.append(value)
        return tuple(values)


#: A resource, or a function that returns a value.
Source = Resource[Any] | Callable[["State", "Loaded"], Any]


class Maybe(Struct, frozen=True, eq=False):
    """An input that may be None."""

    source: Source


class Loaded(Struct, frozen=True, eq=False):
    """Loaded data: the conversation, the last value of each resource with its inputs, and why a read failed."""

    opened: Opened | None = None
    values: Mapping[str, tuple[tuple[Any, ...], Any]] = field(default_factory=dict)
    failures: Mapping[str, tuple[tuple[Any, ...], str]] = field(default_factory=dict)

    def latest(self, resource: Resource[T]) -> T | None:
        """Return the last value, which may be outdated; None if there is none."""
        entry = self.values.get(resource.name)
        return None if entry is None else entry[1]

    def current(self, resource: Resource[T], state: State) -> T | None:
        """Return the value for the current inputs; None while it is being computed."""
        entry = self.values.get(resource.name)
        if entry is None:
            return None
        needs = resource.needs(state, self)
        return entry[1] if needs is not None and same(needs, entry[0]) else None

    def failure(self, resources: Iterable[Resource[Any]], state: State) -> str:
        """Return why the first of the resources cannot be read with the current inputs; "" if none failed."""
        for resource in resources:
            failed_needs, sentence = self.failures.get(resource.name, ((), ""))
            needs = resource.needs(state, self) if sentence else None
            if needs is not None and same(needs, failed_needs):
                return sentence
        return ""

    def with_failure(self, resource: Resource[Any], needs: tuple[Any, ...], sentence: str) -> Loaded:
        """Return the loaded data with the reason why a resource cannot be read."""
        return replace(self, failures={**self.failures, resource.name: (needs, sentence)})

    def with_value(self, resource: Resource[T], needs: tuple[Any, ...], value: T) -> Loaded:
        """Return the loaded data with a value for a resource, which is read then."""
        failures = {name: failure for name, failure in self.failures.items() if name != resource.name}
        return replace(self, values={**self.values, resource.name: (needs, value)}, failures=failures)


def recorded(
    compactions: tuple[Compaction, ...] | None, index: int, moment: Moment | None
) -> Compaction | None:
    """The recorded compaction of that index: it ended generation `index` and made the next one.

    None for a later compaction in a replay.
    """
    if moment is not None and index >= moment.generation and index != moment.compaction:
        return None
    return next((c for c in compactions or () if c.index == index), None)


def recorded_then(
    compactions: tuple[Compaction, ...] | None, moment: Moment | None
) -> tuple[Compaction, ...]:
    """Recorded compactions up to a moment; all outside a replay."""
    done = compactions or ()
    return done if moment is None else tuple(c for c in done if c.index < moment.generation)
