"""The settings, one row each. Flags, knobs, the keys of Hermes' config.yaml, sweeps, JSON, reports and the page of
commands derive from these rows: another setting is another field of `Settings`, and its use in an engine.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, NamedTuple

from msgspec import Struct
from msgspec.structs import fields, replace

from inspector.core.errors import UsageProblem


class Slider(NamedTuple):
    """A knob: its fine and coarse step, and the range of its slider, which is logarithmic for sizes."""

    step: float = 1
    coarse: float = 1
    low: float = 0.0
    high: float = 1.0
    log: bool = False


_SHARE = Slider(0.01, 0.05)
_TOKENS = Slider(1_000, 10_000, 8_000, 2_000_000, log=True)


class Setting(Struct, frozen=True):
    """A row: the meaning of a setting, its values, and the places where it is read and written.

    `low` and `high` bound the accepted numbers; `choices` are the values of any other setting. `keys` are its paths in
    Hermes' config.yaml, newer ones first. A `lenient` value is ignored if the agent cannot read it; the agent does not
    start with other wrong values. `written`: a copied configuration always has it, or only a value that differs from
    the default. `swept` are the values of a sweep over it (`*` before multiples of the value in use), empty if no
    sweep is offered. `usual` are values that users choose, the likeliest first: they are tried if recorded compactions
    fit no plan. `seldom`: most engines have no rule for it. `number` is the derived number that follows from it.
    `note` names the releases that use it. `knob`: the what-if pane has a knob for it.
    """

    kind: Literal["share", "count", "tokens", "choice"]
    help: str
    low: float = 0.0
    high: float = 1.0
    choices: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    lenient: bool = False
    written: Literal["", "always", "changed"] = ""
    slider: Slider = _SHARE
    swept: str = ""
    usual: tuple[float, ...] = ()
    seldom: bool = False
    number: str = ""
    note: str = ""
    knob: bool = True
    name: str = ""
    default: Any = None

    @property
    def optional(self) -> bool:
        """Whether the setting may have no value."""
        return self.default is None

    @property
    def flag(self) -> str:
        """The option of commands."""
        return "--" + self.name.replace("_", "-")

    @property
    def label(self) -> str:
        """Its name in words."""
        return self.name.replace("_", " ")

    def words(self, value: float) -> str:
        """Return a number that the setting may have as a person reads it: 35%, 20, 200,000."""
        return f"{value * 100:.4g}%" if self.kind == "share" else f"{round(value):,}"


_MOST = 10_000_000


class Settings(Struct, frozen=True):
    """Values of the settings. Sizes are in tokens; None is for a setting without a value."""

    threshold: Annotated[float, Setting(
        "share", "The share of the window at which the agent compacts.", low=0.01,
        slider=Slider(0.01, 0.05, low=0.01),
        keys=("compression.threshold",), written="always", swept="0.2:0.9:0.1",
        usual=(0.5, 0.75, 0.85, 0.8, 0.7, 0.6, 0.9, 0.65, 0.55, 0.4, 0.3), number="threshold_tokens",
    )] = 0.50  # fmt: skip
    # The releases clamp it to 0.10 to 0.80; the steps of the budgets say so.
    target_ratio: Annotated[float, Setting(
        "share", "The tail budget as a share of the threshold.",
        keys=("compression.target_ratio",), written="always", swept="0.1:0.8:0.1",
        usual=(0.2, 0.1, 0.15, 0.25, 0.3, 0.4, 0.5), number="tail_token_budget",
    )] = 0.20  # fmt: skip
    protect_first_n: Annotated[int, Setting(
        "count", "Messages at the start that always stay.", high=1_000,
        keys=("compression.protect_first_n",), written="always", slider=Slider(1, 5, 0, 30), swept="0,1,2,3,5,8,13,20",
        usual=(3, 0, 1, 2, 5),
    )] = 3  # fmt: skip
    protect_last_n: Annotated[int, Setting(
        "count", "Messages at the end that always stay.", low=1, high=10_000,
        keys=("compression.protect_last_n",), written="always", slider=Slider(1, 10, 1, 100),
        swept="5,10,15,20,30,40,60,80", usual=(20, 3, 5, 10, 40),
    )] = 20  # fmt: skip
    context_length: Annotated[int, Setting(
        "tokens", "The context window of the model, in tokens.", low=1_000, high=_MOST, lenient=True,
        keys=("model.context_length", "context_length"), slider=_TOKENS, swept="*0.25,0.5,0.75,1,1.5,2,3,4",
        usual=(64_000, 128_000, 200_000, 256_000, 400_000, 1_000_000),
    )] = 200_000  # fmt: skip
    max_tokens: Annotated[int | None, Setting(
        "tokens", "Tokens reserved for the answer; some releases subtract them from the window.", high=_MOST,
        lenient=True, keys=("model.max_tokens",), written="changed", slider=Slider(1_000, 8_000, 0, 200_000),
        swept="0,2000,4000,8000,16000,32000,48000,64000",
    )] = None  # fmt: skip
    profile: Annotated[str, Setting("choice", "The release whose rules decide.")] = "documented"
    summary_context: Annotated[int | None, Setting(
        "tokens", "The context window of the summary model; it limits the threshold.", low=1_000,
        high=_MOST, lenient=True, keys=("auxiliary.compression.context_length",), slider=_TOKENS,
        swept="16000,32000,48000,64000,100000,128000,200000,400000",
    )] = None  # fmt: skip
    threshold_cap: Annotated[int | None, Setting(
        "tokens", "Upper limit of the threshold in tokens.", low=1, high=_MOST, lenient=True,
        keys=("compression.threshold_tokens",), written="changed", slider=_TOKENS, seldom=True, note="from 0.20 on",
    )] = None  # fmt: skip
    tail_mode: Annotated[Literal["lean", "legacy"], Setting(
        "choice", "The tail's budget: a share of the window (lean) or of the threshold.",
        choices=("lean", "legacy"), lenient=True, keys=("compression.tail_mode",), written="changed", seldom=True,
        note="current sources",
    )] = "lean"  # fmt: skip
    min_tail_user_messages: Annotated[int, Setting(
        "count", "Minimum number of user messages in the tail.", low=1, high=1_000, lenient=True,
        keys=("compression.min_tail_user_messages",), written="changed", slider=Slider(1, 5, 1, 20), seldom=True,
        note="from 0.20 on",
    )] = 1  # fmt: skip
    message_limit: Annotated[int | None, Setting(
        "count", "Number of messages at which a gateway compacts a list between turns.", low=1,
        high=1_000_000, lenient=True, keys=("compression.hygiene_hard_message_limit",), written="changed",
        swept="100,200,400,800,1500,3000,5000,10000", note="sessions of a gateway", knob=False,
    )] = None  # fmt: skip
    tail_tokens: Annotated[int | None, Setting(
        "tokens", "Size of the newest messages that stay, for agents that keep a fixed number of tokens.", high=_MOST,
        lenient=True, slider=Slider(1_000, 10_000, 0, 200_000), swept="2000,5000,10000,15000,20000,30000,50000,80000",
        usual=(20_000, 10_000, 40_000, 30_000, 5_000, 2_000, 50_000, 15_000), seldom=True, number="tail_token_budget",
        note="other agents than Hermes",
    )] = None  # fmt: skip

    def with_(self, **changes: Any) -> Settings:
        """Return the settings with some changes. Raises UsageProblem if a value is out of its range."""
        changed = replace(self, **changes)
        changed.check()
        return changed

    def check(self) -> None:
        """Raise UsageProblem if a setting is out of the range that the tool accepts."""
        for name in RANGES:
            value = getattr(self, name)
            if value is not None:
                check_range(name, value, name)


def rows_of(settings: type[Settings]) -> Mapping[str, Setting]:
    """Return the rows of a class of settings, by name."""
    return {
        row.name: replace(row.type.__metadata__[0], name=row.name, default=row.default)
        for row in fields(settings)
    }


#: The rows, by name.
SETTINGS = rows_of(Settings)
#: The names of all settings.
SETTING_NAMES: tuple[str, ...] = tuple(SETTINGS)
#: The accepted range of each number, both ends included.
RANGES: Mapping[str, tuple[float, float]] = {
    row.name: (row.low, row.high) for row in SETTINGS.values() if row.kind != "choice"
}


def check_range(name: str, value: float, called: str) -> None:
    """Raise UsageProblem if a setting is out of its range. `called` is its name where the user wrote it."""
    low, high = RANGES[name]
    if not low <= value <= high:
        hint = f" Write a share, such as {value / 100:g}." if high == 1 and 2 <= value <= 100 else ""
        raise UsageProblem(
            f"{called} is {value:,.12g}; it must lie between {low:,.12g} and {high:,.12g}.{hint}"
        )


def difference(settings: Settings, force: Settings) -> dict[str, Any]:
    """Return the settings that differ from the settings in force, by name."""
    return {name: value for name in SETTINGS if (value := getattr(settings, name)) != getattr(force, name)}
